"""Grasp planning from a segmented surface: top-down with the yaw of the narrow side, or on the rim of a vessel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rpent_manipulation.cloud import Rim, extent, find_rim, support_height, top_height
from rpent_manipulation.geometry import closing, direction, nearest_yaw
from rpent_manipulation.panda import gripper, kinematics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_manipulation.cloud import Points

Strategy = Literal["top", "rim"]

TOP_DEPTH = 0.026
"""How deep below its highest point a thing is grasped: the palm must stay above it."""

RIM_DEPTH = 0.012
"""How deep the pads reach below a rim."""

EDGE_DEPTH = 0.015
"""Likewise below the highest edge of a thing that lies askew."""

STEEP = 0.4
"""Slope of a rim from which on the vessel lies rather than stands."""

STRETCH_COST = 3.0
"""Cost of a metre of stretched arm: near places are preferred to those at the limit of reach."""

NARROW_MARGIN = 0.012
"""Left on either side of a thing between fingers that are not opened all the way, where neighbours stand close."""

LEAST_DEPTH = 0.011
"""How far the tips reach below a thing's top, at least, where neighbours keep the palm from coming lower."""
RAISE_STEP = 0.006
SHALLOW_COST = 5.0
"""What a metre less of depth costs: deep grasps hold better."""

YAW_STEPS = 24
RIM_STEPS = 36


@dataclass(frozen=True, kw_only=True, slots=True)
class Grasp:
    """Where the open hand goes before it closes."""

    strategy: Strategy
    position: NDArray[np.float64]
    """(3,) of the grasp point."""
    yaw_rad: float
    """Of the hand; the fingers close along `closing(yaw_rad)`."""
    width_m: float
    """Expected distance between the pads after closing."""
    cost: float
    """Lower is better; from 1 on something is in the way."""
    middle: NDArray[np.float64]
    """(3,) horizontal centre of the thing, and its top."""
    bottom_z: float
    """Height of what the thing stands on."""
    level: bool = True
    """False: the thing lies askew, so that it may turn in the hand."""
    opening_m: float = gripper.MAX_OPENING
    """Distance between the pads when they come down to it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """What a grasp is planned in."""

    points: Points
    """(n, 3) visible surface of the thing."""
    obstacles: Points
    """(m, 3) everything else except the robot."""
    home_yaw: float
    """The yaw that the wrist turns away from least."""
    base: NDArray[np.float64]
    """(3,) where the arm stands."""


def plan(
    scene: Scene, strategy: Literal["auto", "top", "rim"] = "auto", yaw_rad: float | None = None
) -> list[Grasp]:
    """Return grasps, best first; empty when the thing does not fit the hand in the asked way."""
    grasps: list[Grasp] = []
    if strategy in ("auto", "top"):
        grasps += plan_top(scene, yaw_rad)
    if strategy == "rim" or (strategy == "auto" and (not grasps or min(g.cost for g in grasps) >= 1)):
        grasps += plan_rim(scene, yaw_rad)
    if strategy != "rim" and grasps and min(g.cost for g in grasps) >= 1:
        grasps += plan_top(scene, yaw_rad, tight=True)
    return spread(sorted(grasps, key=lambda grasp: grasp.cost))


def spread(grasps: list[Grasp]) -> list[Grasp]:
    """Reorder, so that each next attempt differs from those before it (by 25 degrees or 2 cm) as far as possible."""
    chosen: list[Grasp] = []
    rest: list[Grasp] = []
    for grasp in grasps:
        (rest if any(_alike(grasp, other) for other in chosen) else chosen).append(grasp)
    return chosen + rest


def _alike(one: Grasp, other: Grasp) -> bool:
    turn = abs(nearest_yaw(one.yaw_rad, other.yaw_rad) - other.yaw_rad)
    near = float(np.linalg.norm(one.position[:2] - other.position[:2])) < 0.02
    return one.strategy == other.strategy and near and turn < math.radians(25)


def plan_top(scene: Scene, yaw_rad: float | None = None, *, tight: bool = False) -> list[Grasp]:
    """Plan grasps from above across the thing's middle, one per yaw at which it fits between the fingers.

    Args:
        scene: What it is planned in.
        yaw_rad: The only yaw to try.
        tight: Neighbours stand close: the fingers open and go down only as far as those let them.
    """
    top = top_height(scene.points)
    bottom = support_height(scene.points, scene.obstacles)
    height = _top_grasp_height(top, bottom)
    passed = scene.points[scene.points[:, 2] > height - 0.012]
    yaws = [yaw_rad] if yaw_rad is not None else [math.pi * i / YAW_STEPS for i in range(YAW_STEPS)]
    grasps = []
    for yaw in yaws:
        grasp = _top_grasp(scene, passed, height, top, bottom, nearest_yaw(yaw, scene.home_yaw))
        if grasp is not None:
            grasps.append(_fitted(scene, grasp, top) if tight else grasp)
    return grasps


def _fitted(scene: Scene, grasp: Grasp, top: float) -> Grasp:
    """Return a grasp with fingers that open, and go down, only as far as neighbours of the thing let them."""
    opening = min(grasp.width_m + 2 * NARROW_MARGIN, gripper.MAX_OPENING)
    highest = top + gripper.TIP_BELOW_SITE - LEAST_DEPTH
    own = grasp.cost - _blocked(scene, grasp.position, grasp.yaw_rad, grasp.width_m)
    tried = []
    for height in (
        grasp.position[2],
        *np.arange(grasp.position[2] + RAISE_STEP, highest, RAISE_STEP),
        highest,
    ):
        position = np.array([*grasp.position[:2], height])
        blocked = _blocked(scene, position, grasp.yaw_rad, grasp.width_m, opening)
        cost = own + blocked + SHALLOW_COST * float(height - grasp.position[2])
        tried.append(replace(grasp, position=position, opening_m=opening, cost=cost))
    return min(tried, key=lambda one: one.cost)


def _top_grasp_height(top: float, bottom: float) -> float:
    lowest = bottom + gripper.TIP_BELOW_SITE + 0.001
    return max(top - TOP_DEPTH, min(lowest, top))


def _top_grasp(  # noqa: PLR0917
    scene: Scene, passed: Points, height: float, top: float, bottom: float, yaw: float
) -> Grasp | None:
    along, across = closing(yaw), direction(yaw)
    spans = [np.percentile(passed[:, :2] @ axis, [1, 99]) for axis in (along, across)]
    width, length = (float(high - low) for low, high in spans)
    if width > gripper.MAX_GRASP_WIDTH:
        return None
    middle = along * spans[0].mean() + across * spans[1].mean()
    position = np.array([middle[0], middle[1], height])
    blocked = _blocked(scene, position, yaw, width)
    cost = width + 0.01 * abs(yaw - scene.home_yaw) + 0.02 * max(0.0, width - length) + blocked
    return Grasp(
        strategy="top",
        position=position,
        yaw_rad=yaw,
        width_m=width,
        cost=cost,
        middle=np.array([middle[0], middle[1], top]),
        bottom_z=bottom,
    )


def plan_rim(scene: Scene, yaw_rad: float | None = None) -> list[Grasp]:
    """Plan grasps with one finger inside and one outside of a round vessel's rim."""
    bottom = support_height(scene.points, scene.obstacles)
    rim = find_rim(scene.points)
    if rim is None or not rim.clear or np.linalg.norm(rim.slope) > STEEP:
        return plan_edge(scene, bottom)
    if not 0.025 <= rim.circle.radius_m <= 0.16:
        return []
    grasps = []
    for i in range(RIM_STEPS):
        angle = 2 * math.pi * i / RIM_STEPS
        yaw = nearest_yaw(angle - math.pi / 2, scene.home_yaw)
        if yaw_rad is not None and abs(nearest_yaw(yaw_rad, yaw) - yaw) > math.pi / RIM_STEPS:
            continue
        grasps.append(_rim_grasp(scene, rim, bottom, angle, yaw))
    return grasps


def plan_edge(scene: Scene, bottom: float) -> list[Grasp]:
    """Plan grasps of the highest edge of something that lies askew: the fingers close across the edge."""
    top = top_height(scene.points)
    edge = scene.points[scene.points[:, 2] > top - 0.008, :2]
    if len(edge) < 6:
        return []
    spot = edge.mean(axis=0)
    _, _, axes = np.linalg.svd(edge - spot, full_matrices=False)
    across = math.atan2(axes[0][0], -axes[0][1])
    box = extent(scene.points).middle
    grasps = []
    for step in (0, 1, -1, 2, -2, 3, -3, 4):
        yaw = nearest_yaw(across - math.pi / 2 + step * math.pi / 8, scene.home_yaw)
        position = np.array([spot[0], spot[1], max(top - EDGE_DEPTH, bottom + gripper.TIP_BELOW_SITE)])
        cost = (
            0.05 + 0.05 * abs(step) + 0.02 * abs(yaw - scene.home_yaw) + _blocked(scene, position, yaw, 0.01)
        )
        grasps.append(
            Grasp(
                strategy="rim",
                position=position,
                yaw_rad=yaw,
                width_m=0.005,
                cost=cost,
                middle=np.array([box[0], box[1], top]),
                bottom_z=bottom,
                level=False,
            )
        )
    return grasps


def _rim_grasp(scene: Scene, rim: Rim, bottom: float, angle: float, yaw: float) -> Grasp:
    out, edge = direction(angle), rim.height_at(angle)
    edge_height = float(np.nanmean(rim.heights)) - bottom
    spot = rim.circle.center + (rim.circle.radius_m - 0.002) * out
    lowest = bottom + gripper.TIP_BELOW_SITE + 0.001
    height = max(edge - RIM_DEPTH, min(lowest, edge), _floor_inside(scene.points, spot, out))
    position = np.array([spot[0], spot[1], height])
    blocked = _blocked(scene, position, yaw, 0.01)
    # A tilted vessel is taken uphill or downhill: the pads set its wall upright, sideways it would keep hanging askew.
    askew = abs(float(rim.slope @ direction(angle + math.pi / 2)))
    cost = 0.03 + 0.02 * abs(yaw - scene.home_yaw) + 0.5 * askew + blocked
    cost += 0.0 if rim.seen_at(angle) else 0.05
    return Grasp(
        strategy="rim",
        position=position,
        yaw_rad=yaw,
        width_m=0.005,
        cost=cost,
        middle=np.array([*rim.foot(edge_height), top_height(scene.points)]),
        bottom_z=bottom,
        level=bool(np.linalg.norm(rim.slope) < 0.1),
    )


def _floor_inside(points: Points, spot: NDArray[np.float64], out: NDArray[np.float64]) -> float:
    """Return the lowest grasp height at which the inner finger stays above the vessel's floor."""
    local = points[:, :2] - spot
    inward = -(local @ out)
    sideways = np.abs(local @ np.array([-out[1], out[0]]))
    under = (inward > 0.030) & (inward < 0.055) & (sideways < gripper.FINGER_HALF_WIDTH)
    if under.sum() < 4:
        return -math.inf
    return float(np.percentile(points[under, 2], 80)) + gripper.TIP_BELOW_SITE + 0.002


def _blocked(
    scene: Scene,
    position: NDArray[np.float64],
    yaw: float,
    width: float,
    opening: float = gripper.MAX_OPENING,
) -> float:
    """Return what is against a place: 0 when near and well clear, above 1 when the open hand hits something there."""
    if len(scene.obstacles) == 0:
        return 0.0
    local = scene.obstacles - position
    hits = _hand_hits(local, yaw, width, opening, 0.004) + _wrist_hits(local, position, scene.base, 0.0)
    if hits >= 3:
        return 1.0 + min(hits / 100, 1.0)
    near = _hand_hits(local, yaw, width, opening, 0.018) + _wrist_hits(local, position, scene.base, 0.02)
    reach = STRETCH_COST * kinematics.stretch(position, scene.base)
    return reach + (0.1 if near >= 3 else 0.0)


def _hand_hits(local: Points, yaw: float, width: float, opening: float, margin: float) -> float:
    """Count the points inside the fingers or (half) inside the palm, both grown by a margin."""
    along, across = np.abs(local[:, :2] @ closing(yaw)), np.abs(local[:, :2] @ direction(yaw))
    inner = max(opening / 2 - 0.004, width / 2)
    outer = opening / 2 + gripper.FINGER_THICKNESS + margin
    fingers = (along > inner) & (along < outer) & (across < gripper.FINGER_HALF_WIDTH + margin)
    fingers &= local[:, 2] > 0.004 - gripper.TIP_BELOW_SITE
    palm = (along < gripper.PALM_HALF_LENGTH + margin) & (across < gripper.PALM_HALF_WIDTH + margin)
    palm &= local[:, 2] > gripper.PALM_ABOVE_SITE - margin / 2
    return float(fingers.sum()) + 0.5 * float(palm.sum())


def _wrist_hits(
    local: Points, position: NDArray[np.float64], base: NDArray[np.float64], margin: float
) -> float:
    """Count (half) the points inside the wrist and forearm, which lie between the hand and the base."""
    way = position[:2] - base[:2]
    away = way / max(float(np.linalg.norm(way)), 1e-6)
    out, left = local[:, :2] @ away, local[:, :2] @ np.array([-away[1], away[0]])
    inside = np.zeros(len(local), dtype=bool)
    for (back, front), (right_end, left_end) in (gripper.WRIST, gripper.FOREARM):
        along = (out > back - margin) & (out < front + margin)
        inside |= along & (left > right_end - margin) & (left < left_end + margin)
    return 0.5 * float((inside & (local[:, 2] > gripper.WRIST_ABOVE_SITE - margin)).sum())
