"""`rpent replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rpent.cli.again import again_options
from rpent.cli.params import output_dir_option, verbose_option


@click.command("replay")
@click.argument("run")
@click.option("--to-step", type=click.IntRange(min=0), help="Stop after this step of the recorded run.")
@click.option("--attempt", type=click.IntRange(min=1), help="Of an exploring run.  [default: the last one]")
@output_dir_option
@again_options(limits="none")
@verbose_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    run: str,
    to_step: int | None,
    attempt: int | None,
    output_dir: str,
    **_options: Any,
) -> int:
    """Carry out a run's recorded tool calls again, without its planner, in a new run directory.

    RUN is a run directory, a name in the output directory, or `latest`.
    """
    from rpent.cli.again import changes_of
    from rpent.run import replay
    from rpent.run.replay import UNLIMITED
    from rpent.runs.index import find_run

    run_dir = find_run(run, Path(output_dir))
    changes = changes_of(ctx, run_dir, UNLIMITED) | {"output_dir": Path(output_dir)}
    return int(replay(run_dir, to_step=to_step, attempt=attempt, **changes).exit_code)
