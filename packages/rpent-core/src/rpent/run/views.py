"""Pictures of further cameras after each step, for runs that somebody watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.env.client import EnvClient
from rpent.errors import CallTimeoutError, ConnectionLostError, RpentError, ServiceError
from rpent.tools.result import Image

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpent.rpc.channel import Channel
    from rpent.runs.recorder import Recorder
    from rpent.specs import DashboardSpec
    from rpent.tools.result import Capture

SIZE = 256
"""Rows and columns of a view."""


class Views:
    """Asks an env server for pictures of a robot's dashboard cameras that a capture does not show itself.

    They are an extra for people: the planner does not get them, and where they cannot be had the run goes on without.
    """

    def __init__(self, channel: Channel | None, spec: DashboardSpec, recorder: Recorder) -> None:
        self._env = EnvClient(channel) if channel is not None else None
        self._cameras: Sequence[str] = tuple(frame.camera for frame in spec.frames)
        self._recorder = recorder

    def take(self, capture: Capture) -> list[Image]:
        """Return a picture of each camera that is missing in the capture; a camera that is refused is not asked again.

        Args:
            capture: What the planner is shown.
        """
        shown = {image.name for image in capture.images}
        missing = [camera for camera in self._cameras if camera not in shown]
        try:
            return list(self._pictures(missing))
        except Exception as error:  # noqa: BLE001  (whatever a third-party server answers)
            self._recorder.trouble("views", error)
            return []

    def _pictures(self, cameras: Iterable[str]) -> Iterable[Image]:
        for camera in cameras:
            if self._env is None:
                return
            try:
                seen = self._env.observe([camera], size=SIZE)
            except (ServiceError, ConnectionLostError, CallTimeoutError):
                raise
            except RpentError as error:
                self._cameras = tuple(name for name in self._cameras if name != camera)
                self._recorder.trouble(f"view of the camera `{camera}`", error)
                continue
            yield Image(name=camera, caption=f"{camera}, {SIZE}x{SIZE}", pixels=seen.images[camera])
