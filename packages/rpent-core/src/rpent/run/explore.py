"""`explore`: sessions one after the other, each a run of its own; what one learned the next ones see."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rpent.cancel import CancelToken
from rpent.errors import ExitCode, UsageError
from rpent.run.execute import execute
from rpent.run.harvest import UNFINISHED
from rpent.run.resolve import resolve
from rpent.runs.directory import create_group
from rpent.services.shared import SharedServices

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent.run.request import RunRequest
    from rpent.run.resolve import Registry
    from rpent.runs.events import Event
    from rpent.runs.outcome import Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Exploration:
    """The outcomes of the sessions that were run, in order."""

    outcomes: tuple[Outcome, ...]
    folder: Path | None = None
    """What holds the run directories, where there was more than one session to be."""
    interrupted: bool = False
    """The user ended it, maybe just after a session had ended by itself."""

    @property
    def exit_code(self) -> ExitCode:
        """That of what stopped the exploration; else 0 when any attempt of any session succeeded."""
        if self.interrupted:
            return ExitCode.INTERRUPTED
        last = self.outcomes[-1]
        if last.reason in UNFINISHED:
            return last.exit_code
        solved = any(outcome.benchmark_success for outcome in self.outcomes)
        return ExitCode.SUCCESS if solved else ExitCode.TASK_FAILED

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        runs = [{"run_dir": str(one.run_dir), "outcome": one.to_json()} for one in self.outcomes]
        return {"folder": str(self.folder) if self.folder else None, "sessions": runs}

    def lines(self) -> list[str]:
        """Return the summary: one line a session."""
        said = {True: "success", False: "not solved", None: "no verdict"}
        return [
            f"session {number}: {said[outcome.benchmark_success]} ({outcome.reason})  {outcome.run_dir}"
            for number, outcome in enumerate(self.outcomes, start=1)
        ]


def explore(
    request: RunRequest,
    *,
    registry: Registry | None = None,
    cancel: CancelToken | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Exploration:
    """Run the sessions of an exploring request; an interrupt or a failed infrastructure ends them all.

    Args:
        request: What to run; its `explore` says how many sessions and attempts.
        registry: As in `execute`.
        cancel: As in `execute`.
        on_event: As in `execute`.

    Raises:
        UsageError: The request does not explore, or a value of it is not accepted.
        PluginError: A plugin that it names cannot be used.
        ModelError: The planner's SDK, key or model server cannot be used.
        RunDirectoryError: The output directory cannot be written.
    """
    plan = request.explore
    if plan is None:
        raise UsageError("The request does not explore.", hint="Give it an `Explore`, or use `execute`.")
    folder = None
    if plan.sessions > 1:
        folder = create_group(request.output_dir, resolve(request, registry).setup.tag)
        request = replace(request, output_dir=folder)
    stop = cancel or CancelToken()
    outcomes: list[Outcome] = []
    try:
        with SharedServices(request.output_dir / "logs") if folder else nullcontext() as shared:
            for _ in range(plan.sessions):
                outcomes.append(
                    execute(request, registry=registry, cancel=stop, on_event=on_event, shared=shared)
                )
                if stop.cancelled or outcomes[-1].reason in UNFINISHED:
                    break
    finally:
        if folder is not None and not outcomes:
            with suppress(OSError):  # refused before anything began: no empty folder stays
                folder.rmdir()
    return Exploration(outcomes=tuple(outcomes), folder=folder, interrupted=stop.cancelled)
