"""From the parsed options of `rpent run` to a `RunRequest`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.cli.options import field_name, given, option_name
from rpent.cli.sectioned import sections_of
from rpent.config import check_incomplete
from rpent.errors import UsageError
from rpent.plugins import registry
from rpent.plugins.index import label
from rpent.plugins.named import load_named
from rpent.run.request import Explore, Limits, RunRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

    from rpent.cli.sections import Section
    from rpent.run.request import ProgressStyle


def build_request(ctx: click.Context, *, planner: str, absent: frozenset[str] = frozenset()) -> RunRequest:
    """Turn the parsed options into a request, each plugin's values validated by its own model.

    Args:
        ctx: The parsed options.
        planner: The planner's name.
        absent: Fields of the robot's model that are chosen later.

    Raises:
        UsageError: A value is not accepted.
    """
    options = ctx.params
    found = sections_of(ctx)
    configs = {
        section.kind: values_of(section, ctx, absent=absent if section.kind == "robots" else frozenset())
        for section in found
    }
    return RunRequest(
        robot=options["robot"],
        planner=planner,
        robot_config=configs.get("robots", {}),
        planner_config=configs.get("planners", {}),
        perceptor=options["perceptor"],
        perceptor_config=configs.get("perceptors", {}),
        perceptor_service_config=service_values(found, ctx),
        policy=options.get("policy"),
        policy_config=configs.get("policies", {}),
        policy_layout=options.get("policy_layout"),
        output_dir=Path(options["output_dir"]),
        limits=Limits(**{name: options[name] for name in Limits.__dataclass_fields__ if name in options}),
        transport=options["transport"],
        endpoints=endpoints_of(found, options),
        env_python=options["env_python"],
        pythons=pythons_of(found, options),
        token=read_token(options["token"], options["token_file"]),
        memory=wants_memory(options),
        explore=exploration(options),
        memory_dir=Path(options["memory_dir"]) if options["memory_dir"] else None,
        progress=progress_style(options),
        record_video=options["video"],
        verbose=ctx.find_root().obj.verbose if ctx.find_root().obj else False,
    )


def wants_memory(options: dict[str, Any]) -> bool:
    """Return whether the run has a memory: as was said, else where its directory or exploration was asked for."""
    if options["memory"] is not None:
        return bool(options["memory"])
    return bool(options["memory_dir"] or options.get("explore"))


def exploration(options: dict[str, Any]) -> Explore | None:
    """Return how the run explores; None for a run that is an evaluation.

    Raises:
        UsageError: Options of an exploration without `--explore`, or an exploration without memory.
    """
    given = {name: options[name] for name in ("attempts", "sessions") if options.get(name) is not None}
    if not options.get("explore"):
        if given:
            raise UsageError(f"`--{next(iter(given))}` is for exploration.", hint="Add `--explore`.")
        return None
    if options["memory"] is False:
        raise UsageError(
            "`--explore` teaches the memory, and `--no-memory` leaves it out.", hint="Give one of them."
        )
    return Explore(**given)


def values_of(
    section: Section, ctx: click.Context, *, absent: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return the values that were given for a plugin's options; its model has accepted them.

    Args:
        section: The plugin's options.
        ctx: The parsed options.
        absent: Fields that may be missing although the model requires them.

    Raises:
        UsageError: The model does not accept one.
    """
    values = given_values(section, ctx)
    check_values(section, values, absent=absent)
    return values


def given_values(section: Section, ctx: click.Context) -> dict[str, Any]:
    """Return the values that were given for a plugin's options."""
    return given(ctx, list(section.own))


def check_values(section: Section, values: dict[str, Any], *, absent: frozenset[str] = frozenset()) -> None:
    """Let the plugin's model look at values, by the names of the options.

    Args:
        section: The plugin's options.
        values: The values, by field.
        absent: Fields that may be missing although the model requires them.

    Raises:
        UsageError: The model does not accept one.
    """
    config = registry.get(section.kind, section.name).config
    _check(section, config, section.own, values, absent)


def service_values(sections: Sequence[Section], ctx: click.Context) -> dict[str, Any]:
    """Return the values that were given for the perceptor's service; where one is started its model accepts them.

    Raises:
        UsageError: The model does not accept one, or they are given for a server that already runs.
    """
    section = next((section for section in sections if section.kind == "perceptors"), None)
    if section is None or not section.served:
        return {}
    service = registry.get(section.kind, section.name).service
    values = given(ctx, list(section.served))
    if service.name not in endpoints_of(sections, ctx.params):
        _check(section, service.config, section.served, values)
    return values


def _check(
    section: Section,
    config: str | None,
    options: Sequence[click.Option],
    values: dict[str, Any],
    absent: frozenset[str] = frozenset(),
) -> None:
    what = f"{label(section.kind)} `{section.name}`"
    if config:
        typed = {field_name(option): option_name(option) for option in options}
        check_incomplete(load_named(config, what), values, what=what, absent=absent, names=typed)


def pythons_of(sections: Sequence[Section], options: dict[str, Any]) -> dict[str, str]:
    """Return the interpreters of services that are not the robot's, by service."""
    found = {"vla": options.get("policy_python")}
    for section in sections:
        if section.kind == "perceptors":
            names = [service.name for service in section.services]
            found |= {name: options.get(f"{name}_python".replace("-", "_")) for name in names}
    return {name: python for name, python in found.items() if python is not None}


def endpoints_of(sections: Sequence[Section], options: dict[str, Any]) -> dict[str, str]:
    """Return the endpoints of servers that already run, by service."""
    services = [service.name for section in sections for service in section.services]
    given_endpoints = {name: options.get(f"{name}_endpoint".replace("-", "_")) for name in services}
    return {name: endpoint for name, endpoint in given_endpoints.items() if endpoint is not None}


def progress_style(options: dict[str, Any]) -> ProgressStyle:
    """Return how progress is shown; `--json` and `--quiet` are short for values of `--progress`.

    The terminal of an interactive run shows the events itself.
    """
    if options.get("interactive"):
        return "quiet"
    if options["as_json"]:
        return "json"
    style: ProgressStyle = "quiet" if options["quiet"] else options["progress"]
    return style


def read_token(token: str | None, token_file: str | None) -> str | None:
    """Return the token of attached servers, from the option or the file.

    Raises:
        UsageError: The file cannot be read, or both were given.
    """
    if token_file is None:
        return token
    if token is not None:
        raise UsageError("`--token` and `--token-file` were both given.", hint="Give one of them.")
    try:
        text = Path(token_file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"`--token-file` {token_file} cannot be read: {getattr(error, 'strerror', error)}."
        ) from error
    if not text:
        raise UsageError(f"`--token-file` {token_file} is empty.")
    return text
