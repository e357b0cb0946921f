"""RLDX's messages: msgpack, with arrays as the bytes of a `.npy` file and modalities as marked maps. No pickle."""

from __future__ import annotations

import io
import json
from math import prod
from typing import Any

import msgpack
import numpy as np
from rpent.errors import PolicyError
from rpent.rpc.bounded import unpack_bounded

MAX_MESSAGE_BYTES = 64 * 2**20
"""Larger answers are refused by the socket."""

_KINDS = "biuf"
_MAX_AXES = 8
_FORMATS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def pack(value: Any) -> bytes:
    """Return the message.

    Raises:
        PolicyError: It holds something that is not carried.
    """
    try:
        data: bytes = msgpack.packb(value, default=_encode)
    except (TypeError, ValueError, OverflowError) as error:
        raise PolicyError(f"A message for an RLDX server cannot be written: {error}.") from error
    return data


def unpack(data: bytes) -> Any:
    """Return the message; arrays are copies, modalities are plain maps.

    Raises:
        PolicyError: It is no such message.
    """
    try:
        return unpack_bounded(data, _decode)
    except (
        ValueError,
        TypeError,
        KeyError,
        OverflowError,
        RecursionError,
        EOFError,
    ) as error:
        raise PolicyError(f"A message is not RLDX's msgpack ({type(error).__name__}: {error}).") from error


def modality(*, keys: list[str], deltas: list[int]) -> dict[str, Any]:
    """Return the marked map of one modality, as servers send it."""
    fields = {
        "delta_indices": deltas,
        "modality_keys": keys,
        "sin_cos_embedding_keys": None,
        "mean_std_embedding_keys": None,
        "action_configs": None,
    }
    return {"__ModalityConfig_class__": True, "as_json": fields}


def _encode(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"`{type(value).__name__}` is neither plain data nor an array")
    if value.dtype.kind not in _KINDS:
        raise ValueError(f"the dtype `{value.dtype}` is not carried")
    file = io.BytesIO()
    np.lib.format.write_array(file, value, allow_pickle=False)
    return {"__ndarray_class__": True, "as_npy": file.getvalue()}


def _decode(fields: dict[Any, Any]) -> Any:
    if "__ndarray_class__" in fields:
        return _array(fields["as_npy"])
    if "__ModalityConfig_class__" in fields:
        content = fields["as_json"]
        return json.loads(content) if isinstance(content, str) else content
    return fields


def _array(data: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Read a `.npy` whose header says no more than there is: numpy itself allocates before it reads."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in _FORMATS:
        raise ValueError(f"version {version} of the format is not accepted")
    shape, columns_first, dtype = _FORMATS[version](file)
    if dtype.kind not in _KINDS or len(shape) > _MAX_AXES:
        raise ValueError(f"an array {dtype} {shape} is not accepted")
    body = data[file.tell() :]
    if prod(shape) * dtype.itemsize != len(body):
        raise ValueError(f"{len(body)} bytes are no array {dtype} {shape}")
    return np.frombuffer(body, dtype).reshape(shape, order="F" if columns_first else "C").copy()
