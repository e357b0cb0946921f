"""Learned policies as tools of a robot with a Panda hand: what they have picked up can be put down by other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rpent.policies.loop import PolicyLoop, new_episode
from rpent.policies.tools import VlaTools

from rpent_manipulation.panda import gripper
from rpent_manipulation.primitives.seized import seized

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.policies.grip import Grip
    from rpent.robot import ToolContext

    from rpent_manipulation.world import World


class PolicyTools(VlaTools):
    """`vla_pick` and `vla_do`, offered where a policy is served."""

    context: ToolContext
    world: World
    empty_hand_m: ClassVar[float] = gripper.HELD_OPENING

    _episode: str | None = None

    def policy_loop(self) -> PolicyLoop:
        """Return the loop over the env server; all of a toolkit have one memory in the policy server, begun anew."""
        self._episode = self._episode or new_episode(self.context)
        return PolicyLoop(self.context, self.world.env, note=self.world.note, episode=self._episode)

    def about_to_pick(self) -> None:
        """Refuse while the hand holds something."""
        self.world.check_hand_free()

    def picked_up(self, prompt: str, grip: Grip) -> Mapping[str, Any]:
        """Look at what the hand holds, so that `place` can put it down."""
        self.world.held = seized(self.world, prompt, grip.lifted_m)
        return {"target": self.world.held.label}
