"""Weights in the safetensors format, read and written with numpy alone.

The format: 8 bytes of length (little-endian), JSON of that length that names each tensor with its type, shape and
place, then the bytes (https://github.com/huggingface/safetensors#format).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import PolicyError
from rpent.runs.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

_TYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
_STORED = {np.dtype(np.float32): "F32", np.dtype(np.float16): "F16", np.dtype(np.int64): "I64"}


def save(path: Path, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> None:
    """Write tensors whole or not at all."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    chunks, position = [], 0
    for name, tensor in sorted(tensors.items()):
        data = np.ascontiguousarray(tensor).tobytes()
        header[name] = {
            "dtype": _STORED[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [position, position + len(data)],
        }
        chunks.append(data)
        position += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    write_atomic(path, len(text).to_bytes(8, "little") + text + b"".join(chunks))


def load(path: Path) -> dict[str, NDArray[Any]]:
    """Read all tensors of a file whose header was checked (`rpent_torch.weights.shapes`).

    Raises:
        PolicyError: It holds a type that these policies do not have.
    """
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8:start])
    header.pop("__metadata__", None)
    tensors = {}
    for name, at in header.items():
        if at["dtype"] not in _TYPES:
            raise PolicyError(
                f"The tensor `{name}` in `{path}` is of type {at['dtype']}; `bc` has none of that."
            )
        first, last = at["data_offsets"]
        values = np.frombuffer(data[start + first : start + last], _TYPES[at["dtype"]])
        tensors[name] = values.reshape(at["shape"])
    return tensors
