"""Learned policies as tools: offered only where a policy is served."""

from __future__ import annotations

from rpent.policies.tools import Chunks, Closed, Lift, Prompt  # noqa: TC002  (schemas are made from annotations)
from rpent.tools.result import ToolResult  # noqa: TC002
from rpent.tools.tool import tool
from rpent_manipulation.tools import policy


class PolicyTools(policy.PolicyTools):
    """`vla_pick` and `vla_do`, also under the names that LIBERO's users know: `pi0_pick`, `pi0_doubled`."""

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
