"""Learned policies as tools: offered only where a policy is served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rpent.errors import ToolError
from rpent.policies.tools import Chunks, Closed, Lift, Prompt, VlaTools
from rpent.tools.result import ToolResult  # noqa: TC002  (schemas are made from annotations)
from rpent.tools.tool import tool
from rpent_manipulation.panda import gripper
from rpent_manipulation.primitives.seized import seized

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.policies.grip import Grip
    from rpent_manipulation.world import World


class PolicyTools(VlaTools):
    """`vla_pick` and `vla_do`, also under the names that LIBERO's users know: `pi0_pick`, `pi0_doubled`."""

    world: World
    empty_hand_m: ClassVar[float] = gripper.HELD_OPENING

    def about_to_pick(self) -> None:
        """Refuse while the hand holds something."""
        if self.world.held is not None:
            raise ToolError(f"The hand holds `{self.world.held.label}`; `place` or `release` it first.")

    def picked_up(self, prompt: str, grip: Grip) -> Mapping[str, Any]:
        """Look at what the hand holds, so that `place` can put it down."""
        self.world.held = seized(self.world, prompt, grip.lifted_m)
        return {"target": self.world.held.label}

    @tool(needs="vla")
    def pi0_pick(
        self,
        prompt: Prompt,
        max_chunks: Chunks = 24,
        lift_threshold_m: Lift = 0.05,
        gripper_closed_threshold: Closed = 0.06,
    ) -> ToolResult:
        """Do what `vla_pick` does: another name of the same tool.

        Args:
            prompt: What to do, worded as the policy was trained.
            max_chunks: Chunks of actions that it gets.
            lift_threshold_m: How far the hand must have risen since the fingers closed on something.
            gripper_closed_threshold: Fingers at least this far apart, metres, count as open.
        """
        return self.vla_pick(prompt, max_chunks, lift_threshold_m, gripper_closed_threshold)

    @tool(needs="vla")
    def pi0_doubled(self, prompt: Prompt, max_chunks: Chunks = 20) -> ToolResult:
        """Do what `vla_do` does: another name of the same tool.

        Args:
            prompt: What to do, worded as the policy was trained.
            max_chunks: Chunks of actions that it gets.
        """
        return self.vla_do(prompt, max_chunks)
