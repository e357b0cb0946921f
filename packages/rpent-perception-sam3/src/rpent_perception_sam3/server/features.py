"""The features of pictures, kept for further prompts: they take nearly all of the time."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Features:
    """The most recently used ones."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[bytes, Any] = OrderedDict()
        self.computed = 0
        self.reused = 0

    def of(self, key: bytes, compute: Callable[[], Any]) -> Any:
        """Return the features of the picture with that key."""
        if key in self._kept:
            self.reused += 1
            self._kept.move_to_end(key)
            return self._kept[key]
        while len(self._kept) >= self._limit:  # before, so that there is room for the new ones
            self._kept.popitem(last=False)
        found = self._kept[key] = compute()
        self.computed += 1
        return found
