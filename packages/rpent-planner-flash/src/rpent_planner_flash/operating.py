"""Operates a thing where it stands: a way that fits what is seen, its outcome, and another way when it failed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.suggest import sentence

from rpent_planner_flash.parts import head
from rpent_planner_flash.plan import RETRACT, ToolCall, named
from rpent_planner_flash.results import Result, unseen
from rpent_planner_flash.ways import ways

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent_planner_flash.execute import Executor
    from rpent_planner_flash.goals import Operation
    from rpent_planner_flash.ground import Match
    from rpent_planner_flash.scene import Candidate
    from rpent_planner_flash.ways import Way

TRIES_EACH = 3
"""Attempts at one part in one way before the next has its turn."""
SAME_M = 0.6
"""A drawer or door that was moved a part of its way has its middle within this distance of where it was."""
LEAVES = ("left door", "right door")
"""What `the doors` of a thing are, where it has two."""


class Operating:
    """Reaches one goal of operating a thing, with the tools of a kitchen.

    Args:
        executor: What looks and acts.
        goal: What is to be done.
        last: Nothing is asked for afterwards: where the episode does not end, it was not enough.
    """

    def __init__(self, executor: Executor, goal: Operation, *, last: bool) -> None:
        self._do = executor
        self._goal = goal
        self._last = last
        self._detail = ""
        self._done = False
        """A tool said at least once that it did what it was asked."""
        self._came_off = False
        """The last one said so."""
        self._place: NDArray[np.float64] | None = None
        """Where the thing was that was chosen: the robot has driven since, and left is not left any more."""

    def run(self) -> Result:
        """Try until it came out, or nothing is left to try."""
        possible = ways(self._goal, self._do.tools)
        found = [way for way in possible if self._do.seeking.here(way.part)]
        found = found or [way for way in possible if self._do.seeking.find(way.part)]
        if not found:
            return unseen(self._goal.item)
        tries = dict.fromkeys(range(len(found)), 0)
        number = 0
        for _ in self._do.attempts():
            result = self._attempt(found[number], tries[number])
            if result is not None:
                return result
            tries[number] += 1
            if self._came_off or tries[number] % TRIES_EACH == 0:  # it was not enough, or it does not work
                number = (number + 1) % len(found)
        return Result(self._done and not self._last, self._detail)

    def _attempt(self, way: Way, tries: int) -> Result | None:
        self._came_off = False
        matches = self._do.seeking.find(way.part)
        if not matches:
            self._detail = unseen(way.part).detail
            return None
        done, reason = self._do.act(self._call(way, self._chosen(matches), tries))
        self._detail = sentence(f"{self._goal} with `{way.tool}`: {reason}")
        self._came_off = done
        self._done = self._done or done
        if self._do.accomplished:
            return Result(True, self._detail)
        if done and self._last and "retract" in self._do.tools:
            self._do.act(RETRACT)  # benchmarks may ask that the hand is away
        settled = self._do.accomplished or (done and not self._last)
        return Result(True, self._detail) if settled else None

    def _chosen(self, matches: Sequence[Match]) -> Candidate:
        """Return the best candidate at first, and later the one that is where that was."""
        if self._place is not None:
            place = self._place
            again = min(
                (m.candidate for m in matches), key=lambda c: float(np.linalg.norm(c.position - place))
            )
            if np.linalg.norm(again.position - place) < SAME_M:
                return again
        self._place = matches[0].candidate.position
        return matches[0].candidate

    def _call(self, way: Way, thing: Candidate, tries: int) -> ToolCall:
        arguments: dict[str, Any] = {**named(way.part, thing), **way.arguments}
        standing = self._do.standing()
        if way.side is not None and standing is not None:
            sideways = standing.view.right * (1.0 if way.side == "right" else -1.0)
            arguments["direction"] = [*map(float, sideways), 0.0]
        if "attempt" in self._do.parameters(way.tool):
            arguments["attempt"] = tries
        return ToolCall(way.tool, arguments)


def leaves(executor: Executor, goal: Operation) -> Sequence[Operation]:
    """Return a goal for each leaf of double doors that are seen; the goal itself for anything else."""
    if head(goal.item) != "doors":
        return [goal]
    parts = [replace(goal.item, noun=name) for name in LEAVES]
    seen = [part for part in parts if any(part.noun in c.label for c in _exactly(executor, part))]
    return [replace(goal, item=part) for part in seen] or [goal]


def _exactly(executor: Executor, part: Any) -> Sequence[Candidate]:
    return [match.candidate for match in executor.grounder.resolve(part)]
