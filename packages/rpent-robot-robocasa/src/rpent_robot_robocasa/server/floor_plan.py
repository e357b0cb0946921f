"""Where the base cannot stand: what a robot's own map of the room holds, no movable things.

Every collision shape of the furniture between the floor and the robot's shoulder casts the shadow of its box on the
floor. Of what is higher than the robot's feet, the edge that its feet may go below is taken away: a counter's top and
the handles of its drawers overhang the place where the robot stands. Doors and drawers stand as they stand now, so an
open dishwasher is in the way and a shut one is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from scipy import ndimage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

CELL_M = 0.03
FEET_M = (0.03, 0.385)
"""Heights of the base's feet, above a door sill; its torso is narrower."""
TORSO_M = (0.385, 1.05)
"""From there up to the arm's shoulder."""
STAND_BACK_M = 0.08
"""How far the torso stands back from the edge of the feet, at least: in front, of the Omron's collision shapes."""

_THIN_M = CELL_M / np.sqrt(2)

BORDER_M = 0.2
"""How far the plan reaches beyond the floor; there everything counts as occupied."""


def floor_plan(env: Any) -> dict[str, Any]:
    """Return the occupied cells of a kitchen that has been reset (a robosuite environment of RoboCasa).

    Returns:
        `origin`: (2,) world x and y of the low corner of cell [0, 0]; `cell_m`: width of a cell; `occupied`: (H, W)
        bool, row along y, column along x.
    """
    model, data = env.sim.model._model, env.sim.data._data
    floors = _floors(env, model)
    low, high = _extent(model, data, floors)
    shape = tuple(np.ceil((high - low) / CELL_M).astype(int)[::-1])
    feet, torso = (_Grid(low, np.ones(shape, bool)) for _ in range(2))
    for grid, heights in ((feet, FEET_M), (torso, TORSO_M)):
        for geom in floors:
            grid.fill(*_shadow(model, data, geom), value=False)
        for geom in _obstacles(env, model, data, heights):
            grid.fill(*_shadow(model, data, geom), value=True)
    depth_m = ndimage.distance_transform_edt(np.pad(torso.occupied, 1, mode="edge"))[1:-1, 1:-1] * CELL_M
    return {"origin": low, "cell_m": CELL_M, "occupied": feet.occupied | (depth_m > STAND_BACK_M + CELL_M)}


class _Grid:
    """Cells of the floor; the footprint of a box is a centre and the halves of its three edges, seen from above."""

    def __init__(self, origin: NDArray[np.float64], occupied: NDArray[np.bool_]) -> None:
        self.origin, self.occupied = origin, occupied

    def fill(self, centre: NDArray[np.float64], halves: NDArray[np.float64], *, value: bool) -> None:
        """Set the cells whose middle a footprint covers; a thin one is taken as thick as a cell, so it has no gaps.

        The shadow of a box is the sum of its three edges. A point lies in it where its distance from the centre, along
        the normal of each edge, is at most the sum of all edges' shares along that normal.
        """
        lengths = np.linalg.norm(halves, axis=1, keepdims=True)
        upright = lengths < 1e-3
        edges = halves * np.where(upright, 1.0, np.maximum(1.0, _THIN_M / np.maximum(lengths, 1e-3)))
        reach = np.abs(edges).sum(axis=0)
        first = np.maximum(np.floor((centre - reach - self.origin) / CELL_M).astype(int), 0)
        last = np.maximum(np.ceil((centre + reach - self.origin) / CELL_M).astype(int), 0)
        part = self.occupied[first[1] : last[1], first[0] : last[0]]
        rows, cols = np.indices(part.shape)
        middles = np.stack([cols + first[0], rows + first[1]], axis=-1) + 0.5
        away = middles * CELL_M + self.origin - centre
        normals = np.stack([-edges[:, 1], edges[:, 0]], axis=1)
        limits = np.abs(normals @ edges.T).sum(axis=1)
        part[np.all(np.abs(away @ normals.T) <= limits + 1e-9, axis=-1)] = value


def _shadow(model: Any, data: Any, geom: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centre (2,) and the half edges (3, 2) of a geom's box, seen from above."""
    turn = data.geom_xmat[geom].reshape(3, 3)
    centre = data.geom_xpos[geom] + turn @ model.geom_aabb[geom, :3]
    return centre[:2], (turn * model.geom_aabb[geom, 3:]).T[:, :2]


def _floors(env: Any, model: Any) -> list[int]:
    """Return the collision geoms of the floors one can drive on."""
    roots = {
        model.body(fixture.root_body).id
        for fixture in env.fixtures.values()
        if type(fixture).__name__ == "Floor" and "backing" not in fixture.name
    }
    return [int(geom) for geom in np.flatnonzero(_solid(model)) if model.geom_bodyid[geom] in roots]


def _obstacles(env: Any, model: Any, data: Any, heights: tuple[float, float]) -> list[int]:
    """Return the solid geoms of the furniture, floors apart, that are between two heights."""
    turns = np.abs(data.geom_xmat.reshape(-1, 3, 3)[:, 2])
    middle = data.geom_xpos[:, 2] + np.einsum(
        "gi,gi->g", data.geom_xmat.reshape(-1, 3, 3)[:, 2], model.geom_aabb[:, :3]
    )
    half = np.einsum("gi,gi->g", turns, model.geom_aabb[:, 3:])
    chosen = _solid(model) & (middle + half > heights[0]) & (middle - half < heights[1])
    roots = model.body_rootid[model.geom_bodyid]
    free = [model.jnt_bodyid[joint] for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)]
    robot = model.body(env.robots[0].robot_model.root_body).id
    chosen &= ~np.isin(roots, [*free, robot])
    return [int(geom) for geom in np.flatnonzero(chosen)]


def _solid(model: Any) -> NDArray[np.bool_]:
    solid: NDArray[np.bool_] = (model.geom_contype != 0) & (model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE)
    return solid


def _extent(model: Any, data: Any, floors: Iterable[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the low and high corner (2,) of the floors with their border."""
    shadows = [_shadow(model, data, geom) for geom in floors]
    reach = [(centre, np.abs(halves).sum(axis=0) + BORDER_M) for centre, halves in shadows]
    low = np.min([centre - half for centre, half in reach], axis=0)
    return low, np.max([centre + half for centre, half in reach], axis=0)
