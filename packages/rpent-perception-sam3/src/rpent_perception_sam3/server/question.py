"""What is asked of the models, checked before any of them sees it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import ToolError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_SIDE = 4096
MAX_CANDIDATES = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One picture, and a text or a point."""

    image: NDArray[np.uint8]
    """(H, W, 3)."""
    key: bytes
    """The same for equal pictures."""
    prompt: str | None
    point: tuple[int, int] | None
    """Row and column."""
    min_score: float
    max_candidates: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.image.shape[0]), int(self.image.shape[1])


def question(image: Any, prompt: Any, point: Any, min_score: Any, max_candidates: Any) -> Question:
    """Check the parameters of a call.

    Raises:
        ToolError: One is not accepted.
    """
    picture = _picture(image)
    if (prompt is None) == (point is None):
        raise ToolError("Give either a `prompt` or a `point`.")
    if prompt is not None and not (isinstance(prompt, str) and prompt.strip()):
        raise ToolError("The `prompt` is empty; name what to look for.")
    if not _is_number(min_score) or not 0 <= min_score <= 1:
        raise ToolError(f"`min_score` is {min_score!r}; it must be a number from 0 to 1.")
    if type(max_candidates) is not int or not 1 <= max_candidates <= MAX_CANDIDATES:
        raise ToolError(f"`max_candidates` is {max_candidates!r}; it must be 1 to {MAX_CANDIDATES}.")
    return Question(
        image=picture,
        key=hashlib.blake2b(picture.tobytes(), digest_size=16, salt=_salt(picture)).digest(),
        prompt=None if prompt is None else " ".join(prompt.split()),
        point=None if point is None else _point(point, picture),
        min_score=float(min_score),
        max_candidates=max_candidates,
    )


def _picture(image: Any) -> NDArray[np.uint8]:
    wanted = "(H, W, 3) uint8"
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8:
        raise ToolError(f"The `image` is no {wanted} array.")
    if image.ndim != 3 or image.shape[2] != 3 or not min(image.shape[:2]) >= 1:
        raise ToolError(f"The `image` has the shape {image.shape}; it must be {wanted}.")
    if max(image.shape[:2]) > MAX_SIDE:
        raise ToolError(
            f"The `image` has {image.shape[0]}×{image.shape[1]} pixels; {MAX_SIDE} a side is the limit."
        )
    return np.array(image)  # what came over the wire is read-only


def _point(point: Any, picture: NDArray[np.uint8]) -> tuple[int, int]:
    rows, columns = picture.shape[:2]
    whole = (
        isinstance(point, (list, tuple)) and len(point) == 2 and all(type(value) is int for value in point)
    )
    if not whole or not (0 <= point[0] < rows and 0 <= point[1] < columns):
        raise ToolError(
            f"The `point` is {point!r}; it must be [row, col] of a pixel of the {rows}×{columns} picture."
        )
    return int(point[0]), int(point[1])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _salt(picture: NDArray[np.uint8]) -> bytes:
    """Return the shape, so that 2×8 and 4×4 pixels of the same bytes differ."""
    return b"".join(int(side).to_bytes(4, "little") for side in picture.shape[:2])
