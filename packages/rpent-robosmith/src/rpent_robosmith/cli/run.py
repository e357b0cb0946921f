"""`rpent smith run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, verbose_option

from rpent_robosmith.cli.settings import setting_options, settings_of

if TYPE_CHECKING:
    from rpent_robosmith.config import Effective


@click.command("run")
@click.argument("sentence")
@setting_options
@click.option(
    "--dry-run", is_flag=True, help="Resolve everything and print the plan; nothing is trained or written."
)
@click.option("--quiet", is_flag=True, help="Show the result only.")
@json_option
@verbose_option
@click.pass_context
def command(
    ctx: click.Context, /, sentence: str, dry_run: bool, quiet: bool, as_json: bool, **_settings: Any
) -> int:
    """Train a policy from a sentence: choose an environment, find a reward, train, evaluate, deliver.

    \b
    rpent smith run "swing the pendulum up and keep it upright"
    rpent smith run "balance the pole" --environment cartpole --criterion "success_rate>=0.9" --seed 1

    Exit codes: 0 the delivered policy is accepted, 1 the run ended and none is, 2 usage, 3 something failed, 130
    interrupted. A run that was interrupted or failed goes on with `rpent smith resume`.
    """  # noqa: D301  (click's mark for lines that stay as they are)
    settings = settings_of(ctx)
    if dry_run:
        return _plan(sentence, settings, as_json=as_json)
    return _run(sentence, settings, quiet=quiet or as_json, as_json=as_json)


def _run(sentence: str, settings: Effective, *, quiet: bool, as_json: bool) -> int:
    from rpent.run.signals import Interrupts

    from rpent_robosmith.assembly import begin
    from rpent_robosmith.cli.ending import show_ending
    from rpent_robosmith.cli.listening import RunListener, terminal

    shown = terminal(quiet=quiet)
    with Interrupts():
        folder, ending = begin(sentence, settings, lambda folder, keeper: RunListener(shown, folder, keeper))
    shown.close()
    return show_ending(folder, ending, as_json=as_json)


def _plan(sentence: str, settings: Effective, *, as_json: bool) -> int:
    import json

    from rpent_robosmith.planning import lines_of, plan_of

    plan = plan_of(sentence, settings)
    if as_json:
        click.echo(json.dumps({"version": 1, **plan}, indent=2, ensure_ascii=False))
    else:
        for line in lines_of(plan):
            click.echo(line)
    return 0
