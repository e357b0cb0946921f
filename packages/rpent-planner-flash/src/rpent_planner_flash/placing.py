"""One pick-and-place: grasp, put, look whether it came out, and again in another way when it did not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rpent.suggest import sentence

from rpent_planner_flash import plan
from rpent_planner_flash.chosen import Chosen
from rpent_planner_flash.goals import Relation
from rpent_planner_flash.results import Result, unseen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_planner_flash.execute import Executor
    from rpent_planner_flash.goals import Place
    from rpent_planner_flash.ground import Match
    from rpent_planner_flash.scene import Candidate

SHOVED_M = 0.02
"""A target that is seen this far from where it was has been shoved; less is due to what now hides it."""
HANGS_M = 0.04
"""What is this far above the target after the hand let go has not come off the fingers."""


class Placing:
    """Brings one thing into the goal's relation to its target."""

    def __init__(self, executor: Executor, goal: Place) -> None:
        self._do = executor
        self._goal = goal
        self._relation = Relation(goal.relation)
        self._chosen = Chosen()
        self._let_go = False
        """The thing was put down at least once; where it cannot be seen, something hides it."""
        self._detail = f"`{goal.item}` is nowhere to be seen."

    def run(self) -> Result:
        """Try until it came out, the attempts are used up, or the episode is over."""
        for attempt in self._do.attempts():
            result = self._attempt(attempt)
            if result is not None:
                return result
        return Result(False, self._detail)

    def _attempt(self, attempt: int) -> Result | None:
        """Make one attempt; None when another one may help."""
        holds = self._do.holds(self._goal.item)
        target = self._do.best(self._goal.target, seek=holds)
        if target is None and not self._do.mobile:
            return unseen(self._goal.target)
        if not holds:
            things = self._things(target, recall=attempt == 0)
            placed = [m for m in things if target is not None and self._holds(m.candidate, target)]
            handled = (
                self._let_go if self._do.mobile else attempt > 0
            )  # a counter may be where it comes from, too
            trusted = handled or self._do.resumed or self._goal.item.count > 1
            if trusted and len(placed) >= self._goal.item.count:
                return self._done()
            if trusted:
                things = [m for m in things if m not in placed]
            things = self._chosen.among(things)
            if not things:
                return self._hidden() if self._let_go else unseen(self._goal.item)
            if not self._grasp(things, attempt):
                return None
            if self._do.mobile:  # the robot stands elsewhere now
                target = self._do.best(self._goal.target)
        return unseen(self._goal.target) if target is None else self._put(target)

    def _things(self, target: Candidate | None, *, recall: bool) -> list[Match]:
        """Return what may be meant; the target may bear the same name (`stack the bowl on the bowl`)."""
        matches = self._do.grounder.resolve(self._goal.item, recall=recall) or self._sought()
        if target is None:
            return matches
        return [m for m in matches if np.linalg.norm(m.candidate.position - target.position) > 1e-6]

    def _sought(self) -> list[Match]:
        """Go and look for the thing, unless it was let go: what is not seen then is hidden."""
        return [] if self._let_go else self._do.seeking.find(self._goal.item)

    def _grasp(self, things: Sequence[Match], attempt: int) -> bool:
        thing = self._chosen.take(things, attempt)
        done, reason = self._do.act(plan.grasp(self._goal.item, thing, self._chosen.tries))
        self._detail = sentence(f"Could not grasp `{self._goal.item}`: {reason}")
        self._do.scene.forget(self._goal.item)
        return done

    def _put(self, target: Candidate) -> Result | None:
        view = self._do.grounder.view if self._goal.target.noun == "compartment" else None
        call = plan.place(self._goal, target, view)
        done, reason = self._do.act(call)
        if done and not self._do.episode_over and self._hangs(target):
            self._do.act(plan.CLOSE_HAND)
            done, reason = self._do.act(call)
        self._let_go = self._let_go or done
        if done and self._do.mobile and not self._do.episode_over:
            self._do.act(plan.RETRACT)
        if self._do.episode_over:
            return None
        result = self._outcome(target) if done else None
        if result is None:
            self._detail = sentence(f"`{self._goal.item}` did not come to be {self._where}: {reason}")
        return result

    def _hangs(self, target: Candidate) -> bool:
        """Whether the thing has not come off the open fingers."""
        moved = self._moved()
        return bool(moved) and all(m.candidate.bottom > target.top + HANGS_M for m in moved)

    def _moved(self) -> list[Match]:
        """Return where the thing may be now, without its equals that were left alone."""
        found = self._chosen.among(self._do.grounder.resolve(self._goal.item))
        return [] if self._chosen.stayed(found) else found

    def _outcome(self, target: Candidate) -> Result | None:
        """Look whether the thing is where it should be; None when it is seen elsewhere."""
        if not self._chosen.among(self._do.grounder.resolve(self._goal.item)):
            return self._hidden()
        now = self._do.best(self._goal.target)
        if now is not None and np.linalg.norm(now.xy - target.xy) > SHOVED_M:
            target = now
        return self._done() if any(self._holds(m.candidate, target) for m in self._moved()) else None

    def _holds(self, thing: Candidate, target: Candidate) -> bool:
        return self._do.grounder.holds(self._relation, thing, target, self._chosen.longest_m)

    def _done(self) -> Result:
        return Result(True, f"`{self._goal.item}` is {self._where}.")

    def _hidden(self) -> Result:
        """What was let go and cannot be seen is believed to be inside, or under the hand."""
        return Result(True, f"`{self._goal.item}` was let go {self._where} and is hidden there.")

    @property
    def _where(self) -> str:
        return f"{self._goal.relation.replace('_', ' ')} `{self._goal.target}`"
