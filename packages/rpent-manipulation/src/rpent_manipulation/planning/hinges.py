"""Doors, drop-down doors and drawers as they are seen: where the panel is, what it turns about, which way it opens."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_manipulation import cloud, rotations
from rpent_manipulation.planning.controls import UP
from rpent_manipulation.planning.fronts import STANDS_OUT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points

Kind = Literal["side", "drop"]
"""Hinged at an upright edge, or at the lower edge."""

AZIMUTH_STEP = math.radians(2)
SHARE = 0.5
"""The shortest interval of depths that holds this share of the points is the panel, whatever its handle adds."""

CELL_M = 0.006

BAR_M = 0.02
"""How deep a handle's bar is at most."""

HANDLE_POINTS = 5
EDGE = 0.62
"""A handle that lies beyond this share of the panel's half width is at its side: the hinge is at the other one."""

CAVITY_M = 0.06
"""What lies so far behind the front, where a door stands open, is the inside of its cabinet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """A flat, upright or level piece of a door or drawer."""

    normal: NDArray[np.float64]
    """(3,) unit vector towards the viewer."""
    across: NDArray[np.float64]
    """(3,) horizontal unit vector along the panel."""
    low: NDArray[np.float64]
    """(2,) along `across`, and up (or along the depth of a level one): the panel's first corner."""
    high: NDArray[np.float64]
    """(2,) likewise its last corner."""
    depth: float
    """The panel's place along its normal."""
    handle: NDArray[np.float64] | None
    """(3,) middle of what stands out from it."""
    upright: bool
    """Whether the handle is an upright bar."""

    def corner(self, across: float, along: float) -> NDArray[np.float64]:
        """Return the point (3,) of the panel at shares 0 to 1 of its width and height."""
        place = self.low + (self.high - self.low) * np.array([across, along])
        return np.asarray(self.across * place[0] + self.up * place[1] + self.normal * self.depth)

    @property
    def up(self) -> NDArray[np.float64]:
        """(3,) the direction along the panel square to `across`."""
        return np.cross(self.normal, self.across)

    @property
    def size(self) -> NDArray[np.float64]:
        """(2,) width and height."""
        return np.asarray(self.high - self.low)


@dataclass(frozen=True, kw_only=True, slots=True)
class Leaf:
    """A panel on a hinge."""

    hinge: NDArray[np.float64]
    """(3,) a point of the axis, at the level of the handle or the panel's middle."""
    axis: NDArray[np.float64]
    """(3,) unit vector; turning about it by a positive angle opens the door."""
    arm: NDArray[np.float64]
    """(3,) from the hinge to the free edge."""
    outside: NDArray[np.float64]
    """(3,) unit vector out of the door's outer side."""
    kind: Kind

    @property
    def width_m(self) -> float:
        """From the hinge to the free edge."""
        return float(np.linalg.norm(self.arm))

    def place(self, share: float, angle_rad: float, off_m: float = 0.0) -> NDArray[np.float64]:
        """Return the point (3,) at a share of the arm and `off_m` outside of the door, after it has turned."""
        turned = rotations.about(self.axis, angle_rad)
        return np.asarray(self.hinge + turned @ (share * self.arm + off_m * self.outside))

    def off_hinge(self, place: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the way (3,) from the hinge's axis to a place, square to the axis."""
        away = place - self.hinge
        return np.asarray(away - (away @ self.axis) * self.axis)


def about(leaf: Leaf, begin: NDArray[np.float64], place: NDArray[np.float64]) -> float:
    """Return the angle about the hinge from one place (3,) to another, radians, positive where the door opens."""
    one, other = leaf.off_hinge(begin), leaf.off_hinge(place)
    return float(math.atan2(leaf.axis @ np.cross(one, other), one @ other))


def find_panel(points: Points, eye: NDArray[np.float64], normal: NDArray[np.float64] | None = None) -> Panel:
    """Find the flat piece of a door or drawer, and the handle in front of it.

    Args:
        points: (n, 3) its visible surface.
        eye: (3,) where it was seen from.
        normal: (3,) where it is known.
    """
    points = cloud.thin_out(points, CELL_M)  # so that near and far pieces count by their size
    facing = _flattest(points, eye) if normal is None else normal
    level = abs(facing @ UP) > 0.7
    across = np.cross(UP, facing) if not level else _level_across(points, eye)
    across = across / np.linalg.norm(across)
    depths = points @ facing
    depth = _mode(depths)
    flat = points[np.abs(depths - depth) < STANDS_OUT]
    up = np.cross(facing, across)
    spans = [np.percentile(flat @ axis, [1, 99]) for axis in (across, up)]
    front = points[depths > depth + STANDS_OUT]
    handle, upright = None, False
    if len(front) >= HANDLE_POINTS:
        handle, upright = _handle(front, across, up, facing)
    return Panel(
        normal=facing,
        across=across,
        low=np.array([span[0] for span in spans]),
        high=np.array([span[1] for span in spans]),
        depth=depth,
        handle=handle,
        upright=upright,
    )


def _flattest(points: Points, eye: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the direction, horizontal or straight up, along which most points are at one depth."""
    best, found = _thickness(points @ UP) * 1.5, UP
    for angle in np.arange(0.0, math.pi, AZIMUTH_STEP):
        axis = np.array([math.cos(angle), math.sin(angle), 0.0])
        spread = _thickness(points @ axis)
        if spread < best:
            best, found = spread, axis
    return found if found @ (eye - points.mean(axis=0)) > 0 else -found


def _level_across(points: Points, eye: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the direction along the hinge of a level panel: across the line of sight."""
    away = points.mean(axis=0) - eye
    best, found = math.inf, np.array([1.0, 0.0, 0.0])
    for angle in np.arange(0.0, math.pi / 2, AZIMUTH_STEP):
        axes = [
            np.array([math.cos(angle + turn), math.sin(angle + turn), 0.0]) for turn in (0.0, math.pi / 2)
        ]
        area = float(np.prod([np.ptp(np.percentile(points @ axis, [2, 98])) for axis in axes]))
        if area < best:
            best, found = area, min(axes, key=lambda axis: abs(axis @ away))
    return found


def _thickness(depths: NDArray[np.float64]) -> float:
    ordered = np.sort(depths)
    share = int(SHARE * len(ordered))
    return float((ordered[share:] - ordered[: len(ordered) - share]).min())


def _mode(depths: NDArray[np.float64]) -> float:
    """Return the middle of the shortest interval that holds `SHARE` of the depths."""
    ordered = np.sort(depths)
    share = int(SHARE * len(ordered))
    start = int(np.argmin(ordered[share:] - ordered[: len(ordered) - share]))
    return float(np.median(ordered[start : start + share + 1]))


def _handle(
    front: Points, across: NDArray[np.float64], up: NDArray[np.float64], facing: NDArray[np.float64]
) -> tuple[NDArray[np.float64], bool]:
    out = float(np.percentile(front @ facing, 95))
    front = front[front @ facing > out - BAR_M]  # without what the outline's pixels show behind the bar
    spans = [np.percentile(front @ axis, [3, 97]) for axis in (across, up)]
    middle = across * spans[0].mean() + up * spans[1].mean() + facing * out
    return np.asarray(middle), bool(np.ptp(spans[1]) > np.ptp(spans[0]))


def with_handle(panel: Panel, handle: Points) -> Panel:
    """Return a panel with the handle whose surface (n, 3) is known by itself."""
    middle, upright = _handle(handle, panel.across, panel.up, panel.normal)
    return replace(panel, handle=middle, upright=upright)


def shut_leaf(panel: Panel) -> Leaf:
    """Return how a shut door turns: away from its handle; a bar along its upper edge opens it downwards."""
    handle = panel.handle if panel.handle is not None else panel.corner(0.5, 0.9)
    share = (np.array([handle @ panel.across, handle @ panel.up]) - panel.low) / np.maximum(panel.size, 1e-6)
    aside, high = abs(share[0] - 0.5) * 2, share[1]
    if panel.upright or (aside > EDGE and aside > abs(high - 0.5) * 2):
        side = 0.0 if share[0] > 0.5 else 1.0
        hinge, free = panel.corner(side, share[1]), panel.corner(1.0 - side, share[1])
        # The free edge must come towards the viewer.
        axis = UP if np.cross(UP, free - hinge) @ panel.normal > 0 else -UP
        return Leaf(hinge=hinge, axis=axis, arm=free - hinge, outside=panel.normal, kind="side")
    hinge, free = panel.corner(share[0], 0.0), panel.corner(share[0], 1.0)
    axis = panel.across if np.cross(panel.across, free - hinge) @ panel.normal > 0 else -panel.across
    return Leaf(hinge=hinge, axis=axis, arm=free - hinge, outside=panel.normal, kind="drop")


def open_leaf(panel: Panel, ahead: NDArray[np.float64], around: Points) -> tuple[Leaf, float]:
    """Return how an open door turns, and by how much it stands open (radians).

    Its hinge is the edge that is farther ahead of the viewer. A level panel hangs on its far edge and shuts upwards.

    Args:
        panel: What is seen of it.
        ahead: (3,) horizontal direction in which the viewer looks into the cabinet.
        around: (n, 3) everything else.
    """
    if abs(panel.normal @ UP) > 0.7:
        ends = [panel.corner(0.5, 0.0), panel.corner(0.5, 1.0)]
        hinge, free = sorted(ends, key=lambda end: -float(end @ ahead))
        arm = free - hinge
        axis = np.cross(UP, arm)
        axis = -axis / np.linalg.norm(axis)  # opens downwards
        shut = UP * np.linalg.norm(arm)
        return Leaf(
            hinge=hinge, axis=_opening(axis, shut, arm), arm=arm, outside=-UP, kind="drop"
        ), math.pi / 2
    ends = [panel.corner(0.0, 0.5), panel.corner(1.0, 0.5)]
    hinge, free = sorted(ends, key=lambda end: -float(end @ ahead))
    arm = free - hinge
    aside = _shut_side(panel, hinge, arm, ahead, around)
    shut = aside * np.linalg.norm(arm)
    axis = _opening(UP, shut, arm)
    angle = math.acos(float(np.clip(arm @ shut / (arm @ arm), -1.0, 1.0)))
    outside = rotations.about(axis, angle) @ -ahead
    return Leaf(hinge=hinge, axis=axis, arm=arm, outside=outside, kind="side"), angle


def _opening(
    axis: NDArray[np.float64], shut: NDArray[np.float64], arm: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the axis, or its opposite, about which a positive turn leads from the shut to the open arm."""
    return axis if np.cross(shut, arm) @ axis > 0 else -axis


def _shut_side(
    panel: Panel,
    hinge: NDArray[np.float64],
    arm: NDArray[np.float64],
    ahead: NDArray[np.float64],
    around: Points,
) -> NDArray[np.float64]:
    """Return the direction (3,) from the hinge in which the shut door lies: where the cabinet can be looked into."""
    left = np.cross(UP, ahead)
    if panel.handle is not None:  # it is on the outer side, which faces away from the shut place
        outer = float((panel.handle - panel.corner(0.5, 0.5)) @ panel.normal) * (panel.normal @ left)
        if abs(panel.normal @ left) > 0.5:
            return -left * math.copysign(1.0, outer)
    local = around - hinge
    width = float(np.linalg.norm(arm))
    behind = (local @ ahead > CAVITY_M) & (np.abs(local[:, 2]) < panel.size[1] / 2)
    sides = [int((behind & (local @ side > 0.05) & (local @ side < width)).sum()) for side in (left, -left)]
    return left if sides[0] >= sides[1] else -left
