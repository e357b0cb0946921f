"""For tests of backends: files that look like a checkpoint's weights, made without torch."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def write_zeros(path: Path, shapes: Mapping[str, Sequence[int]]) -> None:
    """Write a safetensors file of float32 zeros.

    Args:
        path: Where to.
        shapes: Key → shape.
    """
    header: dict[str, Any] = {}
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(end))
