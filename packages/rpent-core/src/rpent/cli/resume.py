"""`rpent resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rpent.cli.again import again_options
from rpent.cli.interactive import interactive_option, steered
from rpent.cli.params import output_dir_option, verbose_option


@click.command("resume")
@click.argument("run")
@output_dir_option
@again_options(limits="as recorded")
@interactive_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, run: str, output_dir: str, **_options: Any) -> int:
    """Go on with a run that was killed, interrupted, or ended by a limit or a failure.

    RUN is a run directory, a name in the output directory, or `latest`. The simulator is put back to the last
    recorded step, the planner gets the conversation so far, and the same run directory is continued.
    """
    from rpent.cli.again import changes_of
    from rpent.run import resume
    from rpent.runs.index import find_run

    run_dir = find_run(run, Path(output_dir))
    with steered(ctx.params) as steering:
        return int(resume(run_dir, steering=steering, **changes_of(ctx, run_dir)).exit_code)
