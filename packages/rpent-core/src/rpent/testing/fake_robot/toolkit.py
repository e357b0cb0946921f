"""The fake robot's tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from rpent.env.client import EnvClient
from rpent.policies.loop import PolicyLoop
from rpent.policies.tools import VlaTools
from rpent.testing.fake_robot.camera import NAME
from rpent.tools import Capture, Image, Toolkit, ToolResult, tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.env.types import Observation, Waypoint
    from rpent.robot import ToolContext


class FakeToolkit(VlaTools, Toolkit):
    """Moves, grips, looks, and lets a policy move."""

    empty_hand_m = 0.0

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self._env = EnvClient(context.channels["env"])
        self._last = self._env.observe()
        config = context.setup.service_configs["env"]
        self._episode = {"task": config["task"], "seed": config["seed"]}

    @tool
    def move_to(
        self,
        xyz: tuple[float, float, float],
        gripper: Literal["open", "close", "hold"] = "hold",
        max_steps: Annotated[int, Field(ge=1, le=1000)] = 200,
    ) -> ToolResult:
        """Move the grasp point in a straight line.

        Args:
            xyz: Target in the world frame, metres.
            gripper: What the fingers do meanwhile.
            max_steps: Control steps at most.
        """
        return self._servo({"position": list(xyz), "gripper": gripper}, max_steps)

    @tool
    def set_gripper(self, gripper: Literal["open", "close"]) -> ToolResult:
        """Open or close the fingers where they are.

        Args:
            gripper: `open` or `close`.
        """
        return self._servo({"gripper": gripper, "steps": 4}, 20)

    @tool(readonly=True)
    def look(self, size: Annotated[int, Field(ge=32, le=1024)] = 256) -> ToolResult:
        """Take a picture from above.

        Args:
            size: Width and height in pixels.
        """
        seen = self._env.observe([NAME], size=size)
        image = Image(name=NAME, caption=f"{NAME}, {size}x{size}", pixels=seen.images[NAME])
        return ToolResult(data={"camera": NAME, "size": size}, images=[image])

    @tool(readonly=True, needs="perceptor")
    def find(self, prompt: Annotated[str, Field(min_length=1)]) -> ToolResult:
        """Find things in the picture from above.

        Args:
            prompt: What to look for.
        """
        seen = self._env.observe([NAME], size=128)
        found = self.context.perceptor.segment(seen, NAME, prompt=prompt)
        return ToolResult(data={"found": [{"label": thing.label, "box": list(thing.box)} for thing in found]})

    @tool(readonly=True, needs="vla")
    def ask_policy(self) -> ToolResult:
        """Ask the learned policy; offered only where one is served."""
        return ToolResult(data=self.context.channels["vla"].call("describe"))

    def policy_loop(self) -> PolicyLoop:
        """Return the loop over the env server."""
        return PolicyLoop(self.context, self._env, note=self._note)

    def capture(self) -> Capture:
        """Observe with the picture, the depth and a snapshot."""
        self._last = seen = self._env.observe([NAME], size=256, depth=True)
        return Capture(
            state=_state(seen),
            images=[Image(name=NAME, caption=f"{NAME}, 256x256, now", pixels=seen.images[NAME])],
            depth=seen.depth,
            cameras={
                name: {"intrinsics": meta.intrinsics, "world_from_camera": meta.world_from_camera}
                for name, meta in seen.cameras.items()
            },
            snapshot=self._env.snapshot(),
        )

    def details(self) -> Mapping[str, Any]:
        """Return which initial state the seed selected."""
        return {"init_state": self._env.describe()["init_state"]}

    def benchmark_success(self) -> bool | None:
        """Return the env's own predicate, as last observed."""
        return self._last.success

    def env_steps(self) -> int:
        """Return the control steps, as last observed."""
        return self._last.step

    def episode_over(self) -> str | None:
        """Say that the episode is over."""
        if self._last.terminated:
            return "The episode is over: the task is done."
        return "The episode is over: its step limit is reached." if self._last.truncated else None

    def snapshot(self) -> bytes | None:
        """Return the exact state."""
        return self._env.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Come back to a snapshot."""
        self._last = self._env.restore(snapshot)

    def reset(self) -> None:
        """Begin the episode anew."""
        self._last = self._env.reset(**self._episode)

    def _note(self, seen: Observation) -> None:
        self._last = seen

    def _servo(self, target: Waypoint, max_steps: int) -> ToolResult:
        result = self._env.servo(
            [target],
            {"max_steps": max_steps},
            cancel=self.context.cancel(),
            on_progress=self.context.progress,
        )
        self._last = result.observation
        data = {"ok": result.status == "reached", "status": result.status, "steps": result.steps}
        return ToolResult(data=data)


def _state(seen: Observation) -> dict[str, Any]:
    return {
        "eef_position": seen.eef_position,
        "gripper_opening_m": seen.gripper_opening_m,
        "env_step": seen.step,
        "success": seen.success,
    }
