"""Pictures and depth, encoded once: the same bytes are stored and handed to the planner."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image as PillowImage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent.tools.result import Image

REPLY_BUDGET = 400_000
"""Bytes of pictures that one reply hands to the planner at most."""

_ATTEMPTS = ((90, 1), (80, 1), (65, 1), (75, 2), (60, 2), (60, 4))
"""JPEG quality and down-scaling, from the best to the smallest."""
FRAME_QUALITY = 75
FRAME_SIDE = 512
"""Rows or columns of a frame of a motion at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """An encoded picture."""

    name: str
    caption: str
    data: bytes
    width: int
    height: int
    media_type: str = "image/jpeg"
    path: str = ""
    """Where it is stored, relative to the run directory."""

    @property
    def base64(self) -> str:
        """The encoded picture as text, as the wires of language models have it."""
        return b64encode(self.data).decode()

    def reference(self) -> dict[str, object]:
        """Return what events and transcripts hold instead of the pixels."""
        return {
            "name": self.name,
            "caption": self.caption,
            "media_type": self.media_type,
            "width": self.width,
            "height": self.height,
            "path": self.path,
            "sha256": sha256(self.data).hexdigest(),
        }


def encode_pictures(
    images: Sequence[Image], folder: str = "", *, budget: int = REPLY_BUDGET
) -> list[Picture]:
    """Encode the pictures of one reply as JPEG so that they fit in the budget together.

    Args:
        images: What a tool or a capture shows.
        folder: Where they are stored, relative to the run directory.
        budget: Bytes for all of them; quality goes down first, then size.
    """
    pictures: list[Picture] = []
    for quality, scale in _ATTEMPTS:
        pictures = [_encode(image, folder, quality, scale) for image in images]
        if sum(len(picture.data) for picture in pictures) <= budget:
            break
    while pictures and sum(len(picture.data) for picture in pictures) > budget:
        pictures.pop()
    return pictures


def encode_frame(name: str, pixels: NDArray[np.uint8]) -> Picture:
    """Encode one frame of a motion, (H, W, 3) uint8, to be looked at in passing.

    Raises:
        ValueError, TypeError: It is no picture.
    """
    frame = np.asarray(pixels, dtype=np.uint8)
    stride = -(-max(frame.shape[:2]) // FRAME_SIDE)
    data, width, height = _jpeg(frame[::stride, ::stride], FRAME_QUALITY, 1)
    return Picture(name=name, caption="", data=data, width=width, height=height)


def _encode(image: Image, folder: str, quality: int, scale: int) -> Picture:
    data, width, height = _jpeg(image.pixels, quality, scale)
    return Picture(
        name=image.name,
        caption=image.caption,
        data=data,
        width=width,
        height=height,
        path=f"{folder}/{image.name}.jpg" if folder else "",
    )


def _jpeg(pixels: NDArray[np.uint8], quality: int, scale: int) -> tuple[bytes, int, int]:
    picture = PillowImage.fromarray(np.ascontiguousarray(pixels, dtype=np.uint8))
    if scale > 1:
        picture = picture.reduce(scale)
    buffer = BytesIO()
    picture.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue(), picture.width, picture.height


def encode_depth(depth: NDArray[np.float32]) -> bytes:
    """Encode (H, W) float32 metres as a 16-bit PNG of millimetres; 0 stands for no measurement.

    Half a millimetre of rounding is far below the error of any depth camera, and a quarter of the bytes of
    float32.
    """
    millimetres = np.nan_to_num(np.asarray(depth) * 1000.0, nan=0.0, posinf=0.0, neginf=0.0)
    buffer = BytesIO()
    whole = np.clip(np.rint(millimetres), 0, 65535).astype(np.uint16)
    PillowImage.fromarray(whole).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def decode_depth(data: bytes) -> NDArray[np.float32]:
    """Read what `encode_depth` wrote: (H, W) float32 metres."""
    with PillowImage.open(BytesIO(data)) as picture:
        return np.asarray(picture).astype(np.float32) / np.float32(1000.0)
