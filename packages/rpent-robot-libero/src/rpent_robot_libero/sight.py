"""What a camera sees: a picture with depth and calibration, and things found in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robot_libero.primitives import cloud
from rpent_robot_libero.primitives.geometry import back_project

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from rpent.env.types import CameraMeta, Observation
    from rpent.perception import Segment

    from rpent_robot_libero.primitives.cloud import Points

MIN_POINTS = 4
"""A thing of which fewer surface points are measured is left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """One camera's picture with depth and calibration."""

    camera: str
    observation: Observation

    @property
    def image(self) -> NDArray[np.uint8]:
        """(H, W, 3) uint8."""
        return self.observation.images[self.camera]

    @property
    def depth(self) -> NDArray[np.float32]:
        """(H, W) float32 metres."""
        return self.observation.depth[self.camera]

    @property
    def calibration(self) -> CameraMeta:
        """Intrinsics and pose of the camera."""
        return self.observation.cameras[self.camera]

    def points(self, mask: NDArray[np.bool_] | None = None) -> Points:
        """Return the world points (n, 3) of the pixels in `mask`."""
        return back_project(self.depth, self.calibration, mask)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A thing found in a picture."""

    id: str
    segment: Segment
    view: View
    points: Points
    """(n, 3) its visible surface, world."""

    @property
    def label(self) -> str:
        """What the perceptor calls it."""
        return self.segment.label

    @property
    def middle(self) -> NDArray[np.float64]:
        """(3,) centre of its bounding box."""
        return cloud.extent(self.points).middle

    @property
    def eye(self) -> NDArray[np.float64]:
        """(3,) where it was seen from."""
        return np.asarray(self.view.calibration.world_from_camera[:3, 3])


def located(segments: Sequence[Segment], view: View, prefix: str = "") -> Iterator[Found]:
    """Yield the segments of a picture that have a place in the world, with ids that begin with `prefix`."""
    for number, segment in enumerate(segments):
        points = cloud.clean(view.points(segment.mask))
        if len(points) >= MIN_POINTS:
            yield Found(id=f"{prefix}{number}", segment=segment, view=view, points=points)


def grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the mask grown by one pixel, so that mixed border pixels count as the thing."""
    wider = mask.copy()
    wider[1:] |= mask[:-1]
    wider[:-1] |= mask[1:]
    wider[:, 1:] |= mask[:, :-1]
    wider[:, :-1] |= mask[:, 1:]
    return wider


def rounded(values: Any, digits: int = 4) -> list[float]:
    """Return numbers as a list for JSON."""
    return [round(float(value), digits) for value in values]
