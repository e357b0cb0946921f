"""Learned policies as tools that a planner may call again: for any robot's toolkit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from rpent.policies.grip import Grip
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.env.types import Observation
    from rpent.policies.loop import LoopResult, PolicyLoop

Prompt = Annotated[str, Field(min_length=1, max_length=300)]
Chunks = Annotated[int, Field(ge=1, le=200)]
Lift = Annotated[float, Field(ge=0.01, le=0.3)]
Closed = Annotated[float, Field(gt=0, le=0.2)]

OPEN_M = 0.06
"""Fingers at least this far apart count as open, where nobody says otherwise."""
CARRIED_M = 0.03
"""What was lifted this far by a skill is being carried, and is not a handle or a knob."""


class VlaTools:
    """`vla_pick` and `vla_do`, offered where a policy is served.

    A toolkit that mixes them in gives its loop and what its hand is like::

        class MyToolkit(VlaTools, Toolkit):
            empty_hand_m = 0.003

            def policy_loop(self):
                return PolicyLoop(self.context, self.env, note=self.note)
    """

    empty_hand_m: ClassVar[float]
    """Fingers that closed on nothing are at most this far apart, metres."""

    def policy_loop(self) -> PolicyLoop:
        """Return the loop over the robot's env server."""
        raise NotImplementedError

    def about_to_pick(self) -> None:
        """Raise `ToolError` where nothing can be picked up now."""

    def picked_up(self, prompt: str, grip: Grip) -> Mapping[str, Any]:  # noqa: ARG002
        """Note what is in the hand now, so that other tools know; returns what the planner is told besides."""
        return {}

    @tool(needs="vla")
    def vla_pick(
        self,
        prompt: Prompt,
        max_chunks: Chunks = 24,
        lift_threshold_m: Lift = 0.05,
        gripper_closed_threshold: Closed = OPEN_M,
    ) -> ToolResult:
        """Let the learned policy pick something up. It may be called again after a failure.

        Args:
            prompt: What to do, worded as the policy was trained: `pick up the alphabet soup`.
            max_chunks: Chunks of actions that it gets.
            lift_threshold_m: How far the hand must have risen since the fingers closed on something.
            gripper_closed_threshold: Fingers at least this far apart, metres, count as open.

        Returns:
            `held`: whether the fingers hold something that was lifted; `reason` when not; `stopped`: `done`, `chunks`,
            `stalled`, `workspace`, `episode_over` or `cancelled`.
        """
        self.about_to_pick()
        grip: Grip | None = None

        def picked(observation: Observation) -> bool:
            nonlocal grip
            if grip is None:
                grip = Grip(observation, empty_m=self.empty_hand_m, closed_m=gripper_closed_threshold)
                return False
            grip.follow(observation)
            return grip.holds(lift_threshold_m)

        result = self.policy_loop().run(prompt, max_chunks, picked)
        assert grip is not None
        held, solved = grip.holds(lift_threshold_m), result.observation.success
        reason = "" if held or solved else "; ".join(filter(None, (grip.why_not(), result.reason)))
        told = self.picked_up(prompt, grip) if held else {}
        data = {"ok": held or solved, "held": held, "reason": reason, "lifted_m": round(grip.lifted_m, 4)}
        return ToolResult(data=data | _told(result) | dict(told))

    @tool(needs="vla")
    def vla_do(self, prompt: Prompt, max_chunks: Chunks = 20) -> ToolResult:
        """Let the learned policy carry out any skill (open, close, turn on, put somewhere). It may be called again.

        Nothing but the benchmark's verdict and the picture tells whether it worked: look.

        Args:
            prompt: What to do, worded as the policy was trained: `turn on the stove`.
            max_chunks: Chunks of actions that it gets; it does not stop by itself before.

        Returns:
            `task_success`; `stopped`: `done`, `chunks`, `stalled`, `workspace`, `episode_over` or `cancelled`.
        """
        grip: Grip | None = None

        def finished(observation: Observation) -> bool:
            nonlocal grip
            grip = grip or Grip(observation, empty_m=self.empty_hand_m, closed_m=OPEN_M)
            grip.follow(observation)
            return observation.success

        result = self.policy_loop().run(prompt, max_chunks, finished)
        told = self.picked_up(prompt, grip) if grip is not None and grip.holds(CARRIED_M) else {}
        return ToolResult(data={"reason": result.reason, **_told(result), **told})


def _told(result: LoopResult) -> dict[str, Any]:
    """Return what the planner is told of any run of a policy."""
    told = {
        "stopped": result.stopped,
        "chunks": result.chunks,
        "steps": result.steps,
        "gripper_opening_m": round(result.observation.gripper_opening_m, 4),
        "task_success": result.observation.success,
    }
    return told if result.history == "none" else told | {"history": result.history}
