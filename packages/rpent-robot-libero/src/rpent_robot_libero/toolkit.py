"""LIBERO's toolkit: its tools over the env server, and what the session needs to know about the episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.env.client import EnvClient
from rpent.tools.result import Capture
from rpent.tools.toolkit import Toolkit
from rpent_manipulation.tools.contact import ContactTools
from rpent_manipulation.tools.look import LookTools, picture
from rpent_manipulation.tools.motion import MotionTools
from rpent_manipulation.world import World

from rpent_robot_libero.tools.policy import PolicyTools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.robot import ToolContext


class LiberoToolkit(MotionTools, LookTools, ContactTools, PolicyTools, Toolkit):
    """The Panda of LIBERO as a planner sees it."""

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self.world = World(context, EnvClient(context.channels["env"]))

    def capture(self) -> Capture:
        """Render the agentview picture with its depth and take an exact snapshot.

        The same picture serves the next `segment` call; nothing more is rendered than what is shown.
        """
        view = self.world.view("agentview")
        meta = view.calibration
        return Capture(
            state=self.world.summary(),
            images=[picture(view, f"after control step {view.observation.step}")],
            depth={"agentview": view.depth},
            cameras={
                "agentview": {
                    "width": meta.width,
                    "height": meta.height,
                    "intrinsics": meta.intrinsics.tolist(),
                    "world_from_camera": meta.world_from_camera.tolist(),
                }
            },
            snapshot=self.world.snapshot(),
        )

    def details(self) -> Mapping[str, Any]:
        """Return which episode it is, from the env server itself."""
        described = self.world.env.describe()
        keys = ("suite", "task", "task_name", "instruction", "seed", "init_state", "max_episode_steps")
        return {key: described[key] for key in keys if key in described}

    def benchmark_success(self) -> bool | None:
        """Return the benchmark's own verdict, latched over the episode."""
        return self.world.state.success

    def env_steps(self) -> int:
        """Return the control steps since the episode began."""
        return self.world.state.step

    def episode_over(self) -> str | None:
        """Say why no further action is accepted, or None."""
        state = self.world.state
        if state.terminated:
            return "The episode is over: the benchmark says that the task is solved. Call `finish`."
        if state.truncated:
            return "The episode is over: its step limit is reached. Call `finish`."
        return None

    def snapshot(self) -> bytes | None:
        """Return the exact state of the simulator, and what the hand holds."""
        return self.world.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Come back to a snapshot."""
        self.world.restore(snapshot)

    def reset(self) -> None:
        """Begin the episode anew: same task, same initial state."""
        episode = self.context.setup.service_configs["env"]
        self.world.begin(self.world.env.reset(task=episode["task"], seed=episode["seed"]))
