"""What toolkits of robots with an arm have in common besides tools: what is captured, and how the episode stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.tools.result import Capture
from rpent.tools.toolkit import Toolkit

from rpent_manipulation.tools.look import picture

if TYPE_CHECKING:
    from rpent_manipulation.world import World


class ArmToolkit(Toolkit):
    """A toolkit over a `World`. A robot's own class derives from the tool classes that fit it, and from this last."""

    world: World
    """Set by the robot's `__init__`."""

    def capture(self) -> Capture:
        """Render the main camera's picture with its depth and take an exact snapshot.

        The same picture serves the next `segment` call; nothing more is rendered than what is shown.
        """
        view = self.world.view()
        meta = view.calibration
        return Capture(
            state=self.world.summary(),
            images=[picture(view, f"after control step {view.observation.step}")],
            depth={view.camera: view.depth},
            cameras={
                view.camera: {
                    "width": meta.width,
                    "height": meta.height,
                    "intrinsics": meta.intrinsics.tolist(),
                    "world_from_camera": meta.world_from_camera.tolist(),
                }
            },
            snapshot=self.world.snapshot(),
        )

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
