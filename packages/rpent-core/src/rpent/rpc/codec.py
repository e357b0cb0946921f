"""Plain data and numeric arrays as frames: one msgpack header, then the arrays' own memory, uncopied.

What passes: None, bool, int (64 bit), float, str, bytes, list, dict with str or int keys, numpy scalars
(which arrive as Python numbers), and arrays of the dtypes in `DTYPES`. Tuples arrive as lists. Everything
else, object arrays included, is refused; nothing is ever pickled or imported by name.

Decoded arrays are read-only views of the received memory; whoever wants to write makes a copy. An array
that is encoded is handed over: it must not be changed until the peer has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import msgpack
import numpy as np

from rpent.errors import FrameError, clause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Buffer = bytes | bytearray | memoryview
"""One frame."""

DTYPES: dict[str, np.dtype[Any]] = {
    dtype.str: dtype
    for dtype in (
        np.dtype(code).newbyteorder("<")
        for code in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
    )
}
"""What an array may be made of, by its little-endian dtype string."""

INLINE_BYTES = 1024
"""Smaller arrays travel inside the header: a frame of their own would cost more than the copy."""

_ARRAY, _INLINE_ARRAY = 1, 2
_MAX_DIMENSIONS = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Bounds of one message, in both directions."""

    message_bytes: int = 256 * 2**20
    header_bytes: int = 16 * 2**20
    frames: int = 1024
    items: int = 2**20
    """Longest list or dict."""


DEFAULT_LIMITS = Limits()


def encode(value: Any, limits: Limits = DEFAULT_LIMITS) -> list[Buffer]:
    """Turn plain data into frames: the header, then one frame for each array of at least `INLINE_BYTES`.

    Raises:
        FrameError: The value holds something that does not pass, or is larger than `limits`.
    """
    arrays: list[Buffer] = []

    def pack_special(item: Any) -> Any:
        if isinstance(item, np.ndarray):
            return _pack_array(item, arrays)
        if isinstance(item, np.generic) and item.dtype.newbyteorder("<").str in DTYPES:
            return _pack_array(np.asarray(item), arrays) if item.dtype.kind == "c" else item.item()
        raise FrameError(
            f"A value of type `{type(item).__name__}` cannot be sent; only plain data and numeric arrays can."
        )

    try:
        header = msgpack.packb(value, default=pack_special, use_bin_type=True)
    except (ValueError, OverflowError, TypeError, UnicodeError) as error:
        raise FrameError(f"The value cannot be sent: {clause(error)}.") from error
    frames: list[Buffer] = [header, *arrays]
    check_size(frames, limits)
    return frames


def decode(frames: Sequence[Buffer], limits: Limits = DEFAULT_LIMITS) -> Any:
    """Turn frames back into the value.

    Raises:
        FrameError: The frames are not what `encode` makes, or are larger than `limits`.
    """
    if not frames:
        raise FrameError("The message has no header frame.")
    check_size(frames, limits)
    arrays = frames[1:]

    def unpack_special(code: int, data: bytes) -> NDArray[Any]:
        if code == _INLINE_ARRAY:
            dtype, shape, content = _unpack(data, limits)
        elif code == _ARRAY:
            dtype, shape, index = _unpack(data, limits)
            if type(index) is not int or not 0 <= index < len(arrays):
                raise FrameError("An array refers to a frame that is not there.")
            content = arrays[index]
        else:
            raise FrameError(f"The extension type `{code}` is unknown.")
        return _view(dtype, shape, content)

    try:
        return msgpack.unpackb(
            frames[0],
            ext_hook=unpack_special,
            raw=False,
            timestamp=1,
            strict_map_key=False,
            max_array_len=limits.items,
            max_map_len=limits.items,
        )
    except FrameError:
        raise
    except (
        ValueError,
        TypeError,
        OverflowError,
        RecursionError,
        msgpack.exceptions.UnpackException,
    ) as error:
        raise FrameError(f"The message is not valid: {clause(error)}.") from error


def check_size(frames: Sequence[Buffer], limits: Limits) -> None:
    """Refuse a message with too many or too large frames.

    Raises:
        FrameError: It is larger than `limits`.
    """
    if len(frames) > limits.frames:
        raise FrameError(f"The message has {len(frames)} frames; at most {limits.frames} are accepted.")
    size = sum(map(frame_bytes, frames))
    if size > limits.message_bytes:
        raise FrameError(f"The message has {size} bytes; at most {limits.message_bytes} are accepted.")
    if frames and frame_bytes(frames[0]) > limits.header_bytes:
        raise FrameError(
            f"The message's header has {frame_bytes(frames[0])} bytes; "
            f"at most {limits.header_bytes} are accepted."
        )


def frame_bytes(frame: Buffer) -> int:
    """Return the size of a frame in bytes."""
    return frame.nbytes if isinstance(frame, memoryview) else len(frame)


def _pack_array(array: NDArray[Any], arrays: list[Buffer]) -> msgpack.ExtType:
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in DTYPES:
        raise FrameError(f"An array of dtype `{array.dtype}` cannot be sent; only numbers and booleans can.")
    shape = array.shape
    array = np.ascontiguousarray(array, dtype=dtype)
    if array.nbytes < INLINE_BYTES:
        return msgpack.ExtType(_INLINE_ARRAY, msgpack.packb((dtype.str, shape, array.tobytes())))
    if not _is_owned(array):
        array = array.copy()
    arrays.append(array.reshape(-1).view(np.uint8).data)
    return msgpack.ExtType(_ARRAY, msgpack.packb((dtype.str, shape, len(arrays) - 1)))


def _is_owned(array: NDArray[Any]) -> bool:
    """Whether the memory is numpy's; a simulator's (MuJoCo's `data.qpos`) changes behind our back."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base is None or isinstance(base, bytes) or (isinstance(base, memoryview) and base.readonly)


def _unpack(data: bytes, limits: Limits) -> tuple[Any, Any, Any]:
    fields = msgpack.unpackb(data, max_array_len=limits.items)
    if type(fields) is not list or len(fields) != 3:
        raise FrameError("An array is described by other than dtype, shape and content.")
    return fields[0], fields[1], fields[2]


def _view(dtype_name: Any, shape: Any, content: Any) -> NDArray[Any]:
    dtype = DTYPES.get(dtype_name) if isinstance(dtype_name, str) else None
    if dtype is None:
        raise FrameError(f"An array has the dtype `{str(dtype_name)[:40]}`, which is not accepted.")
    if (
        type(shape) is not list
        or len(shape) > _MAX_DIMENSIONS
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise FrameError("An array's shape is not a short list of sizes.")
    if not isinstance(content, bytes | bytearray | memoryview):
        raise FrameError("An array's content is not bytes.")
    if prod(shape) * dtype.itemsize != frame_bytes(content):
        raise FrameError(
            f"An array of shape {shape} and dtype `{dtype}` does not fit its {frame_bytes(content)} bytes."
        )
    array: NDArray[Any] = np.ndarray(shape, dtype, buffer=content)
    array.flags.writeable = False
    return array
