"""A learned policy of the whole robot as a tool: offered only where a policy is served."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field
from rpent.policies.grip import Grip
from rpent.policies.tools import CARRIED_M, OPEN_M, Prompt
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool
from rpent_manipulation.geometry import wrap_angle
from rpent_manipulation.panda import gripper
from rpent_manipulation.tools import policy

if TYPE_CHECKING:
    from rpent.env.types import Observation
    from rpent.policies.loop import LoopResult, Memory, PolicyLoop, StopReason

SkillChunks = Annotated[int, Field(ge=1, le=500)]

STATUS: dict[StopReason, str] = {
    "done": "success",
    "stalled": "settled",
    "chunks": "cap",
    "episode_over": "episode_over",
    "workspace": "workspace",
    "cancelled": "cancelled",
}
"""Why the policy was stopped, in the words that users of RLDX know."""


class PolicyTools(policy.PolicyTools):
    """`rldx_skill`, `vla_pick` and `vla_do`."""

    _skill: Memory | None = None
    """What the policy remembers of the last `rldx_skill`, until anything asks it again."""

    def policy_loop(self) -> PolicyLoop:
        """Return the loop over the env server; whoever asks for it changes what the policy remembers."""
        self._skill = None
        return super().policy_loop()

    @tool(needs="vla")
    def rldx_skill(self, prompt: Prompt, max_chunks: SkillChunks = 70) -> ToolResult:
        """Let the learned policy drive the whole robot, base and arm, until the task succeeds or nothing moves.

        Called again at once with the same prompt it goes on where it stopped; once another tool has moved the robot, it
        starts afresh.

        Args:
            prompt: What to do, worded as the task is (`Open the left drawer.`); that is what the policy was trained on.
            max_chunks: Chunks of actions that it gets, each a fraction of a second.

        Returns:
            `status`: `success` (the benchmark's verdict), `settled` (hand and fingers stood still), `cap` (chunks used
            up), `workspace`, `episode_over` or `cancelled`; `reason`; `chunks`, `steps_applied`; `holding`, by the
            fingers' own sensors; `gripper_opening_m`; `base_drift_m` and `base_turn_rad`, how the base has moved.
        """
        memory, loop = self._skill, self.policy_loop()
        start: Observation | None = None
        grip: Grip | None = None

        def finished(observation: Observation) -> bool:
            nonlocal start, grip
            start = start or observation
            grip = grip or Grip(observation, empty_m=self.empty_hand_m, closed_m=OPEN_M)
            grip.follow(observation)
            return observation.success

        result = loop.run(prompt, max_chunks, finished, memory=memory, resumable=True)
        self._skill = result.memory
        assert start is not None
        assert grip is not None
        carries = _holds(result.observation) and grip.holds(CARRIED_M)
        told = self.picked_up(prompt, grip) if carries and self.world.held is None else {}
        return ToolResult(data=_skill_data(start, result) | dict(told))


def _skill_data(start: Observation, result: LoopResult) -> dict[str, Any]:
    """Return what the planner is told."""
    end = result.observation
    moved = np.subtract(end.extra["base_position"], start.extra["base_position"])[:2]
    turned = wrap_angle(float(end.extra["base_yaw_rad"]) - float(start.extra["base_yaw_rad"]))
    status = "success" if end.success else STATUS[result.stopped]
    data = {
        "status": status,
        "reason": "" if end.success else result.reason,
        "chunks": result.chunks,
        "steps_applied": result.steps,
        "holding": _holds(end),
        "gripper_opening_m": round(end.gripper_opening_m, 4),
        "base_drift_m": round(math.hypot(*moved), 4),
        "base_turn_rad": round(turned, 4),
        "task_success": end.success,
    }
    return data if result.history == "none" else data | {"history": result.history}


def _holds(observation: Observation) -> bool:
    """Whether both pads touch something and are held apart by it."""
    touched = observation.extra.get("finger_contacts", {})
    both = bool(touched.get("left")) and bool(touched.get("right"))
    return both and gripper.holds(observation.gripper_opening_m)
