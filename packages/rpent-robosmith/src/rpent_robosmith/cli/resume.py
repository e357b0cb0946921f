"""`rpent smith resume`."""

from __future__ import annotations

from typing import Any

import click
from rpent.cli.params import json_option, verbose_option

from rpent_robosmith.cli.settings import runs_dir_option, settings_of


@click.command("resume")
@click.argument("run")
@runs_dir_option
@click.option(
    "--minutes", type=click.FloatRange(min=0, min_open=True), help="Another wall clock for the whole run."
)
@click.option(
    "--training-minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="Another wall clock for each training.",
)
@click.option("--quiet", is_flag=True, help="Show the result only.")
@json_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, run: str, quiet: bool, as_json: bool, **options: Any) -> int:
    """Go on with a run that was interrupted or failed, from the node that it had reached.

    RUN is its id, or the beginning of it. Everything else is as it was started; a training goes on from its own
    checkpoint.
    """
    from pathlib import Path

    from rpent.run.signals import Interrupts

    from rpent_robosmith.assembly import resume
    from rpent_robosmith.cli.ending import show_ending
    from rpent_robosmith.cli.listening import RunListener, terminal
    from rpent_robosmith.workflow.runs import find_run

    folder = find_run(run, Path(settings_of(ctx, only=("runs_dir",)).config.runs_dir))
    changes = {name: options[name] for name in ("minutes", "training_minutes") if options[name] is not None}
    shown = terminal(quiet=quiet or as_json)
    with Interrupts():
        ending = resume(folder, lambda folder, keeper: RunListener(shown, folder, keeper), changes=changes)
    shown.close()
    return show_ending(folder, ending, as_json=as_json)
