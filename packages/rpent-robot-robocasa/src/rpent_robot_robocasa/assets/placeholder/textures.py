"""Textures: 8 × 8 pixels of one colour, with a faint check so that turns and distances can be seen."""

from __future__ import annotations

import struct
import zlib

_SIDE = 8
_DARKER = 6


def flat_png(colour: tuple[int, int, int]) -> bytes:
    """Return a PNG file of one colour (0 to 255 each); the same bytes for the same colour."""
    rows = b"".join(b"\0" + b"".join(_pixel(colour, x, y) for x in range(_SIDE)) for y in range(_SIDE))
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", _stored(rows)) + _chunk(b"IEND", b"")
    )


def _pixel(colour: tuple[int, int, int], x: int, y: int) -> bytes:
    return bytes(max(0, value - (_DARKER if (x ^ y) & 4 else 0)) for value in colour)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _stored(data: bytes) -> bytes:
    """Return a zlib stream without compression: its bytes do not depend on the zlib that is installed."""
    block = b"\x01" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data
    return b"\x78\x01" + block + struct.pack(">I", zlib.adler32(data))
