"""Depth as colours: near is warm, far is cold, what was not measured is transparent."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ANCHORS = (
    (0.00, (122, 16, 12)),
    (0.14, (205, 56, 20)),
    (0.28, (248, 128, 30)),
    (0.42, (244, 206, 58)),
    (0.54, (158, 236, 78)),
    (0.66, (52, 214, 148)),
    (0.78, (42, 158, 226)),
    (0.90, (70, 92, 214)),
    (1.00, (48, 22, 86)),
)
"""Place between near and far → red, green, blue."""
NEAREST, FARTHEST = 2.0, 98.0
"""Percentiles that are taken for near and far, so that a few outliers do not take all colours."""
LEAST_M = 0.01
"""The range is at least this deep."""


def coloured(depth_m: NDArray[np.float32], near_m: float, far_m: float) -> bytes:
    """Return (H, W) depth in metres as a PNG with a palette; 0 stands for no measurement and is transparent."""
    place = np.clip((depth_m - near_m) / max(far_m - near_m, LEAST_M), 0.0, 1.0)
    indices = np.where(depth_m > 0, 1 + np.rint(place * 254), 0).astype(np.uint8)
    picture = Image.fromarray(indices, mode="P")
    picture.putpalette([0, 0, 0, *_table().reshape(-1).tolist()])
    buffer = BytesIO()
    picture.save(buffer, "PNG", transparency=0, compress_level=1)
    return buffer.getvalue()


def range_of(depth_m: NDArray[np.float32]) -> tuple[float, float]:
    """Return near and far in metres; zeros where nothing was measured."""
    measured = depth_m[depth_m > 0]
    if measured.size == 0:
        return 0.0, 0.0
    near, far = np.percentile(measured, [NEAREST, FARTHEST])
    return float(near), float(max(far, near + LEAST_M))


def _table() -> NDArray[np.uint8]:
    """Return (255, 3) colours, from near to far."""
    places, colours = zip(*_ANCHORS, strict=True)
    steps = np.linspace(0.0, 1.0, 255)
    channels = [np.interp(steps, places, channel) for channel in zip(*colours, strict=True)]
    return np.asarray(np.rint(np.stack(channels, axis=1)), np.uint8)
