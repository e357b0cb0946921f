"""Small frames for the episode's video, kept until the agent fetches them, also while the motion goes on."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_FRAMES = 240
"""Frames kept at most; at 256 by 256 that is 47 MB. When full, every second one goes and the spacing
doubles."""


class Draws(Protocol):
    """What draws a scene: `rpent_manipulation.mujoco.renderer.Renderer`, or another simulator's."""

    def picture(self, camera: str, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the upright (H, W, 3) uint8 picture."""

    def picture_and_depth(
        self, camera: str, size: tuple[int, int]
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return the picture and the (H, W) float32 depth in metres along the camera's z axis."""

    def calibration(self, camera: str, size: tuple[int, int]) -> dict[str, Any]:
        """Return the camera's meta data for pictures of `size`; see `rpent.env.CameraMeta`."""


class Recording:
    """Takes a picture every `every` control steps: under software rendering it costs as much as ten steps.

    The simulator's thread renders; any thread may fetch.
    """

    def __init__(self, renderer: Draws, *, camera: str, size: int, every: int) -> None:
        self.renderer = renderer
        self.camera, self.size, self.every = camera, size, every
        self._lock = threading.Lock()
        self._frames: list[NDArray[np.uint8]] = []
        self._steps: list[int] = []

    def capture(self, step: int) -> None:
        """Take a frame now."""
        picture = self.renderer.picture(self.camera, (self.size, self.size))
        with self._lock:
            if len(self._frames) >= MAX_FRAMES:
                self._frames, self._steps = self._frames[::2], self._steps[::2]
                self.every *= 2
            self._frames.append(picture)
            self._steps.append(step)

    def after_step(self, step: int) -> None:
        """Take a frame when it is due."""
        if step % self.every == 0:
            self.capture(step)

    def drain(self) -> dict[str, Any]:
        """Return and forget the frames: (N, S, S, 3) uint8 and the control step of each."""
        with self._lock:
            frames, steps, every = self._frames, self._steps, self.every
            self._frames, self._steps = [], []
        shape = (0, self.size, self.size, 3)
        return {
            "camera": self.camera,
            "every": every,
            "steps": steps,
            "frames": np.stack(frames) if frames else np.zeros(shape, np.uint8),
        }
