"""`rpent smith runs show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, verbose_option

from rpent_robosmith.cli.settings import runs_dir_option, settings_of

if TYPE_CHECKING:
    from rpent_robosmith.workflow.runs import RunSummary
    from rpent_robosmith.workflow.state import RunState


@click.command("show")
@click.argument("run")
@runs_dir_option
@click.option("--reward", is_flag=True, help="Print the delivered reward function only.")
@click.option("--log", is_flag=True, help="Print the run's log only.")
@json_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, run: str, reward: bool, log: bool, as_json: bool, **_: Any) -> None:
    """Show how a run went and what it delivered.

    RUN is its id, or the beginning of it.
    """
    from pathlib import Path

    from rpent.errors import UsageError

    from rpent_robosmith.workflow.runs import find_run

    if reward + log + as_json > 1:
        raise UsageError(
            "`--reward`, `--log` and `--json` are three things to print.", hint="Give one of them."
        )
    folder = find_run(run, Path(settings_of(ctx, only=("runs_dir",)).config.runs_dir))
    if reward or log:
        _print_file(folder / ("reward_function.py" if reward else "run.log"))
        return
    from rpent_robosmith.workflow import checkpoint
    from rpent_robosmith.workflow.runs import summary

    loaded = checkpoint.load(folder)
    if loaded.warning:
        click.echo(loaded.warning, err=True)
    if as_json:
        import json

        document = {"version": 1, "run": summary(folder).to_json(), "state": loaded.state.plain()}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    for line in lines(summary(folder), loaded.state):
        click.echo(line)


def _print_file(path: Any) -> None:
    from rpent.errors import RunDirectoryError
    from rpent.printable import printable

    if not path.is_file():
        raise RunDirectoryError(f"The run has no `{path.name}` yet.")
    click.echo(printable(path.read_text(encoding="utf-8", errors="replace")), nl=False)


def lines(run: RunSummary, state: RunState) -> list[str]:
    """Return a run as lines for people."""
    from rpent.printable import printable

    from rpent_robosmith.delivery.chosen import verdict_of

    record, verdict, task = run.record, verdict_of(state), state.task
    rows = [
        ("run", run.run_id),
        ("task", task.sentence),
        ("status", f"{run.status}. {record.detail if record else run.problem}".rstrip(". ") + "."),
        ("environment", state.entry.id if state.entry else "–"),
        ("criteria", ", ".join(map(str, task.criteria)) + f"; margin {task.margin:g}; seed {task.seed}"),
    ]
    if record is not None:
        rows.append(
            ("time", f"{record.created.isoformat()}, {record.seconds:.0f} s of work, pid {record.pid}")
        )
        rows += [("caveat", caveat) for caveat in record.caveats]
    rows += _iterations(state)
    if verdict is not None:
        rows += [("verdict", reason) for reason in verdict.reasons]
    if state.next_node is not None:
        rows.append(
            ("next", f"{state.next_node} of iteration {state.iteration}: rpent smith resume {state.run_id}")
        )
    rows += [("file", str(run.path / name)) for name in state.files]
    return [f"{name:<12} {printable(value)}" for name, value in rows]


def _iterations(state: RunState) -> list[tuple[str, str]]:
    rows = []
    for one in state.trainings:
        verdict = state.verdicts[one.iteration - 1] if one.iteration <= len(state.verdicts) else None
        rate = (
            f"success rate {verdict.trained.metrics.get('success_rate', float('nan')):.3g}"
            if verdict
            else "not evaluated"
        )
        decision = state.decisions[one.iteration - 1].kind if one.iteration <= len(state.decisions) else "…"
        what = f"{one.algorithm}, {one.steps:,} steps, {one.status.replace('_', ' ')}, {rate} → {decision}"
        rows.append((f"iteration {one.iteration}", what))
    return rows
