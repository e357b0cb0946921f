"""Frames of the motions between two captures, for `episode.mp4`, from env servers that record them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError

if TYPE_CHECKING:
    from rpent.rpc.channel import Channel
    from rpent.runs.recorder import Recorder

EVERY = 8
"""Control steps between two frames: 2.5 pictures a second at 20 Hz."""
CONTROL_FREQ = 20.0
SIZE = 256


class Filming:
    """Has an env server with the optional methods `record` and `frames` keep small pictures of its motions.

    A video is an extra: where it cannot be had, the run goes on without.
    """

    def __init__(self, channel: Channel | None, recorder: Recorder) -> None:
        self._channel = channel
        self._recorder = recorder
        self._control_freq = CONTROL_FREQ

    def start(self) -> None:
        """Switch the recording on; again after a restart of the server."""
        channel = self._channel
        if channel is None or not {"record", "frames"}.issubset(channel.info.methods):
            self._channel = None
            return
        with suppress(RpentError):
            self._control_freq = float(channel.call("describe").get("control_freq", CONTROL_FREQ))
            channel.call("record", enabled=True, size=SIZE, every=EVERY)

    def fetch(self) -> None:
        """Pass the frames since the last time to the video."""
        if self._channel is None:
            return
        with suppress(RpentError):
            answer: dict[str, Any] = self._channel.call("frames")
            seconds = float(answer.get("every", EVERY)) / self._control_freq
            for frame in answer["frames"]:
                self._recorder.frame(frame, seconds)
