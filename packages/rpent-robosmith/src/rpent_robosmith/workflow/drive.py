"""One process of a run: the graph, with its records kept, and an ending for whatever happens."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import ExitCode, RpentError, clause

from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.graph import NodeFailedError, execute

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent_robosmith.workflow.run_state import Keeper
    from rpent_robosmith.workflow.state import NodeName, RunState
    from rpent_robosmith.workflow.workshop import Listener, Stage, Workshop


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How a process of a run ended."""

    state: RunState
    exit_code: ExitCode
    status: str
    """As in `run_state.json`."""
    error: RpentError | None = None


class Deadline:
    """Seconds left of the run's wall clock, over all of its processes."""

    def __init__(self, minutes: float | None, used_s: float = 0.0) -> None:
        self._end = None if minutes is None else time.monotonic() + minutes * 60 - used_s

    def __call__(self) -> float | None:
        """Return what is left, never below 0; None without a limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())


class Records:
    """Saves the state after each node, and keeps `run_state.json` up to date."""

    def __init__(self, folder: Path, keeper: Keeper, listener: Listener) -> None:
        self._folder, self._keeper, self._listener = folder, keeper, listener

    def entering(self, state: RunState, node: NodeName) -> None:
        """Say which node is at work."""
        self._keeper.working(state, node)
        self._listener.say(f"{node} (iteration {state.iteration} of {state.task.iterations})")

    def left(self, state: RunState) -> None:
        """Save."""
        checkpoint.save(self._folder, state)


def fresh(state: RunState) -> RunState:
    """Return the state that a resumed run begins with: a failed node is tried again."""
    return state.model_copy(update={"status": "running", "detail": ""})


def drive(state: RunState, stages: Mapping[str, Stage], workshop: Workshop, keeper: Keeper) -> Ending:
    """Work on a run until it ends, fails or is interrupted; the caller holds its lock.

    Raises:
        RunDirectoryError: The records cannot be written.
        Exception: A bug; the record says that the run failed.
    """
    records = Records(workshop.folder, keeper, workshop.listener)
    try:
        checkpoint.ensure(workshop.folder, state)
        ended = execute(state, stages, workshop, records)
    except NodeFailedError as error:
        return _failed(error, stages, workshop, keeper)
    except KeyboardInterrupt:
        keeper.ended("interrupted", detail="The user interrupted the run.", hint=_resume(state))
        left = checkpoint.load(workshop.folder).state
        return Ending(state=left, exit_code=ExitCode.INTERRUPTED, status="interrupted")
    except Exception as error:
        keeper.ended("failed", detail=clause(error, named=True), hint=_resume(state))
        raise
    status, accepted = ("succeeded", True) if ended.status == "succeeded" else ("failed", False)
    keeper.ended("succeeded" if accepted else "failed", detail=ended.detail, accepted=accepted, node=None)
    code = ExitCode.SUCCESS if accepted else ExitCode.TASK_FAILED
    return Ending(state=ended, exit_code=code, status=status)


def _failed(
    error: NodeFailedError, stages: Mapping[str, Stage], workshop: Workshop, keeper: Keeper
) -> Ending:
    """Deliver what there is; the state still points to the failed node."""
    state = error.state
    if state.next_node != "delivery":
        state = _salvaged(state, stages["delivery"], workshop)
    keeper.ended("failed", detail=state.detail, hint=error.hint or _resume(state), accepted=False)
    return Ending(state=state, exit_code=error.exit_code, status="failed", error=error.cause)


def _salvaged(state: RunState, delivery: Stage, workshop: Workshop) -> RunState:
    try:
        delivered = delivery(state, workshop)
    except (RpentError, KeyboardInterrupt) as error:
        workshop.listener.say(f"What there is could not be delivered: {clause(error)}.")
        return state
    kept = delivered.model_copy(
        update={
            "next_node": state.next_node,
            "status": state.status,
            "detail": state.detail,
            "history": state.history,
        }
    )
    checkpoint.save(workshop.folder, kept)
    return kept


def _resume(state: RunState) -> str:
    return f"`rpent smith resume {state.run_id}` goes on with it."
