"""The attempts of an exploring run, as its events tell of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from rpent.runs.events import AttemptEnded, AttemptStarted, RunResumed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rpent.runs.events import Event
    from rpent.runs.outcome import PlannerStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One attempt, from a reset to the next one or to the session's end."""

    attempt: int
    """From 1."""
    benchmark_success: bool | None = None
    """What the benchmark said when it was over."""
    status: PlannerStatus | None = None
    """What the planner claimed."""
    lesson: str = ""
    env_steps: int = 0
    over: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        values = asdict(self)
        del values["over"]
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Attempt:
        """Read what `to_json` wrote."""
        return cls(**{name: values[name] for name in cls.__dataclass_fields__ if name in values})


def attempts_from_events(events: Iterable[Event], *, resumed: bool = False) -> list[Attempt]:
    """Derive the attempts. One that was over when the process ended goes on after a resume.

    Args:
        events: The run's events.
        resumed: The run is about to be resumed.
    """
    attempts: list[Attempt] = []
    for event in events:
        if isinstance(event, AttemptStarted):
            attempts.append(Attempt(attempt=event.attempt, over=False))
        elif isinstance(event, AttemptEnded) and attempts:
            attempts[-1] = Attempt(
                attempt=event.attempt,
                benchmark_success=event.benchmark_success,
                status=event.status,
                lesson=event.lesson,
                env_steps=event.env_steps,
            )
        elif isinstance(event, RunResumed) and attempts:
            attempts[-1] = replace(attempts[-1], over=False)
    if resumed and attempts:
        attempts[-1] = replace(attempts[-1], over=False)
    return attempts


def attempt_line(attempt: Attempt | AttemptEnded) -> str:
    """Return how an attempt went, in one line."""
    says = {True: "success", False: "not solved", None: "no verdict"}[attempt.benchmark_success]
    claim = attempt.status or "no claim"
    return f"attempt {attempt.attempt}: {says} (planner: {claim}, {attempt.env_steps} env steps)"


def verdict(attempts: Sequence[Attempt]) -> bool | None:
    """Return what the benchmark says of all together: one success is enough."""
    says = {attempt.benchmark_success for attempt in attempts}
    return True if True in says else False if False in says else None
