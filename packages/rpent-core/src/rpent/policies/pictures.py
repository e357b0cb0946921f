"""A robot's upright picture as a policy was trained to see it: mirrored or turned, and resized."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.policies.embodiment import CameraView


def seen_as(picture: NDArray[np.uint8], view: CameraView) -> NDArray[np.uint8]:
    """Return a contiguous copy of a (H, W, 3) uint8 picture in the view's flip and size (bilinear)."""
    turned = flipped(picture, view.flip)
    height, width = view.height or turned.shape[0], view.width or turned.shape[1]
    if turned.shape[:2] != (height, width):
        return resized(turned, height, width, pad=view.resize == "pad")
    if view.flip in {"none", "vertical"}:
        return turned.copy(order="C")
    copy = np.empty_like(turned, order="C")
    for channel in range(turned.shape[2]):  # numpy copies single bytes backwards faster than groups of three
        copy[..., channel] = turned[..., channel]
    return copy


def flipped(picture: NDArray[np.uint8], flip: str) -> NDArray[np.uint8]:
    """Return a view of the picture, mirrored or turned."""
    rows = slice(None, None, -1 if flip in {"vertical", "rotate180"} else 1)
    columns = slice(None, None, -1 if flip in {"horizontal", "rotate180"} else 1)
    return picture[rows, columns]


def resized(picture: NDArray[np.uint8], height: int, width: int, *, pad: bool = False) -> NDArray[np.uint8]:
    """Return the picture in another size; with `pad` its aspect ratio stays and black fills the rest."""
    from PIL import Image  # noqa: PLC0415  (only where sizes differ)

    rows, columns = picture.shape[:2]
    if not pad or rows * width == columns * height:
        image = Image.fromarray(np.ascontiguousarray(picture))
        return np.array(image.resize((width, height), Image.Resampling.BILINEAR))
    ratio = max(rows / height, columns / width)
    inner_height, inner_width = max(1, int(rows / ratio)), max(1, int(columns / ratio))
    top, left = (height - inner_height) // 2, (width - inner_width) // 2
    result = np.zeros((height, width, 3), np.uint8)
    result[top : top + inner_height, left : left + inner_width] = resized(picture, inner_height, inner_width)
    return result
