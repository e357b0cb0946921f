"""What the simulator writes into the compiled model while it runs: colours, sizes of a water jet, poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent_manipulation.env.archive import SnapshotError, array_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_STATIC = ("tex_", "mesh_", "skin_", "hfield_", "flex", "bvh_", "oct_", "name", "text_", "paths", "plugin")
"""Fields that hold files and search trees: nothing writes them, and they are large."""


class ModelState:
    """The model's quantities, and how the reset left them.

    Whole numbers are none of them: the simulator writes none while it runs, and MuJoCo takes them for addresses in its
    own memory unchecked.
    """

    def __init__(self, model: Any) -> None:
        """Look at the model as it is right after a reset."""
        self._fields: dict[str, NDArray[Any]] = {}
        for name in dir(model):
            if name.startswith(("_", *_STATIC)):
                continue
            value = getattr(model, name)
            if isinstance(value, np.ndarray) and value.size and value.dtype.kind == "f":
                self._fields[name] = value
        self._first = {name: value.copy() for name, value in self._fields.items()}

    def changes(self) -> dict[str, NDArray[Any]]:
        """Return the fields that differ from the beginning."""
        return {
            name: value.copy()
            for name, value in self._fields.items()
            if not np.array_equal(value, self._first[name])
        }

    def read(self, changes: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return changes that came from outside, checked.

        Raises:
            SnapshotError: One is of no such field, or of another shape or type.
        """
        if unknown := sorted(set(changes) - set(self._first)):
            raise SnapshotError(f"The snapshot changes `{unknown[0]}` of the model, which does not change.")
        return {name: array_like(value, self._first[name], name) for name, value in changes.items()}

    def apply(self, changes: Mapping[str, NDArray[Any]]) -> None:
        """Bring the model to the beginning plus these changes, which `read` has checked."""
        for name, value in self._fields.items():
            wanted = changes.get(name, self._first[name])
            if not np.array_equal(value, wanted):
                value[:] = wanted
