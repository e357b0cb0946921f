"""Frames in one stretch of bytes, for transports that carry streams: a table of sizes, then the frames.

Layout, little-endian: `RPF1`, frame count (u32), total size (u64), the frames' sizes (u64 each), then the
frames; table and frames start at multiples of 16 bytes, so that arrays are aligned where the whole is.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from rpent.errors import FrameError
from rpent.rpc.codec import Buffer, Limits, frame_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = struct.Struct("<4sIQ")
_MAGIC = b"RPF1"
_ALIGNMENT = 16


def join(frames: Sequence[Buffer]) -> bytes:
    """Return the frames as one message."""
    sizes = [frame_bytes(frame) for frame in frames]
    table = struct.pack(f"<{len(sizes)}Q", *sizes)
    parts: list[Buffer] = [b"", table, _padding(len(table))]
    for frame, size in zip(frames, sizes, strict=True):
        parts += (frame, _padding(size))
    total = HEAD.size + sum(map(frame_bytes, parts))
    parts[0] = HEAD.pack(_MAGIC, len(frames), total)
    return b"".join(parts)


def message_size(head: Buffer, limits: Limits) -> int:
    """Return the size of a message from its first `HEAD.size` bytes.

    Raises:
        FrameError: It is not a message, or a larger one than `limits` allows.
    """
    if frame_bytes(head) < HEAD.size:
        raise FrameError("The message is cut off.")
    magic, count, total = HEAD.unpack_from(head)
    if magic != _MAGIC:
        raise FrameError("The bytes are not an RPent message.")
    # One frame more than the payload's: the envelope.
    if count > limits.frames + 1 or total > largest_message(limits):
        raise FrameError(f"The message has {count} frames and {total} bytes, which is more than is accepted.")
    return int(total)


def largest_message(limits: Limits) -> int:
    """Return how many bytes a message within `limits` may have, table and padding included."""
    return limits.message_bytes + (limits.frames + 2) * (8 + _ALIGNMENT) + 4096


def split(message: Buffer, limits: Limits) -> list[Buffer]:
    """Return the frames as views of the message.

    Raises:
        FrameError: The bytes are not exactly one message within `limits`.
    """
    view = memoryview(message)
    total = message_size(view, limits)
    _, count, _ = HEAD.unpack_from(view)
    if total != view.nbytes or HEAD.size + 8 * count > total:
        raise FrameError("The message is cut off.")
    position = HEAD.size + 8 * count
    position += -position % _ALIGNMENT
    frames: list[Buffer] = []
    for size in struct.unpack_from(f"<{count}Q", view, HEAD.size):
        if size > total - position:
            raise FrameError("The message is cut off.")
        frames.append(view[position : position + size])
        position += size + -size % _ALIGNMENT
    return frames


def _padding(size: int) -> bytes:
    return b"\0" * (-size % _ALIGNMENT)
