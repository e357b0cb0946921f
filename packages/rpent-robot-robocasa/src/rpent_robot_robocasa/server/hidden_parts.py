"""Parts that no geom of their own shows: buttons, handles, burners and basins of detailed kitchen assets.

There a fixture is drawn as a few meshes without names, and what the benchmark's code touches or measures is a named
collision shape, region or site in the same place, which is not drawn. So the points of a fixture's surface that lie in
such a shape show the part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.env.types import CameraMeta
from rpent_manipulation.geometry import pixel_points

from rpent_robot_robocasa.server.parts import HANDLE, part_of_geom

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from rpent_manipulation.mujoco.renderer import Renderer

MARGIN_M = 0.008
"""How far a surface may lie outside the shape that stands for it."""
_BURNER = "burner_on_"


@dataclass(frozen=True, kw_only=True)
class HiddenPart:
    """A part, the label that its pixels would have otherwise, and its shape."""

    label: str
    of: str
    item: int
    """The geom, or the site."""
    is_site: bool = False

    def box(
        self, model: Any, data: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the centre (3,), the axes (3, 3) in columns and the half edges (3,), world."""
        if self.is_site:
            size = model.site_size[self.item]
            half = np.array([size[0], size[0], size[1]])
            return data.site_xpos[self.item], data.site_xmat[self.item].reshape(3, 3), half
        axes = data.geom_xmat[self.item].reshape(3, 3)
        aabb = model.geom_aabb[self.item]
        return data.geom_xpos[self.item] + axes @ aabb[:3], axes, aabb[3:]


def hidden_parts(
    model: Any, labels: Sequence[str], names: Mapping[str, tuple[str, str]]
) -> tuple[HiddenPart, ...]:
    """Return the parts of a kitchen that are not drawn.

    Args:
        model: The compiled kitchen.
        labels: Label of each geom.
        names: Root body of each instance → its label and the prefix of its names.
    """
    drawn = (model.geom_group != 0) & (model.geom_rgba[:, 3] > 0)
    shown = {label for label, visible in zip(labels, drawn, strict=True) if visible}
    parts = [
        HiddenPart(label=label, of=_whole(label), item=geom)
        for geom, label in enumerate(labels)
        if "/" in label and label not in shown and _whole(label) in shown
    ]
    sites = [model.site(site).name for site in range(model.nsite)]
    for instance, prefix in names.values():
        for site, name in enumerate(sites):
            if name.startswith(f"{prefix}{_BURNER}"):
                label = f"{instance}/{part_of_geom(name.removeprefix(prefix), (), '', '')}"
                if label not in shown:
                    parts.append(HiddenPart(label=label, of=instance, item=site, is_site=True))
    return tuple(parts)


def _whole(label: str) -> str:
    """Return what a part is a part of: `microwave_1/door_handle` of `microwave_1/door`, else of the fixture."""
    instance, _, part = label.partition("/")
    return label.removesuffix(f"_{HANDLE}") if part.endswith(f"_{HANDLE}") else instance


class HiddenParts:
    """The parts of one kitchen that are not drawn."""

    def __init__(self, env: Any, labels: Sequence[str], names: Mapping[str, tuple[str, str]]) -> None:
        """Look them up in a kitchen that has been reset; see `hidden_parts`."""
        self._model, self._data = env.sim.model._model, env.sim.data._data
        self._parts = hidden_parts(self._model, labels, names)
        self.labels = frozenset(part.label for part in self._parts)

    def show(
        self, index: NDArray[np.uint16], numbers: Mapping[str, int], renderer: Renderer, camera: str
    ) -> None:
        """Change an (H, W) index where a surface lies in the shape of a hidden part.

        Args:
            index: Which label each pixel shows; changed in place.
            numbers: Label → its index.
            renderer: Draws the depth.
            camera: Simulator name of the camera.
        """
        seen = set(np.unique(index).tolist())
        wanted = [part for part in self._parts if numbers[part.of] in seen]
        if not wanted:
            return
        points = _points(renderer, camera, index.shape)
        before = index.copy()
        for part in wanted:
            pixels = before == numbers[part.of]
            centre, axes, half = part.box(self._model, self._data)
            inside = np.all(np.abs((points[pixels] - centre) @ axes) <= half + MARGIN_M, axis=1)
            rows, cols = np.nonzero(pixels)
            index[rows[inside], cols[inside]] = numbers[part.label]


def _points(renderer: Renderer, camera: str, size: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the (H, W, 3) world points that the pixels show."""
    shape = (size[0], size[1])
    _, depth = renderer.picture_and_depth(camera, shape)
    rows, cols = np.indices(shape)
    return pixel_points(rows, cols, depth, CameraMeta(**renderer.calibration(camera, shape)))
