"""Options of the commands that run a recorded run again: where its services are, and its limits."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rpent.cli.params import Limit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent.session.limits import Limits

F = TypeVar("F", bound="Callable[..., Any]")
SERVICES = ("env", "vla", "perception")
PYTHONS = {"policy": "vla", "perception": "perception"}
"""Whose interpreter an option says → the service."""
_LIMITS: dict[str, tuple[type[int] | type[float], str]] = {
    "max_turns": (int, "Turns of the planner, earlier ones included."),
    "max_tool_calls": (int, "Tool calls, earlier ones included."),
    "token_limit": (int, "Tokens of the language model, in and out, over the whole run."),
    "max_env_steps": (int, "Control steps of the robot."),
    "time_limit_s": (float, "Seconds of the session, earlier processes included."),
    "cost_limit_usd": (float, "What the language model may cost."),
}


def again_options(*, limits: str) -> Callable[[F], F]:
    """Add the options for services, limits and progress.

    Args:
        limits: What the help says of a limit that is left out.
    """
    options = [
        *(
            click.option(f"--{name}-endpoint", help=f"Attach to a running {name} server.")
            for name in SERVICES
        ),
        click.option("--token", envvar="RPENT_TOKEN", help="Token of attached servers."),
        click.option("--token-file", type=click.Path(dir_okay=False), help="File with that token."),
        click.option("--env-python", metavar="PATH", help="Interpreter for the robot's services."),
        *(
            click.option(f"--{name}-python", metavar="PATH", help=f"Interpreter of the {name} server.")
            for name in PYTHONS
        ),
        *(
            click.option(
                f"--{name.replace('_', '-')}", type=Limit(number), help=f"{text}  [default: {limits}]"
            )
            for name, (number, text) in _LIMITS.items()
        ),
        click.option("--quiet", "-q", is_flag=True, help="Print the result only."),
        click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines."),
    ]

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def changes_of(ctx: click.Context, run_dir: Path, limits: Limits | None = None) -> dict[str, Any]:
    """Return what the options change in the recorded request.

    Args:
        ctx: The command's context.
        run_dir: The recorded run.
        limits: What holds where no option says otherwise; the recorded ones when None.
    """
    from click.core import ParameterSource

    from rpent.cli.request import progress_style, read_token
    from rpent.run.manifest import request_from_json
    from rpent.runs.directory import RunDirectory

    options = ctx.params
    recorded = request_from_json(RunDirectory(run_dir).read_manifest()["request"])
    given = {
        name: options[name]
        for name in _LIMITS
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    limits = limits or recorded.limits
    changes: dict[str, Any] = {
        "limits": {field.name: getattr(limits, field.name) for field in fields(limits)} | given,
        "token": read_token(options["token"], options["token_file"]),
        "progress": progress_style({"progress": "auto", **options}),
    }
    endpoints = {name: options[f"{name}_endpoint"] for name in SERVICES if options[f"{name}_endpoint"]}
    if endpoints:
        changes["endpoints"] = {**recorded.endpoints, **endpoints}
    if "vla" in endpoints:
        changes["policy"] = None  # somebody else serves one now
    pythons = {service: options[f"{name}_python"] for name, service in PYTHONS.items()}
    if any(pythons.values()):
        changes["pythons"] = {**recorded.pythons, **{name: path for name, path in pythons.items() if path}}
    if options["env_python"]:
        changes["env_python"] = options["env_python"]
    return changes
