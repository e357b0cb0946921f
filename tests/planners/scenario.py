"""The form of a scenario, and the words to write one in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rpent.run import Limits
from rpent.testing.models import Call, Reply, Request

Events = list[tuple[Any, ...]]

LOOK_ARGUMENTS = {"size": 64}
LOOK = Call("look", LOOK_ARGUMENTS)
FAR = {"xyz": [0.25, 0.25, 0.3]}
MOVE = Call("move_to", FAR)
DONE = {"status": "failure", "summary": "Enough."}
FINISH = Call("finish", DONE)
SLOW = {"step_time_s": 0.05}


@dataclass(frozen=True)
class Scenario:
    """A script, what happens meanwhile, and what is expected of every planner alike."""

    id: str
    script: Sequence[Reply]
    events: Events
    """What `normalised` gives: the turns, what is said, calls and how they went, and the end."""
    reason: str = "finished"
    status: str | None = "failure"
    exit_code: int = 1
    limits: Limits = field(default_factory=Limits)
    tight_s: bool = False
    """Whether the time limit is as short as the planner's start allows."""
    robot: dict[str, Any] = field(default_factory=dict)
    owned_env: bool = False
    """Whether the env server is a process of the run's own, which can die and be brought back."""
    act: Callable[[Any, Any], None] | None = None
    """Called with the drive and every event."""
    speak_at: int | None = None
    """The reply during whose stream the user says "Look before you move."."""
    interrupt: bool = False
    """Whether they interrupt it."""
    aborted: int = 0
    """How many replies are not heard to their end, so that their usage may not be known."""
    retries: int = 0
    """How many notices say that a request is tried again."""
    notices: tuple[str, ...] = ()
    """Words of other notices, each in one of them."""
    detail: str = ""
    """Words of the outcome's sentence."""
    replies: int | None = None
    """How many replies were asked for, where it is not the script's number."""
    last: Callable[[Request], object] = lambda request: None
    """Looks at the last request."""
    unlike: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Where an SDK leaves a planner no choice: other values of these fields, by case."""

    def of(self, case: str) -> Scenario:
        """Return what is expected of one planner."""
        return replace(self, **self.unlike.get(case, {}))


def turn(number: int, *calls: tuple[Any, ...], text: str | None = None) -> Events:
    """Return a turn's events: what is said, and each call with its end."""
    said = [("text", number, text)] if text else []
    return [("turn", number), *said, *(event for call in calls for event in made(number, *call))]


def made(number: int, name: str, arguments: Any = None, how: str = "ok", error: str | None = None) -> Events:
    """Return the two events of a call."""
    return [("called", number, name, arguments or {}), ("returned", name, how, error)]


def finished(number: int, status: str = "failure", **said: Any) -> Events:
    """Return the events of a last turn that calls `finish`."""
    return [
        *turn(number, **said),
        ("called", number, "finish", {**DONE, "status": status}),
        ("ended", "finished", status),
        ("returned", "finish", "ok", None),
    ]


def ended(reason: str) -> tuple[Any, ...]:
    """Return the end of a session that the planner did not finish."""
    return ("ended", reason, None)


def nudged(number: int, text: str) -> Events:
    """Return a turn without a call, and the reminder after it."""
    return [*turn(number, text=text), ("user", "nudge", None, False)]


def hears(*texts: str) -> Callable[[Request], None]:
    """Return a look at the last request: the model has been told these things."""

    def look(request: Request) -> None:
        for text in texts:
            assert text in request.text, f"the model did not hear: {text}"

    return look


LOOKED = ("look", LOOK_ARGUMENTS)
SPOKEN = [("user", "user", "Look before you move.", True)]
STOPPED = [("turn", 1), ("called", 1, "move_to", FAR), *SPOKEN, ("returned", "move_to", "cancelled", None)]
"""A motion that the user stops."""
