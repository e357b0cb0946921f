"""How a run ended: the last lines on the terminal, or one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.workflow.drive import Ending

_COLOURS = {"succeeded": "green", "failed": "red", "interrupted": "yellow"}


def show_ending(folder: Path, ending: Ending, *, as_json: bool) -> int:
    """Print how a run ended; returns the exit code."""
    if as_json:
        import json

        click.echo(json.dumps(document(folder, ending), indent=2, ensure_ascii=False))
    else:
        for line in lines(folder, ending):
            click.echo(line)
    return int(ending.exit_code)


def document(folder: Path, ending: Ending) -> dict[str, Any]:
    """Return the result as plain data."""
    state, verdict = ending.state, best_verdict(ending)
    error = ending.error
    return {
        "version": 1,
        "run_id": state.run_id,
        "folder": str(folder),
        "status": ending.status,
        "accepted": ending.status == "succeeded",
        "exit_code": int(ending.exit_code),
        "detail": state.detail,
        "error": None if error is None else {"message": error.message, "hint": error.hint},
        "environment": state.entry.id if state.entry else None,
        "algorithm": state.algorithm,
        "iteration": state.iteration,
        "best_iteration": state.best_iteration,
        "metrics": verdict.trained.plain()["metrics"] if verdict else {},
        "criteria": verdict.criteria if verdict else {},
        "safety": verdict.safety if verdict else {},
        "usage": state.usage.plain(),
        "files": state.files,
    }


def lines(folder: Path, ending: Ending) -> list[str]:
    """Return the last lines of a run."""
    from rpent.printable import printable
    from rpent.suggest import typeable

    state, verdict = ending.state, best_verdict(ending)
    shown = [
        f"status:  {click.style(ending.status, fg=_COLOURS.get(ending.status))} {printable(state.detail)}".rstrip()
    ]
    if verdict is not None:
        shown += [f"         {printable(reason)}" for reason in verdict.reasons]
    if ending.error is not None and ending.error.hint:
        shown.append(f"hint:    {printable(typeable(ending.error.hint))}")
    if state.next_node is not None:
        shown.append(f"resume:  rpent smith resume {state.run_id}")
    shown.append(f"run:     {folder}")
    if state.files:
        shown.append(f"files:   {', '.join(state.files)}")
    return shown


def best_verdict(ending: Ending) -> Any:
    """Return the verdict on the delivered policy, or None."""
    from rpent_robosmith.delivery.chosen import verdict_of

    return verdict_of(ending.state)
