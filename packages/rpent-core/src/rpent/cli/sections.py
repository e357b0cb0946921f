"""The options that chosen plugins add to a command: a heading and its options for each plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rpent.plugins import registry
from rpent.plugins.index import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpent.specs import ServiceSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """The options that one chosen plugin adds."""

    kind: str
    name: str
    title: str
    options: list[click.Option]
    services: Sequence[ServiceSpec] = ()


def plugin_section(kind: str, name: str, *, taken: frozenset[str]) -> Section:
    """Load the plugin that was chosen and make its options.

    Args:
        kind: `robots`, `planners`, `perceptors`.
        name: What the user typed.
        taken: Options that are spoken for; a field of that name becomes `--planner-model`.
    """
    spec = registry.get(kind, name)
    noun = label(kind)
    services = tuple(getattr(spec, "services", ())) or tuple(filter(None, (getattr(spec, "service", None),)))
    title = f"Options of the {noun} `{name}`"
    options = []
    if spec.config:
        from rpent.cli.options import options_from_model

        prefix = f"RPENT_{spec.name}".upper().replace("-", "_").replace("+", "_")
        options = options_from_model(
            load_for(f"{noun} `{name}`", spec.config), env_prefix=prefix, taken=taken, rename=noun
        )
    return Section(kind=kind, name=name, title=title, options=options, services=services)


def load_for(what: str, import_string: str) -> Any:
    """Import what a spec names, or say which plugin's spec is wrong.

    Raises:
        PluginError: The import string leads nowhere.
    """
    from rpent.errors import PluginError
    from rpent.specs import load_object

    try:
        return load_object(import_string)
    except (ImportError, ValueError) as error:
        raise PluginError(
            f"The {what} names `{import_string}`, which cannot be imported: {error}",
            hint=f"See `rpent doctor {what.partition('`')[2].rstrip('`')}`.",
        ) from error


def endpoint_options(services: Iterable[ServiceSpec], taken: frozenset[str]) -> list[click.Option]:
    """Return `--<service>-endpoint` for each service, to attach to a server that already runs."""
    options = {}
    for service in services:
        flag = f"--{service.name}-endpoint"
        if flag not in taken and flag not in options:
            options[flag] = click.Option(
                [flag],
                metavar="[SCHEME://]HOST:PORT",
                envvar=f"RPENT_{service.name.upper()}_ENDPOINT".replace("-", "_"),
                show_envvar=True,
                help=f"Attach to a running {service.name} server instead of starting one.",
            )
    return list(options.values())


def flags_of(params: Iterable[click.Parameter]) -> frozenset[str]:
    """Return every way to type the options among `params`."""
    return frozenset(flag for param in params for flag in (*param.opts, *param.secondary_opts))
