"""`clips/<call>/NNNN.jpg`: what the main camera sees while a call is under way, for whoever watches the run."""

from __future__ import annotations

import math
import time
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from rpent.runs.directory import safe_name
from rpent.runs.events import FrameShown
from rpent.runs.pictures import encode_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rpent.runs.directory import RunDirectory
    from rpent.runs.events import Event

INTERVAL_S = 0.2
"""Least time between two frames, at first."""
MAX_FRAMES = 4000
MAX_BYTES = 60_000_000
"""Of a run. Whenever half of what was left is used up, frames come half as often, so that some always remain."""


class Clips:
    """Writes frames, no more than a page can show and a disk should hold.

    Args:
        directory: The run.
        history: Events of earlier processes, whose frames count.
        clock: Seconds, monotonic.
    """

    def __init__(
        self,
        directory: RunDirectory,
        history: Iterable[Event] = (),
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._clock = clock
        self._frames, self._bytes = 0, 0
        for path in shown_in(history):
            file = directory.path / path
            self._frames += 1
            self._bytes += file.stat().st_size if file.is_file() else 0
        self._due = -math.inf
        self._failed = False

    @property
    def interval_s(self) -> float:
        """The least time between two frames now; infinite once nothing is left."""
        left = min(1 - self._frames / MAX_FRAMES, 1 - self._bytes / MAX_BYTES)
        return INTERVAL_S * 2.0 ** math.floor(-math.log2(left)) if left > 0 else math.inf

    def add(self, call_id: str, pixels: Any, camera: str) -> dict[str, Any] | None:
        """Store a frame that is due; returns the reference that its event holds, or None.

        A file system that refuses ends the frames, never the run.

        Args:
            call_id: The call under way.
            pixels: (H, W, 3) uint8.
            camera: What the picture is called.
        """
        now = self._clock()
        if self._failed or now < self._due:
            return None
        folder = self._directory.clips / safe_name(call_id)
        try:
            picture = encode_frame(camera or "view", pixels)
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{sum(1 for _ in folder.iterdir()):04d}.jpg"
            path.write_bytes(picture.data)
        except (OSError, ValueError, IndexError, TypeError):
            self._failed = True
            return None
        self._frames, self._bytes = self._frames + 1, self._bytes + len(picture.data)
        # Motions report frames in a rhythm of their own, not quite in time: one that follows a late one may be early.
        self._due = max(self._due, now - self.interval_s / 4) + self.interval_s
        return {**picture.reference(), "path": path.relative_to(self._directory.path).as_posix()}


def shown_in(events: Iterable[Event]) -> set[str]:
    """Return the paths, relative to the run directory, of the frames that events name."""
    frames = (event for event in events if isinstance(event, FrameShown))
    return {path for frame in frames if _is_clip(path := str(frame.image.get("path", "")))}


def drop_clips_without_events(directory: RunDirectory, events: Iterable[Event]) -> None:
    """Remove frames that were written just before a kill, so that no event names them."""
    known = shown_in(events)
    for file in directory.clips.glob("*/*"):
        if file.relative_to(directory.path).as_posix() not in known:
            file.unlink(missing_ok=True)


def _is_clip(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return len(parts) == 3 and parts[0] == "clips" and ".." not in parts
