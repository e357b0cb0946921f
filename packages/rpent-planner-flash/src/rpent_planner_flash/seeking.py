"""A mobile robot looks for what it does not see: through its other cameras, all around, and from nearby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_planner_flash.parts import is_control, whole
from rpent_planner_flash.plan import ToolCall, approach

if TYPE_CHECKING:
    from rpent_planner_flash.execute import Executor
    from rpent_planner_flash.goals import Reference
    from rpent_planner_flash.ground import Match

TURNS = (0.9, -1.8, -0.9, -0.9, -0.9)
"""Turns on the spot one after the other, radians: first to both sides, then all around."""


class Seeking:
    """Finds things by going on looking; what was not found once is not looked for all around again.

    Args:
        executor: What looks and drives.
    """

    def __init__(self, executor: Executor) -> None:
        self._do = executor
        self._given_up: set[str] = set()

    def find(self, reference: Reference) -> list[Match]:
        """Return the candidates for a reference, best first; empty when looking everywhere does not find it."""
        found = self.here(reference)
        if found or not self._do.mobile or str(reference) in self._given_up:
            return found
        if is_control(reference) and reference.owner is not None:
            owner = self.find(whole(reference))
            found = self._from_nearby(reference, owner[0]) if owner else []
        else:
            found = self._all_around(reference)
        if not found:
            self._given_up.add(str(reference))
        return found

    def here(self, reference: Reference) -> list[Match]:
        """Look with all cameras from where the robot stands."""
        grounder = self._do.grounder
        matches = grounder.resolve(reference)
        if not matches and self._do.scene.look_further(reference):
            matches = grounder.resolve(reference)
        return matches

    def _all_around(self, reference: Reference) -> list[Match]:
        for angle in TURNS:
            if "turn_base" not in self._do.tools or self._do.episode_over:
                break
            self._do.act(ToolCall("turn_base", {"angle_rad": angle}))
            if found := self.here(reference):
                return found
        return []

    def _from_nearby(self, reference: Reference, owner: Match) -> list[Match]:
        """Drive to what a part belongs to, and look there."""
        self._do.act(approach(whole(reference), owner.candidate))
        return self.here(reference)
