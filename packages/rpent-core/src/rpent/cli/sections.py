"""Which plugins the user chose, and the options that they add: a heading and its options for each plugin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rpent.cli.frontends import KIND as FRONTENDS
from rpent.cli.frontends import given_frontends
from rpent.cli.scouting import plain, scout
from rpent.plugins import registry
from rpent.plugins.index import label
from rpent.plugins.named import load_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpent.specs import ServiceSpec

SELECTORS = {"robot": "robots", "planner": "planners", "policy": "policies", "perceptor": "perceptors"}
NO_PERCEPTOR = "none"
DEFAULT_PLANNERS = ("api", "flash")
"""The planner that is taken when none is named: the first of these that is installed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """The options that one chosen plugin adds."""

    kind: str
    name: str
    title: str
    options: list[click.Option]
    own: Sequence[click.Option] = ()
    """Those of the plugin's config model."""
    served: Sequence[click.Option] = ()
    """Those of the config model of a perceptor's service."""
    services: Sequence[ServiceSpec] = ()


def chosen(
    command: click.Command, ctx: click.Context, args: list[str], *, flags: Sequence[click.Option] = ()
) -> dict[str, Any]:
    """Return the values of `--robot`, `--planner`, `--policy`, `--perceptor` and `--help`; the rest comes later.

    Args:
        command: The command, with its own options.
        ctx: Its context.
        args: What was typed.
        flags: Those of the front ends; which of them were typed is returned as `frontends`.
    """
    names = {*SELECTORS, "no_plugin"}
    asks_help = click.Option(["help", *ctx.help_option_names], is_flag=True)
    found = scout([asks_help, *flags, *(plain(p) for p in command.params if p.name in names)], ctx, args)
    if found.params.get("no_plugin"):
        registry.block(found.params["no_plugin"])
    choice = {name: found.params.get(name) for name in (*SELECTORS, "help")}
    choice[FRONTENDS] = given_frontends(flags, found.params)
    if choice["robot"] and not choice["planner"]:
        choice["planner"] = default_planner()
    return choice


def sections(choice: dict[str, Any], *, core: list[click.Parameter]) -> list[Section]:
    """Load the chosen plugins and make their options; nothing is imported where nothing was chosen."""
    wanted = [
        (kind, choice[name])
        for name, kind in SELECTORS.items()
        if choice.get(name) not in {None, NO_PERCEPTOR}
    ]
    wanted += [(FRONTENDS, name) for name in choice.get(FRONTENDS, ())]
    taken = flags_of(core) | {"--help", "-h"}
    found = []
    for kind, name in wanted:
        section = plugin_section(kind, name, taken=taken)
        section = replace(section, options=[*section.options, *endpoint_options(section.services, taken)])
        taken |= flags_of(section.options)
        found.append(section)
    return found


def default_planner() -> str | None:
    """Return the planner for a run that names none, or None when none of the usual ones is installed."""
    installed = registry.names("planners")
    return next((name for name in DEFAULT_PLANNERS if name in installed), None)


def plugin_section(kind: str, name: str, *, taken: frozenset[str]) -> Section:
    """Load the plugin that was chosen and make its options.

    Args:
        kind: `robots`, `planners`, `policies`, `perceptors`, `frontends`.
        name: What the user typed.
        taken: Options that are spoken for; a field of that name becomes `--planner-model`.
    """
    from rpent.specs import services_of

    spec = registry.get(kind, name)
    noun = label(kind)
    services = () if kind == "policies" else services_of(spec)
    prefix = spec.name if kind == FRONTENDS else ""
    own = _model_options(spec.config, spec.name, f"{noun} `{name}`", taken, noun, prefix=prefix)
    served: list[click.Option] = []
    more: list[click.Option] = []
    if kind == "policies":
        more = _policy_options(taken)
    elif kind == "perceptors" and spec.service is not None and spec.service.factory:
        service = spec.service
        served = own
        if service.config != spec.config:
            spoken_for = taken | flags_of(own)
            served = _model_options(service.config, spec.name, f"{noun} `{name}`", spoken_for, service.name)
            for option in served:
                option.required = False  # a server that already runs has what it needs; else its model asks
        more = [_python_option(service.name, f"Interpreter of the {service.name} server.")]
    extra = [] if served is own else served
    return Section(
        kind=kind,
        name=name,
        title=f"Options of the {noun} `{name}`",
        options=[*own, *extra, *more],
        own=own,
        served=served,
        services=services,
    )


def _model_options(
    config: str | None, name: str, what: str, taken: frozenset[str], rename: str, *, prefix: str = ""
) -> list[click.Option]:
    """Return the options of a config model; none where there is none."""
    if not config:
        return []
    from rpent.cli.options import options_from_model
    from rpent.config import env_prefix

    return options_from_model(
        load_named(config, what),
        env_prefix=env_prefix(name),
        taken=taken,
        rename=rename.replace(" ", "-"),
        prefix=prefix,
    )


def _policy_options(taken: frozenset[str]) -> list[click.Option]:
    """Return what a run must know of a policy besides the options of its backend."""
    layout = "--policy-layout" if "--layout" in taken else "--layout"
    return [
        click.Option(
            [layout, "policy_layout"],
            metavar="NAME",
            help="How the robot's pictures, state and actions are laid out for the checkpoint."
            "  [default: the layout that fits]",
        ),
        _python_option("policy", "Interpreter of the policy server."),
    ]


def _python_option(service: str, text: str) -> click.Option:
    return click.Option(
        [f"--{service}-python"],
        metavar="PATH",
        envvar=f"RPENT_{service.upper()}_PYTHON".replace("-", "_"),
        help=f"{text}  [default: a managed environment, else this one]",
    )


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
                help=f"Attach to a running {service.name} server"
                + (" instead of starting one." if service.factory else "."),
            )
    return list(options.values())


def flags_of(params: Iterable[click.Parameter]) -> frozenset[str]:
    """Return every way to type the options among `params`."""
    return frozenset(flag for param in params for flag in (*param.opts, *param.secondary_opts))
