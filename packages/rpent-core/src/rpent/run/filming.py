"""Frames of the motions between two captures, for `episode.mp4` and for spectators, from env servers that record."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.rpc.channel import Channel
    from rpent.runs.recorder import Recorder

EVERY = 8
"""Control steps between two frames: 2.5 pictures a second at 20 Hz."""
CONTROL_FREQ = 20.0
SIZE = 256
FETCH_S = 0.2
"""Between two looks for frames while a motion goes on."""
LIVE_TIMEOUT_S = 5.0
"""A server that does not answer such a look in time is not asked again during the motion."""


class Filming:
    """Has an env server with the optional methods `record` and `frames` keep small pictures of its motions.

    A video is an extra: where it cannot be had, the run goes on without.

    Args:
        channel: The env server's; None where nothing is filmed.
        recorder: What gets the frames.
        live: Somebody watches: frames are fetched while a motion goes on, where the server can hand them over then
            (its `frames` is `concurrent`), and not only after it.
    """

    def __init__(self, channel: Channel | None, recorder: Recorder, *, live: bool = False) -> None:
        self._channel = channel
        self._recorder = recorder
        self._live = live
        self._control_freq = CONTROL_FREQ
        self._order = threading.Lock()
        """Who fetches also passes the frames on before the next one fetches."""

    def start(self) -> None:
        """Switch the recording on; again after a restart of the server."""
        channel = self._channel
        if channel is None or not {"record", "frames"}.issubset(channel.info.methods):
            self._channel = None
            return
        with self._as_an_extra():
            self._control_freq = float(channel.call("describe").get("control_freq", CONTROL_FREQ))
            channel.call("record", enabled=True, size=SIZE, every=EVERY)

    def fetch(self) -> None:
        """Pass on the frames since the last time."""
        with self._as_an_extra():
            self._pass_on(shown=False)

    @contextmanager
    def during_action(self) -> Iterator[None]:
        """Pass frames on while a motion goes on, where somebody watches it."""
        if not (self._live and self._hands_over_in_motion()):
            yield
            return
        over = threading.Event()
        thread = threading.Thread(target=self._follow, args=(over,), name="rpent-filming", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(LIVE_TIMEOUT_S + 1.0)

    def _follow(self, over: threading.Event) -> None:
        with self._as_an_extra():
            while not over.wait(FETCH_S):
                self._pass_on(shown=True, timeout_s=LIVE_TIMEOUT_S)

    @contextmanager
    def _as_an_extra(self) -> Iterator[None]:
        """Let the run go on whatever comes of this; a server that answers nonsense is asked no more."""
        try:
            with suppress(RpentError):
                yield
        except Exception as error:  # noqa: BLE001  (whatever a third-party server answers)
            self._channel = None
            self._recorder.trouble("filming", error)

    def _hands_over_in_motion(self) -> bool:
        method = self._channel.info.methods.get("frames") if self._channel is not None else None
        return method is not None and method.concurrent

    def _pass_on(self, *, shown: bool, timeout_s: float | None = None) -> None:
        """Fetch, and give everything to the video; of several frames the newest is shown."""
        if self._channel is None:
            return
        with self._order:
            answer: dict[str, Any] = self._channel.call("frames", timeout_s=timeout_s)
            seconds = float(answer.get("every", EVERY)) / self._control_freq
            frames = answer["frames"]
            for index, frame in enumerate(frames):
                self._recorder.frame(frame, seconds, shown=shown and index == len(frames) - 1)
