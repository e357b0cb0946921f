"""What the hand holds: how it hangs there, remembered from the grasp or measured in pictures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_manipulation import cloud
from rpent_manipulation.geometry import turn
from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.path import Load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.planning.grasping import Grasp
    from rpent_manipulation.world import World

FOOT_OUTSIDE_M = 0.01
"""How far outside its visible box the foot of a vessel may be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """What the hand holds, relative to the grasp point."""

    label: str
    strategy: str
    yaw_rad: float
    """The hand's yaw when it closed."""
    offset: tuple[float, float]
    """World xy from the grasp point to the thing's middle at that yaw."""
    below_m: float
    """From the grasp point down to the thing's bottom."""
    reach_m: float
    """Horizontal radius of the thing about its middle."""
    level: bool = True
    """False: it may have turned in the hand, so that it must be looked at before it is placed."""

    def load(self, yaw_rad: float) -> Load:
        """Return what must clear the things on the way while the hand keeps this yaw."""
        x, y = self.offset_at(yaw_rad)
        below = max(self.below_m, gripper.TIP_BELOW_SITE)
        return Load(below_m=below, offset=(float(x), float(y)), reach_m=self.reach_m)

    def offset_at(self, yaw_rad: float) -> NDArray[np.float64]:
        """Return the offset (2,) after the hand has turned to another yaw."""
        return turn(np.array(self.offset), yaw_rad - self.yaw_rad)

    def hanging(self, offset: NDArray[np.float64], yaw_rad: float, below_m: float) -> Held:
        """Return the same thing as it was measured at a yaw of the hand."""
        return replace(
            self,
            offset=(float(offset[0]), float(offset[1])),
            yaw_rad=yaw_rad,
            below_m=max(below_m, 0.0),
            level=True,
        )

    def as_data(self) -> dict[str, Any]:
        """Return plain data for a snapshot."""
        return {
            "label": self.label,
            "strategy": self.strategy,
            "yaw_rad": self.yaw_rad,
            "offset": list(self.offset),
            "below_m": self.below_m,
            "reach_m": self.reach_m,
            "level": self.level,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Held:
        """Return what `as_data` described."""
        return cls(**{**data, "offset": tuple(data["offset"])})


def held_from(label: str, grasp: Grasp, points: Points) -> Held:
    """Return what is held after a grasp of these surface points."""
    offset = grasp.middle[:2] - grasp.position[:2]
    reach = float(np.percentile(np.linalg.norm(points[:, :2] - grasp.middle[:2], axis=1), 98))
    return Held(
        label=label,
        strategy=grasp.strategy,
        yaw_rad=grasp.yaw_rad,
        offset=(float(offset[0]), float(offset[1])),
        below_m=float(max(grasp.position[2] - grasp.bottom_z, 0.0)),
        reach_m=reach,
        level=grasp.level,
    )


def measure(world: World) -> None:
    """See how a thing hangs in the hand that lay askew when it was grasped."""
    held = world.held
    if held is None or held.level:
        return
    eef = world.state.eef_position
    points = cloud.thin_out(np.concatenate([_seen(world, held, camera) for camera in world.cameras]), 0.002)
    # What is further down or aside than the thing can hang is background at the mask's border.
    near = np.linalg.norm(points[:, :2] - eef[:2], axis=1) < 2 * held.reach_m + 0.02
    points = points[near & (points[:, 2] > eef[2] - held.below_m - 0.01)]
    if len(points) < 60:
        return
    rim = cloud.find_rim(points)
    lowest = float(np.percentile(points[:, 2], 1))
    box = cloud.extent(points)
    middle = box.middle[:2]
    if rim is not None and rim.clear and np.linalg.norm(rim.slope) < 1.5:
        foot = rim.foot(float(np.nanmean(rim.heights)) - lowest)
        # The foot of what is no vessel (a bottle's neck between the fingers) may come out anywhere.
        if np.all(np.abs(foot - middle) <= box.size[:2] / 2 + FOOT_OUTSIDE_M):
            middle = foot
    world.held = held.hanging(middle - eef[:2], world.gripper_yaw, float(eef[2]) - lowest)


def _seen(world: World, held: Held, camera: str) -> Points:
    """Return the surface points (n, 3) of the thing under the hand in a camera's picture, or none."""
    eef = world.state.eef_position
    expected = eef[:2] + held.offset_at(world.gripper_yaw)
    for thing in world.find(held.label, camera=camera):
        near = np.linalg.norm(thing.middle[:2] - expected) < 0.07
        if near and thing.points[:, 2].max() > eef[2] - 0.04:
            return thing.points
    return np.zeros((0, 3))
