"""`rpent check planner`: options in two phases, as those of `rpent run`; the planner that was named brings its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rpent.cli.params import Limit, json_option, no_plugin_option, verbose_option
from rpent.cli.scouting import first_positional
from rpent.cli.sectioned import SECTIONS, SectionedCommand, sections_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.planners.trial import Trial

TIME_LIMIT_S = 120.0
MAX_RETRIES = 1
"""Unless the user gives another number: a check says what is wrong instead of waiting until it passes."""


class CheckPlannerCommand(SectionedCommand):
    """A command whose options depend on the planner that it tries."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the planner, add its options, then parse."""
        if (name := first_positional(self, ctx, args)) is not None:
            from rpent.cli.sections import flags_of, plugin_section

            taken = flags_of(self.params) | {"--help", "-h"}
            ctx.meta[SECTIONS] = [plugin_section("planners", name, taken=taken)]
        return super().parse_args(ctx, args)

    def more(self, ctx: click.Context) -> str:
        """Say that a planner brings options."""
        return "" if sections_of(ctx) else "A planner has options of its own: rpent check planner NAME --help"


@click.command("planner", cls=CheckPlannerCommand)
@click.argument("name")
@click.option(
    "--time-limit-s",
    type=Limit(float),
    default=TIME_LIMIT_S,
    show_default=True,
    help="Seconds of the session; a model on a slow machine may need more.",
)
@json_option
@no_plugin_option
@verbose_option
@click.pass_context
def command(
    ctx: click.Context, /, name: str, time_limit_s: float | None, as_json: bool, **_options: Any
) -> int:
    """Try a planner with one picture and one tool call: SDK, key, address, model, times, tokens and cost.

    NAME is an installed planner (`rpent plugins list --kind planners`); its own options come after it. The model
    is asked two or three times, which costs a little. Exit code 3 when something is wrong.
    """
    from dataclasses import replace

    from rpent.cli.request import values_of
    from rpent.config import build_config
    from rpent.errors import ExitCode, UsageError
    from rpent.planners.trial import LIMITS, run_trial
    from rpent.plugins import registry
    from rpent.plugins.named import load_named

    spec = registry.get("planners", name)
    if not spec.uses_model:
        raise UsageError(
            f"The planner `{name}` calls no language model; there is nothing to check.",
            hint="`rpent doctor` checks the installation.",
        )
    (section,) = sections_of(ctx)
    what = f"planner `{name}`"
    model = load_named(spec.config, what)
    retries = {"max_retries": MAX_RETRIES} if "max_retries" in model.model_fields else {}
    config = build_config(model, retries | values_of(section, ctx), what=what)
    planner = load_named(spec.planner, what)(config)
    limits = replace(LIMITS, time_limit_s=time_limit_s)
    trial = run_trial(planner, config, limits=limits)
    show = _print_json if as_json else _print
    show(ctx, trial, name)
    return ExitCode.SUCCESS if trial.ok else ExitCode.INFRASTRUCTURE


def software_of(name: str) -> dict[str, str]:
    """Return the planner's distribution and the SDKs that it asks for, with their installed versions."""
    from rpent.planners.sdk import installed_requirements
    from rpent.plugins import registry

    entry = registry.current().resolve("planners", name)
    return {entry.distribution: entry.version, **installed_requirements(entry.distribution)}


def _print(ctx: click.Context, trial: Trial, name: str) -> None:
    from rpent.printable import printable

    for title, text in rows(trial, name):
        click.echo(f"{title:<11} {printable(text)}")
    if trial.warning:
        click.echo(f"{click.style('Warning:', fg='yellow')} {trial.warning}")
    if trial.error:
        from rpent.cli.root import print_error
        from rpent.errors import RpentError

        print_error(RpentError(trial.error, hint=trial.hint or None), ctx.find_root().obj)
    else:
        click.echo(f"{click.style('ok', fg='green')}: the planner `{name}` can be used.")


def rows(trial: Trial, name: str) -> Iterator[tuple[str, str]]:
    """Yield what is known, as title and text."""
    yield "planner", f"{name} ({', '.join(f'{key} {value}' for key, value in software_of(name).items())})"
    yield "model", trial.model or "the planner's default"
    yield "endpoint", trial.endpoint or "the provider's own"
    if trial.check_s is not None:
        yield "checked in", f"{trial.check_s:g} s"
    if trial.first_call_s is not None:
        yield "first call", f"after {trial.first_call_s:g} s"
    if trial.total_s is not None:
        cost = "cost unknown" if trial.cost_usd is None else f"{trial.cost_usd:.4f} USD"
        yield "session", f"{trial.total_s:g} s, {trial.turns} turns"
        yield "usage", f"{trial.input_tokens:,} tokens in, {trial.output_tokens:,} out, {cost}"
    if trial.understood is not None:
        verdict = "understood" if trial.understood else "not understood"
        yield "picture", f"{verdict}: {trial.shown}, described as `{trial.summary[:120]}`"
    for notice in trial.notices:
        yield "notice", notice


def _print_json(_ctx: click.Context, trial: Trial, name: str) -> None:
    import json

    click.echo(
        json.dumps({"schema": 1, "planner": name, "software": software_of(name), **trial.to_json()}, indent=2)
    )
