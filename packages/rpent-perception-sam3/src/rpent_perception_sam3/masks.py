"""Masks as they travel: PNG with one bit a pixel, a few hundred bytes for a 256×256 picture."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, UnidentifiedImageError
from rpent.errors import ToolError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def encode(mask: NDArray[np.bool_]) -> bytes:
    """Return a mask (H, W) as PNG."""
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(mask, dtype=bool)).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def decode(data: bytes, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the mask in a PNG.

    Args:
        data: The file.
        shape: The rows and columns that it must have: the picture's.

    Raises:
        ToolError: It is no PNG with one bit a pixel, or of another size.
    """
    try:
        picture = Image.open(io.BytesIO(data), formats=("PNG",))
        rows, columns = picture.height, picture.width  # known before anything is unpacked
        if (rows, columns) != shape or picture.mode != "1":
            raise ToolError(
                f"The perception server answered with a mask of {rows}×{columns} (mode {picture.mode}) "
                f"for a picture of {shape[0]}×{shape[1]}."
            )
        return np.array(picture, dtype=bool)
    except (
        UnidentifiedImageError,
        Image.DecompressionBombError,
        OSError,
        ValueError,
        SyntaxError,
        TypeError,
    ) as error:
        raise ToolError("The perception server answered with a mask that is no PNG.") from error


def box_of(mask: NDArray[np.bool_]) -> tuple[int, int, int, int] | None:
    """Return the row_min, col_min, row_max, col_max of a mask, inclusive; None for an empty one."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if len(rows) == 0:
        return None
    return int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1])
