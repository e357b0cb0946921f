"""`rpent smith resume`."""

from __future__ import annotations

from typing import Any

import click
from rpent.cli.params import json_option, verbose_option

from rpent_robosmith.cli.settings import runs_dir_option, settings_of

_BUDGETS = {
    "minutes": "minutes",
    "training_minutes": "training_minutes",
    "model_tokens": "model_tokens",
    "model_cost": "model_cost_usd",
}
"""Option → field of the budget."""
_MOST = 525_600.0
"""Minutes of a year; nobody means more of anything here, and infinity least of all."""


@click.command("resume")
@click.argument("run")
@runs_dir_option
@click.option(
    "--minutes", type=click.FloatRange(0, _MOST, min_open=True), help="Another wall clock for the whole run."
)
@click.option(
    "--training-minutes",
    type=click.FloatRange(0, _MOST, min_open=True),
    help="Another wall clock for each training.",
)
@click.option(
    "--model-tokens", type=click.IntRange(min=1), help="Another number of tokens that the run may spend."
)
@click.option(
    "--model-cost",
    type=click.FloatRange(0, _MOST, min_open=True),
    metavar="USD",
    help="Another sum that the run may spend.",
)
@click.option(
    "--iterations",
    type=click.IntRange(1, 20),
    help="Another number of iterations; a run that ended without an accepted policy goes on too.",
)
@click.option("--base-url", metavar="URL", help="Where the model's server is now.")
@click.option("--quiet", is_flag=True, help="Show the result only.")
@json_option
@verbose_option
@click.pass_context
def command(
    ctx: click.Context, /, run: str, quiet: bool, as_json: bool, base_url: str | None, **options: Any
) -> int:
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
    changes = {name: options[option] for option, name in _BUDGETS.items() if options[option] is not None}
    shown = terminal(quiet=quiet or as_json)
    with Interrupts():
        ending = resume(
            folder,
            lambda folder, keeper: RunListener(shown, folder, keeper),
            changes=changes,
            iterations=options["iterations"],
            base_url=base_url,
        )
    shown.close()
    return show_ending(folder, ending, as_json=as_json)
