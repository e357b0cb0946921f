"""Pictures of an episode: frames that freeze while the robot moves, black ones, missing ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rpent.errors import RpentError

from rpent_robosmith.diagnose.motion import runs
from rpent_robosmith.diagnose.records import CameraSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from rpent_robosmith.datasets.api import CameraColumn

UNCHANGED = 0.25
"""Mean absolute difference of two frames, of 255, below which they are the same picture; video coding makes some."""
MOST = 12
"""Largest difference of a pixel of the same picture: where something moves, edges differ by more."""
DARK = 3.0
"""Brightest value, of 255, of a frame that is black all over."""
THINNED = 2
"""Every so many rows and columns are compared."""


@dataclass(slots=True)
class CameraTally:
    """One camera, episode after episode."""

    name: str
    declared: CameraColumn
    freeze_steps: int
    """So many frozen frames in a row are a freeze."""
    episodes: int = 0
    frames: int = 0
    missing: int = 0
    frozen_episodes: int = 0
    longest: int = 0
    dark: int = 0
    other_size: int = 0
    problem: str = ""

    def look(
        self,
        frames: Callable[[], Iterator[NDArray[np.uint8]]],
        length: int,
        moved: Callable[[int, int], bool],
    ) -> int:
        """Look at an episode's frames, one at a time.

        Args:
            frames: Decodes them.
            length: Steps of the episode.
            moved: Whether the robot moves visibly from one step to another: else a picture may stay the same.

        Returns:
            The longest freeze, in frames; 0 where none is long enough to be one.
        """
        unchanged = np.zeros(length, np.bool_)
        seen, first = 0, None
        try:
            for frame in frames():
                self._size_and_light(frame)
                small = frame[::THINNED, ::THINNED].astype(np.int16)
                same = first is not None and _same(first, small)
                if seen < length:
                    unchanged[seen] = same
                first, seen = first if same else small, seen + 1
        except RpentError as error:
            self.problem = self.problem or error.message
        self.episodes += 1
        self.frames += seen
        self.missing += max(0, length - seen)
        stretches = [
            end - start
            for start, end in runs(unchanged)
            if end - start >= self.freeze_steps and moved(start - 1, end - 1)
        ]
        if not stretches:
            return 0
        longest = max(stretches)
        self.frozen_episodes += 1
        self.longest = max(self.longest, longest)
        return longest

    def _size_and_light(self, frame: NDArray[np.uint8]) -> None:
        self.other_size += frame.shape[:2] != (self.declared.height, self.declared.width)
        self.dark += float(frame[::THINNED, ::THINNED].max()) <= DARK

    def summary(self) -> CameraSummary:
        """Return what was seen."""
        return CameraSummary(
            name=self.name,
            height=self.declared.height,
            width=self.declared.width,
            episodes=self.episodes,
            frames=self.frames,
            missing_frames=self.missing,
            frozen_episodes=self.frozen_episodes,
            longest_freeze=self.longest,
            dark_frames=self.dark,
            other_size=self.other_size,
            problem=self.problem,
        )


def _same(first: NDArray[np.int16], later: NDArray[np.int16]) -> bool:
    if first.shape != later.shape:
        return False
    difference = np.abs(first - later)
    return float(difference.mean()) < UNCHANGED and int(difference.max()) <= MOST
