"""What a camera sees: a picture with depth and calibration, and things found in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.geometry import back_project

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from rpent.env.types import CameraMeta, Observation
    from rpent.perception import Segment

    from rpent_manipulation.cloud import Points

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
    def length_m(self) -> float:
        """The diagonal of its bounding box."""
        return float(np.linalg.norm(cloud.extent(self.points).size))

    @property
    def eye(self) -> NDArray[np.float64]:
        """(3,) where it was seen from."""
        return np.asarray(self.view.calibration.world_from_camera[:3, 3])


def located(segments: Sequence[Segment], view: View, prefix: str = "", first: int = 0) -> Iterator[Found]:
    """Yield the segments of a picture that have a place in the world, with ids `prefix` and a number from `first`."""
    for number, segment in enumerate(segments, first):
        points = cloud.clean(view.points(segment.mask))
        if len(points) >= MIN_POINTS:
            yield Found(id=f"{prefix}{number}", segment=segment, view=view, points=points)


def seen_best(found: Sequence[Found], same_m: float) -> list[Found]:
    """Return things of several pictures without repetitions: of one thing the view with the most points.

    Two are the same when they have one label and their middles are within `same_m`. The order is kept by score.
    """
    kept: list[Found] = []
    for thing in sorted(found, key=lambda each: -len(each.points)):
        again = any(
            thing.label == other.label
            and thing.view.camera != other.view.camera
            and np.linalg.norm(thing.middle - other.middle) < same_m
            for other in kept
        )
        if not again:
            kept.append(thing)
    return sorted(kept, key=lambda each: -each.segment.score)


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
