"""`resume`: go on with a run that was killed, interrupted, or stopped by a budget or a failure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.cancel import CancelToken
from rpent.errors import RunDirectoryError, UsageError
from rpent.planners.driving import check_planner
from rpent.run.changes import request_to_resume
from rpent.run.episode import Episode, Surroundings
from rpent.run.lock import RunLock
from rpent.run.progress import progress_for
from rpent.run.resolve import resolve
from rpent.run.signals import Interrupts
from rpent.runs import events as ev
from rpent.runs.attempts import attempts_from_events
from rpent.runs.directory import RunDirectory
from rpent.runs.recorder import Recorder
from rpent.runs.steps import read_snapshot
from rpent.runs.transcript import entry_of
from rpent.session.attempts import NAME as NEXT_ATTEMPT
from rpent.session.bounded import bounded_json
from rpent.session.finish import NAME as FINISH
from rpent.session.limits import Budget, Limits
from rpent.session.usage import ZERO, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent.robot import Prompts
    from rpent.run.resolve import Registry
    from rpent.run.steering import Steering
    from rpent.runs.attempts import Attempt
    from rpent.runs.events import Event
    from rpent.runs.outcome import Outcome
    from rpent.runs.processes import PlannerChange
    from rpent.services.shared import SharedServices
    from rpent.tools.toolkit import Toolkit

_UNFINISHED = "The run was interrupted before this call ended; the world is as it was after step {step}."


def resume(
    run_dir: Path,
    *,
    registry: Registry | None = None,
    cancel: CancelToken | None = None,
    on_event: Callable[[Event], None] | None = None,
    steering: Steering | None = None,
    shared: SharedServices | None = None,
    **changes: Any,
) -> Outcome:
    """Restore a run's last step and conversation, and go on.

    Args:
        run_dir: The run directory; the same one is continued.
        registry: As in `execute`.
        cancel: As in `execute`.
        on_event: As in `execute`.
        steering: As in `execute`.
        shared: As in `execute`.
        **changes: Fields of the request to replace (`limits`, `endpoints`, `token`, `env_python`,
            `progress`, `planner`). `planner_config` is merged over what the last process used; another
            `planner` starts from its own defaults.

    Raises:
        RunDirectoryError: It is not a run directory, its run is still going on, or its events are lost.
        UsageError: The run has finished, or the planner does not accept its options.
        ModelError: The planner's SDK, key or model server cannot be used.
    """
    directory = RunDirectory(Path(run_dir).absolute())
    manifest = directory.read_manifest()
    with Interrupts() as interrupts, RunLock(directory.path):
        _check_unfinished(manifest, directory)
        _check_events(directory)
        request = request_to_resume(manifest, **changes)
        with progress_for(request.progress) as progress:
            resolved = resolve(request, registry)
            check_planner(resolved.planner, request.limits)
            recorder = Recorder(directory, record_video=request.record_video, live=request.live)
            recorder.listen(progress.on_event)
            if on_event is not None:
                recorder.listen(on_event)
            if steering is not None:
                recorder.listen(steering.on_event)
            manifest |= {"outcome": None}
            surroundings = Surroundings(
                interrupts=interrupts, cancel=cancel or CancelToken(), steering=steering, shared=shared
            )
            point = ResumePoint.of(recorder)
            outcome = Episode(resolved, recorder, manifest, surroundings, point).run()
            progress.finish(outcome)
            return outcome


def _check_unfinished(manifest: dict[str, Any], directory: RunDirectory) -> None:
    outcome = manifest.get("outcome")
    if outcome and outcome["reason"] == "finished":
        claim = outcome["planner_status"] or "no claim"
        raise UsageError(
            f"The run `{directory.path.name}` has finished (planner: {claim}).",
            hint=f"`rpent show {directory.path}` prints it; `rpent replay` carries its recipe out again.",
        )


def _check_events(directory: RunDirectory) -> None:
    """Refuse a directory with steps but without the events that say how the run came to them."""
    events = directory.events
    if any(directory.steps.glob("[0-9]*")) and not (events.is_file() and events.stat().st_size):
        raise RunDirectoryError(
            f"`events.jsonl` of the run `{directory.path.name}` is missing; without it the run cannot go on.",
            hint="Put it back, or start a run anew.",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ResumePoint:
    """Where an earlier process stopped."""

    step: int
    """The last complete step, or -1."""
    events: Sequence[Event]

    @classmethod
    def of(cls, recorder: Recorder) -> ResumePoint:
        """Close the calls that never returned, and note where the run stands."""
        step = recorder.last_step
        for call in _open_calls(recorder.history):
            returned = _closed(call, recorder.history, step)
            recorder.history.append(recorder.event(returned))
        return cls(step=step, events=tuple(recorder.history))

    def as_agreed(self, prompts: Prompts) -> Prompts:
        """Return the prompts with the task as the planner was given it; a user may have edited it."""
        told = [event.user for event in self.events if isinstance(event, ev.PromptsRendered)]
        return replace(prompts, user=told[-1]) if told else prompts

    @property
    def transcript(self) -> list[dict[str, Any]]:
        """What the planner already knows."""
        return [entry for event in self.events if (entry := entry_of(event)) is not None]

    @property
    def calls(self) -> int:
        """How many calls that change the world were carried out, over all attempts."""
        returned = [event for event in self.events if isinstance(event, ev.ToolReturned)]
        return sum(event.recipe or (event.name == NEXT_ATTEMPT and event.ok) for event in returned)

    @property
    def attempts(self) -> list[Attempt]:
        """The attempts so far, where the run explores; the last one goes on."""
        return attempts_from_events(self.events, resumed=True)

    def budget(self, limits: Limits) -> Budget:
        """Return the budget with what was spent before."""
        usage, turns, calls = ZERO, 0, 0
        for event in self.events:
            if isinstance(event, ev.UsageReported):
                fields = {name: getattr(event, name) for name in Usage.__dataclass_fields__}
                usage = usage + Usage(**fields)
            turns += isinstance(event, ev.TurnStarted)
            calls += isinstance(event, ev.ToolReturned) and event.name != FINISH
        return Budget(
            limits=limits,
            turns=turns,
            tool_calls=calls,
            usage=usage,
            elapsed_before_s=_elapsed_s(self.events),
        )

    def restore(self, toolkit: Toolkit, recorder: Recorder, change: PlannerChange) -> None:
        """Bring the world back to the last step; without any, the episode begins anew."""
        if self.step >= 0:
            toolkit.restore(read_snapshot(recorder.directory, self.step))
        resumed = ev.RunResumed(step=self.step, planner=change.planner, options=dict(change.options))
        recorder.event(resumed)


def _closed(call: ev.ToolCalled, history: Sequence[Event], step: int) -> ev.ToolReturned:
    """Say how a call ended that the process did not outlive: without effect, unless a new attempt had begun."""
    begun = [e for e in history if isinstance(e, ev.AttemptStarted) and e.seq > call.seq]
    if begun and call.name == NEXT_ATTEMPT:
        data: dict[str, Any] = {"attempt": begun[-1].attempt, "step": step}
    else:
        data = {"error": _UNFINISHED.format(step=step)}
    return ev.ToolReturned(
        call_id=call.call_id,
        name=call.name,
        ok="error" not in data,
        data=data,
        text=bounded_json(data),
        cancelled="error" in data,
        origin=call.origin,
    )


def _open_calls(events: Sequence[Event]) -> list[ev.ToolCalled]:
    calls = {event.call_id: event for event in events if isinstance(event, ev.ToolCalled)}
    for event in events:
        if isinstance(event, ev.ToolReturned):
            calls.pop(event.call_id, None)
    return list(calls.values())


def _elapsed_s(events: Sequence[Event]) -> float:
    """Sum the sessions of earlier processes: from the stage's start to the last event of that process.

    What a session waited for its user does not count. Calls that were closed by a later process took no time.
    """
    total, started, last, waiting = 0.0, None, 0.0, False
    for event in events:
        if isinstance(event, ev.ToolReturned) and event.elapsed_s == 0.0:
            continue
        if waiting and started is not None:
            started += event.time - last
        if not isinstance(event, (ev.ServiceState, ev.Notice)):  # these come of themselves
            waiting = isinstance(event, ev.AwaitingUser)
        if isinstance(event, ev.StageChanged) and event.stage == "session" and event.status == "started":
            total += last - started if started is not None else 0.0
            started = event.time
        elif isinstance(event, (ev.RunResumed, ev.RunEnded)) and started is not None:
            total, started = total + last - started, None
        last = event.time
    return total + (last - started if started is not None else 0.0)
