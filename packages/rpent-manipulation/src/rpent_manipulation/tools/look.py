"""Read-only tools: pictures, calibration, pixels to points, and things by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field
from rpent.errors import ToolError
from rpent.tools.result import Image, ToolResult
from rpent.tools.tool import OneOf, tool

from rpent_manipulation import cloud
from rpent_manipulation.geometry import project
from rpent_manipulation.sight import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent_manipulation.sight import Found, View
    from rpent_manipulation.world import World

Camera = Annotated[str, OneOf("cameras")]
Pixel = Annotated[list[int], Field(min_length=2, max_length=2)]

COLOURS = ((255, 64, 64), (64, 200, 64), (64, 128, 255), (255, 200, 0), (255, 64, 255), (0, 220, 220))


class LookTools:
    """`segment`, `back_project`, `view_env_state`, `view_camera_meta`."""

    world: World
    cameras: ClassVar[tuple[str, ...]]
    """The cameras that a planner is told of, the main one first; the robot's own class says them."""

    @tool(readonly=True, recipe=True, needs="perceptor")
    def segment(
        self,
        prompt: str | None = None,
        camera: Camera | None = None,
        point: Pixel | None = None,
        max_candidates: Annotated[int, Field(ge=1, le=20)] = 8,
    ) -> ToolResult:
        """Find every visible thing that a short noun phrase names, with its place in the world.

        Args:
            prompt: What to look for: `black bowl`, `cookie box`, `top drawer`, `basket`. Leave relations out.
            camera: Whose picture to look at; left out, the one that usually sees what matters.
            point: [row, col] of a pixel instead of a prompt: the thing that is seen there.
            max_candidates: At most so many.

        Returns:
            `candidates` with `id` (for `grasp`, `place`, ...), `label`, `center_xyz` (centroid of the visible surface,
            metres, world), `top_z_m`, `size_xyz_m`, `pixel` [row, col].
        """
        if (prompt is None) == (point is None):
            raise ToolError("Give either a `prompt` or a `point`.")
        world = self.world
        view = world.view(camera)
        found = world.find(prompt, point=_pixel(point, view), camera=camera, limit=max_candidates)
        seen_by = [camera or world.main] if camera or point else list(world.seekers)
        data: dict[str, Any] = {
            "found": bool(found),
            "camera": " and ".join(seen_by),
            "size": list(view.depth.shape),
            "candidates": [candidate_data(thing) for thing in found],
        }
        if not found:
            data["reason"] = f"nothing in the {' or '.join(seen_by)} picture fits `{prompt or point}`"
        asked = prompt or f"pixel {point}"
        return ToolResult(data=data, images=[_marked(world.view(name), found, asked) for name in seen_by])

    @tool(readonly=True)
    def back_project(
        self,
        row: Annotated[int, Field(ge=0)] | None = None,
        col: Annotated[int, Field(ge=0)] | None = None,
        row_range: Pixel | None = None,
        col_range: Pixel | None = None,
        camera: Camera | None = None,
    ) -> ToolResult:
        """Turn a pixel, or a rectangle of pixels, of a picture into world coordinates by its measured depth.

        Args:
            row: Row of the pixel, 0 at the top.
            col: Column of the pixel.
            row_range: [first, last] rows of a rectangle.
            col_range: [first, last] columns of a rectangle.
            camera: Whose picture; left out, the main one.

        Returns:
            `world_xyz` for a pixel; `center_xyz`, `median_xyz`, `size_xyz_m`, `n` for a rectangle.
        """
        view = self.world.view(camera)
        mask = np.zeros(view.depth.shape, dtype=bool)
        single = row is not None and col is not None
        if single:
            mask[_inside([row, row], view, 0), _inside([col, col], view, 1)] = True
        elif row_range is not None and col_range is not None:
            mask[_inside(row_range, view, 0), _inside(col_range, view, 1)] = True
        else:
            raise ToolError("Give `row` and `col`, or `row_range` and `col_range`.")
        points = view.points(mask)
        if len(points) == 0:
            raise ToolError("No depth was measured there.")
        extent = cloud.extent(points)
        data: dict[str, Any] = {"camera": view.camera, "size": list(view.depth.shape), "frame": "world"}
        if single:
            return ToolResult(data={**data, "world_xyz": rounded(points[0])})
        return ToolResult(
            data={
                **data,
                "center_xyz": rounded(extent.middle),
                "median_xyz": rounded(np.median(points, axis=0)),
                "size_xyz_m": rounded(extent.size),
                "n": len(points),
            }
        )

    @tool(readonly=True)
    def view_env_state(self) -> ToolResult:
        """Show the robot's state and fresh pictures of all cameras."""
        self.world.look(self.cameras)
        images = [picture(self.world.view(camera), "the scene now") for camera in self.cameras]
        return ToolResult(data=dict(self.world.summary()), images=images)

    @tool(readonly=True)
    def view_camera_meta(self, camera: Camera | None = None) -> ToolResult:
        """Tell a camera's calibration for the pictures that are shown of it.

        Args:
            camera: Which camera; left out, the main one.

        Returns:
            `intrinsics` (3×3, pixels) and `world_from_camera` (4×4; x right, y down, z forward).
        """
        name = camera or self.world.main
        meta = self.world.env.camera_meta(name, size=self.world.size_of(name))
        return ToolResult(
            data={
                "camera": meta.name,
                "size": [meta.height, meta.width],
                "intrinsics": [rounded(line, 3) for line in meta.intrinsics],
                "world_from_camera": [rounded(line, 6) for line in meta.world_from_camera],
            }
        )


def candidate_data(thing: Found) -> dict[str, Any]:
    """Return what the planner is told of a thing that was found."""
    extent = cloud.extent(thing.points)
    pixel = project(extent.centroid[None], thing.view.calibration)[0]
    return {
        "id": thing.id,
        "label": thing.label,
        "score": thing.segment.score,
        "camera": thing.view.camera,
        "box": list(thing.segment.box),
        "pixel": [round(pixel[0]), round(pixel[1])],
        "center_xyz": rounded(extent.centroid),
        "middle_xyz": rounded(extent.middle),
        "top_z_m": round(cloud.top_height(thing.points), 4),
        "size_xyz_m": rounded(extent.size),
        "points": len(thing.points),
    }


def picture(view: View, purpose: str) -> Image:
    """Return a view as a captioned picture."""
    height, width = view.image.shape[:2]
    return Image(name=view.camera, caption=f"{view.camera}, {height}×{width}, {purpose}", pixels=view.image)


def _marked(view: View, found: Sequence[Found], asked: str) -> Image:
    """Return a view with what was found in it, as a captioned picture."""
    mine = [thing for thing in found if thing.view.camera == view.camera]
    height, width = view.depth.shape
    caption = f"{view.camera}, {height}×{width}: {len(mine)} found for `{asked}`"
    return Image(name="segment_overlay", caption=caption, pixels=overlay(view, mine))


def overlay(view: View, found: Sequence[Found]) -> NDArray[np.uint8]:
    """Return the picture with each found thing tinted and framed in a colour of its own."""
    pixels = view.image.copy()
    for number, thing in enumerate(found):
        colour = np.array(COLOURS[number % len(COLOURS)], dtype=np.uint16)
        mask = thing.segment.mask
        pixels[mask] = ((pixels[mask].astype(np.uint16) + colour) // 2).astype(np.uint8)
        top, left, bottom, right = thing.segment.box
        pixels[[top, bottom], left : right + 1] = colour
        pixels[top : bottom + 1, [left, right]] = colour
    return pixels


def _pixel(point: Sequence[int] | None, view: View) -> tuple[int, int] | None:
    if point is None:
        return None
    height, width = view.depth.shape
    if not (0 <= point[0] < height and 0 <= point[1] < width):
        raise ToolError(f"Pixel {list(point)} is outside the {height}×{width} picture.")
    return int(point[0]), int(point[1])


def _inside(bounds: Any, view: View, axis: int) -> slice:
    first, last = (int(value) for value in bounds)
    limit = view.depth.shape[axis]
    if not 0 <= first <= last < limit:
        what = ("rows", "columns")[axis]
        raise ToolError(f"{what.capitalize()} {first} to {last} are outside 0 to {limit - 1}.")
    return slice(first, last + 1)
