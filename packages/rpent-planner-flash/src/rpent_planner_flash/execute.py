"""Carries out goals: looks, acts, looks whether it came out, and tries otherwise when it did not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rpent_planner_flash import plan
from rpent_planner_flash.goals import Close, Goal, Open, Pick, Place, Push, Relation, Turn
from rpent_planner_flash.ground import Grounder, Match
from rpent_planner_flash.relations import View
from rpent_planner_flash.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_planner_flash.config import FlashConfig
    from rpent_planner_flash.goals import Reference
    from rpent_planner_flash.plan import ToolCall
    from rpent_planner_flash.scene import Candidate

SAME_M = 0.03
"""A thing that was not touched is found again within this distance."""


class Session(Protocol):
    """The part of `rpent.session.Session` that the executor uses."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool; answers with a `ToolReply`."""

    def begin_turn(self) -> int:
        """Count a turn."""

    def say(self, text: str) -> None:
        """Tell the user."""


class Over(Exception):  # noqa: N818  (not an error: the episode or a budget ended)
    """No further call is accepted."""


@dataclass(frozen=True, slots=True)
class Result:
    """Whether a goal was reached, and what to say about it."""

    ok: bool
    detail: str


class Executor:
    """Reaches goals one after the other through tool calls alone."""

    def __init__(self, session: Session, config: FlashConfig, *, resumed: bool = False) -> None:
        self.session = session
        self.config = config
        self.resumed = resumed
        """Things may be done already: say so only of what is seen."""
        self.scene = Scene(self, camera=config.camera)
        self.grounder = Grounder(self.scene, self._view)

    def reach(self, goal: Goal) -> Result:
        """Carry out one goal.

        Raises:
            Over: The session accepts no further call.
        """
        self.session.begin_turn()
        self.session.say(f"Goal: {goal}")
        if isinstance(goal, Place):
            return self._place(goal)
        if isinstance(goal, Pick):
            return self._pick(goal)
        if isinstance(goal, Push):
            return self._push(goal)
        return self._operate(goal)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool through the session.

        Raises:
            Over: The session ended.
        """
        reply = self.session.call(name, arguments)
        if reply.ended:
            raise Over
        return reply

    def act(self, call: ToolCall) -> Any:
        """Make a call that changes the world; what was seen before is forgotten."""
        reply = self.call(call.name, call.arguments)
        self.scene.changed()
        return reply

    def _place(self, goal: Place) -> Result:
        for _ in range(goal.item.count):
            result = self._place_one(goal)
            if not result.ok:
                return result
        return result

    def _place_one(self, goal: Place) -> Result:
        relation, detail, chosen = Relation(goal.relation), "", Chosen()
        for attempt in range(self.config.max_attempts):
            target = self._target(goal.target)
            if target is None:
                return Result(False, f"`{goal.target}` is nowhere to be seen.")
            things = self._items(goal, relation, target, chosen)
            if not things:
                done = self.resumed or attempt > 0
                return Result(
                    done, f"`{goal.item}` is {'where it should be' if done else 'nowhere to be seen'}."
                )
            thing = chosen.take(things, attempt)
            reply = self.act(plan.grasp(goal.item, thing, attempt))
            if not (reply.ok and reply.data.get("held")):
                detail = f"could not grasp `{goal.item}`: {_reason(reply)}"
                continue
            view = self.grounder.view if goal.target.noun == "compartment" else None
            reply = self.act(plan.place(goal, target, view))
            if reply.ok and self._came_out(goal, relation, target, chosen):
                return Result(True, f"`{goal.item}` is {goal.relation} `{goal.target}`.")
            detail = f"could not place `{goal.item}`: {_reason(reply)}"
        return Result(False, detail)

    def _items(self, goal: Place, relation: Relation, target: Candidate, chosen: Chosen) -> list[Match]:
        """Return the things that may be meant, without the target and without what is already in place."""
        matches = self.grounder.resolve(goal.item)
        matches = [m for m in matches if np.linalg.norm(m.candidate.position - target.position) > 1e-6]
        if goal.item.count > 1 or self.resumed:
            matches = [m for m in matches if not self.grounder.holds(relation, m.candidate, target)]
        return chosen.rank(matches)

    def _came_out(self, goal: Place, relation: Relation, target: Candidate, chosen: Chosen) -> bool:
        """Look whether the thing is where it should be; what is hidden is believed to be inside."""
        now = self.grounder.resolve(goal.item)
        moved = chosen.rank(now)
        if not moved or not chosen.gone(now):
            return not moved
        return any(self.grounder.holds(relation, match.candidate, target) for match in moved)

    def _target(self, reference: Reference) -> Candidate | None:
        matches = self.grounder.resolve(reference)
        return matches[0].candidate if matches else None

    def _pick(self, goal: Pick) -> Result:
        chosen, detail = Chosen(), f"`{goal.item}` is nowhere to be seen."
        for attempt in range(self.config.max_attempts):
            things = chosen.rank(self.grounder.resolve(goal.item))
            if not things:
                break
            reply = self.act(plan.grasp(goal.item, chosen.take(things, attempt), attempt))
            if reply.ok and reply.data.get("held"):
                return Result(True, f"`{goal.item}` is held.")
            detail = f"could not grasp `{goal.item}`: {_reason(reply)}"
        return Result(False, detail)

    def _push(self, goal: Push) -> Result:
        detail, relation = "", Relation(goal.relation)
        for _ in range(self.config.max_attempts):
            target, thing = self._target(goal.target), self._target(goal.item)
            if target is None or thing is None:
                return Result(
                    False, f"`{goal.item if thing is None else goal.target}` is nowhere to be seen."
                )
            if detail and self.grounder.holds(relation, thing, target):
                return Result(True, f"`{goal.item}` is {goal.relation} `{goal.target}`.")
            reply = self.act(plan.push(goal, thing, target, self.grounder.view))
            detail = f"pushed `{goal.item}`: {_reason(reply)}"
            if reply.ok:
                return Result(True, detail)
        return Result(False, detail)

    def _operate(self, goal: Open | Close | Turn) -> Result:
        detail = ""
        for _ in range(self.config.max_attempts):
            thing = self._target(goal.item)
            if thing is None:
                return Result(False, f"`{goal.item}` is nowhere to be seen.")
            reply = self.act(plan.operate(goal, thing))
            detail = f"{goal}: {_reason(reply)}"
            if reply.ok:
                return Result(True, detail)
        return Result(False, detail)

    def _view(self) -> View:
        arguments = {"camera": self.config.camera} if self.config.camera else {}
        reply = self.call("view_camera_meta", arguments)
        pose = _find(reply.data, "world_from_camera") if reply.ok else None
        return View() if pose is None else View.of_camera(np.asarray(pose, dtype=np.float64))


class Chosen:
    """Remembers which of several equals is being handled, over looks between which only that one moves."""

    def __init__(self) -> None:
        self.position: np.ndarray | None = None
        self.others: list[np.ndarray] = []

    def rank(self, matches: Sequence[Match]) -> list[Match]:
        """Return what may be the chosen thing: all at first, later only what is not one of the others."""
        return [m for m in matches if not any(_near(m.candidate, other) for other in self.others)]

    def take(self, matches: Sequence[Match], attempt: int) -> Candidate:
        """Choose: the best match, and once it failed twice, the next best if it fits about as well."""
        good = [m for m in matches if m.score > 0.3 * matches[0].score]
        taken = good[min(attempt // 2, len(good) - 1)].candidate
        self.position = taken.position
        if len(good) == 1:
            self.others += [m.candidate.position for m in matches if m.candidate is not taken]
        return taken

    def gone(self, matches: Sequence[Match]) -> bool:
        """Whether the chosen thing is no longer where it was taken from."""
        return self.position is None or not any(_near(m.candidate, self.position) for m in matches)


def _near(candidate: Candidate, position: np.ndarray) -> bool:
    return float(np.linalg.norm(candidate.position - position)) < SAME_M


def _reason(reply: Any) -> str:
    data: Mapping[str, Any] = reply.data
    return str(data.get("reason") or data.get("error") or data.get("message") or reply.ok)


def _find(data: Any, key: str) -> Any:
    """Return the first value of a key at any depth."""
    if isinstance(data, Mapping):
        if key in data:
            return data[key]
        found: Callable[[Any], Any] = lambda value: _find(value, key)  # noqa: E731
        return next((hit for hit in map(found, data.values()) if hit is not None), None)
    return None
