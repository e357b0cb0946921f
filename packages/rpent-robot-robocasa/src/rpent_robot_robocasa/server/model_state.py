"""What the simulator writes into the compiled model while it runs: colours, sizes of a water jet, poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_STATIC = ("tex_", "mesh_", "skin_", "hfield_", "flex", "bvh_", "oct_", "name", "text_", "paths", "plugin")
"""Fields that hold files and search trees: nothing writes them, and they are large."""


class ModelState:
    """The model's numbers, and how the reset left them."""

    def __init__(self, model: Any) -> None:
        """Look at the model as it is right after a reset."""
        self._fields: dict[str, NDArray[Any]] = {}
        for name in dir(model):
            if name.startswith(("_", *_STATIC)):
                continue
            value = getattr(model, name)
            if isinstance(value, np.ndarray) and value.size and value.dtype.kind in "biuf":
                self._fields[name] = value
        self._first = {name: value.copy() for name, value in self._fields.items()}

    def changes(self) -> dict[str, NDArray[Any]]:
        """Return the fields that differ from the beginning."""
        return {
            name: value.copy()
            for name, value in self._fields.items()
            if not np.array_equal(value, self._first[name])
        }

    def apply(self, changes: Mapping[str, NDArray[Any]]) -> None:
        """Bring the model to the beginning plus these changes."""
        for name, value in self._fields.items():
            wanted = changes.get(name, self._first[name])
            if not np.array_equal(value, wanted):
                value[:] = wanted
