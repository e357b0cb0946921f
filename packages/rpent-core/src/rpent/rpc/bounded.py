"""msgpack of other programs: read without letting a small message fill the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgpack

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CONTAINERS = 100_000
"""Lists, and maps, in a message: a byte each on the wire, and dozens in memory."""


def unpack_bounded(data: bytes, decode_map: Callable[[dict[Any, Any]], Any]) -> Any:
    """Return a message with each of its maps passed through `decode_map`.

    Raises:
        ValueError: It is no msgpack, or holds too many lists or maps. What `decode_map` raises goes through.
    """
    try:
        return msgpack.unpackb(
            data,
            object_hook=_Bound(decode_map),
            list_hook=_Bound(lambda values: values),
            max_array_len=MAX_CONTAINERS,
            max_map_len=MAX_CONTAINERS,
        )
    except msgpack.UnpackException as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


class _Bound:
    """A hook that is called a bounded number of times."""

    def __init__(self, hook: Callable[[Any], Any]) -> None:
        self._hook, self._left = hook, MAX_CONTAINERS

    def __call__(self, value: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise ValueError("it holds too many lists or maps")
        return self._hook(value)
