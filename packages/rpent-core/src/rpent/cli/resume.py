"""`rpent resume`: options in two phases, as those of `rpent run`; the planner of the named run brings some."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rpent.cli.again import again_options
from rpent.cli.interactive import interactive_option, steered
from rpent.cli.params import PluginChoice, output_dir_option, verbose_option
from rpent.cli.scouting import scouted
from rpent.cli.sectioned import SECTIONS, SectionedCommand, sections_of
from rpent.errors import RpentError, UsageError

if TYPE_CHECKING:
    from rpent.cli.sections import Section


class ResumeCommand(SectionedCommand):
    """A command whose options depend on the planner that goes on."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the run and its planner, add the planner's options, then parse."""
        run, typed = scouted(self, ctx, args)
        if run is not None:
            try:
                run_dir = Path(typed.get("output_dir") or "runs")
                ctx.meta[SECTIONS] = [planner_section(self, run, run_dir, typed.get("planner"))]
            except RpentError:
                if not ctx.resilient_parsing:  # shell completion goes on with what core offers
                    raise
        rest = super().parse_args(ctx, args)
        if ctx.params["run"] != run and not ctx.resilient_parsing:  # the value of an option was taken for it
            raise UsageError(f"RUN comes before the planner's options: rpent resume {ctx.params['run']} …")
        return rest

    def more(self, ctx: click.Context) -> str:
        """Say that the run's planner brings options."""
        return "" if sections_of(ctx) else "The planner of a run adds options: rpent resume RUN --help"


def planner_section(command: click.Command, run: str, output_dir: Path, planner: str | None) -> Section:
    """Return the options of the planner that goes on, named as those of `rpent run` with the same robot."""
    from rpent.cli.options import as_recorded
    from rpent.cli.run import command as run_command
    from rpent.cli.sections import sections
    from rpent.runs.directory import RunDirectory
    from rpent.runs.index import find_run
    from rpent.runs.processes import last_request, planners_of

    try:
        manifest = RunDirectory(find_run(run, output_dir)).read_manifest()
    except UsageError as error:
        hint = f"{error.hint or ''} RUN comes before the planner's options.".lstrip()
        raise UsageError(error.message, hint=hint) from error
    recorded = last_request(manifest)
    choice = {
        "robot": recorded["robot"],
        "planner": planner or recorded["planner"],
        "policy": None,
        "perceptor": None,
    }
    found = sections(choice, core=[*run_command.params, *command.params])
    section = next(section for section in found if section.kind == "planners")
    if section.name == recorded["planner"]:
        as_recorded(section.options, planners_of(manifest)[-1]["config"])
    return section


@click.command("resume", cls=ResumeCommand)
@click.argument("run")
@click.option(
    "--planner",
    type=PluginChoice("planners"),
    metavar="NAME",
    help="What decides the tool calls from here on.  [default: as recorded]",
)
@output_dir_option
@again_options(limits="as recorded")
@interactive_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, run: str, output_dir: str, **_options: Any) -> int:
    """Go on with a run that was killed, interrupted, or ended by a limit or a failure.

    RUN is a run directory, a name in the output directory, or `latest`. The simulator is put back to the last
    recorded step, the planner gets the conversation so far, and the same run directory is continued.

    Options of the planner come after RUN, such as `--model`; what is left out stays as in the run's last process.
    Another `--planner` starts from its own defaults.
    """
    from rpent.cli.again import changes_of
    from rpent.run import resume
    from rpent.runs.index import find_run

    run_dir = find_run(run, Path(output_dir))
    changes = changes_of(ctx, run_dir) | planner_changes(ctx, run_dir)
    with steered(ctx.params) as steering:
        return int(resume(run_dir, steering=steering, **changes).exit_code)


def planner_changes(ctx: click.Context, run_dir: Path) -> dict[str, Any]:
    """Return what the options change in the recorded planner; its model has accepted the result.

    Raises:
        UsageError: The model does not accept it.
    """
    from rpent.cli.request import check_values, given_values
    from rpent.run.changes import request_to_resume
    from rpent.runs.directory import RunDirectory

    (section,) = sections_of(ctx)
    changes = {"planner": section.name, "planner_config": given_values(section, ctx)}
    request = request_to_resume(RunDirectory(run_dir).read_manifest(), **changes)
    check_values(section, dict(request.planner_config))
    return changes
