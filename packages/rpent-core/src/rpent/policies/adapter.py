"""Between a robot and a checkpoint: its pictures and state in the checkpoint's names, the answer as its own actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.errors import PolicyError
from rpent.policies.fit import action_slices
from rpent.policies.orientation import CONVERSIONS
from rpent.policies.pictures import seen_as
from rpent.suggest import listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent.policies.embodiment import CameraView, Embodiment, Layout, StatePart
    from rpent.policies.signature import Signature


class Adapter:
    """Applies a layout that fits (see `rpent.policies.fit`)."""

    def __init__(self, signature: Signature, embodiment: Embodiment, layout: Layout) -> None:
        self._signature, self._embodiment = signature, embodiment
        self._views = {name: _sized(layout.cameras[name], signature, name) for name in signature.cameras}
        self._state = {name: layout.state[name] for name in signature.state}
        self._scale, self._offset, self._binary = _affine(embodiment, layout)
        self._columns = _columns(signature, embodiment, layout)

    def cameras(self) -> dict[str, tuple[int, int]]:
        """Return which of the robot's cameras to render, and how large at least: (height, width)."""
        sizes: dict[str, tuple[int, int]] = {}
        for view in self._views.values():
            default = self._embodiment.camera_size
            height, width = sizes.get(view.camera, (default, default))
            sizes[view.camera] = (max(height, view.height or 0), max(width, view.width or 0))
        return sizes

    def picture_sizes(self) -> dict[str, tuple[int, int]]:
        """Return how large the checkpoint's pictures will be: name → (height, width)."""
        cameras = self.cameras()
        return {
            name: (view.height or cameras[view.camera][0], view.width or cameras[view.camera][1])
            for name, view in self._views.items()
        }

    def state_fields(self) -> dict[str, int]:
        """Return which of the robot's state fields are needed, and their lengths."""
        wanted = [part.field for parts in self._state.values() for part in parts]
        return {field: self._embodiment.state[field] for field in dict.fromkeys(wanted)}

    def request_parts(
        self, observation: Mapping[str, Any]
    ) -> tuple[dict[str, NDArray[np.uint8]], dict[str, NDArray[np.float32]]]:
        """Return the pictures and vectors in the checkpoint's names; each array is a copy of its own.

        Args:
            observation: `images`: camera → (H, W, 3) uint8, upright; `state`: field → vector.

        Raises:
            PolicyError: A camera or field is missing, or has another shape.
        """
        images, state = observation.get("images") or {}, observation.get("state") or {}
        pictures = {name: seen_as(_picture(images, view.camera), view) for name, view in self._views.items()}
        vectors = {
            name: np.concatenate([self._part(state, part) for part in parts]).astype(np.float32)
            for name, parts in self._state.items()
        }
        return pictures, vectors

    def robot_actions(self, chunk: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Turn a (T, Dp) chunk of the checkpoint into (T, D) rows of the robot's own action."""
        rows = np.asarray(chunk, np.float64)[:, self._columns] * self._scale + self._offset
        return np.where(self._binary, np.where(rows >= 0, 1.0, -1.0), rows)

    def _part(self, state: Mapping[str, Any], part: StatePart) -> NDArray[np.float64]:
        if part.field not in state:
            raise PolicyError(
                f"The observation lacks the state field `{part.field}`; it has {listing(state)}."
            )
        value = np.atleast_1d(np.asarray(state[part.field], np.float64))
        length = self._embodiment.state[part.field]
        if value.shape != (length,):
            raise PolicyError(
                f"The state field `{part.field}` has shape {value.shape}; it is a vector of {length}."
            )
        if part.convert != "none":
            value = CONVERSIONS[part.convert][1](value)
        end = None if part.length is None else part.start + part.length
        return part.scale * value[part.start : end] + part.offset


def _picture(images: Mapping[str, Any], camera: str) -> NDArray[np.uint8]:
    if camera not in images:
        raise PolicyError(f"The observation lacks the camera `{camera}`; it has {listing(images)}.")
    picture = np.asarray(images[camera])
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or 0 in picture.shape:
        raise PolicyError(
            f"The picture of `{camera}` is {picture.dtype} {picture.shape}; it is uint8 of shape (H, W, 3)."
        )
    return picture


def _sized(view: CameraView, signature: Signature, name: str) -> CameraView:
    wanted = signature.cameras[name]
    return view.model_copy(
        update={"height": wanted.height or view.height, "width": wanted.width or view.width}
    )


def _affine(
    embodiment: Embodiment, layout: Layout
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return scale, offset and binary for each number of the robot's action, in its own order."""
    by_field = {part.field: part for part in layout.action}
    parts = [(by_field[name], field.length) for name, field in embodiment.action.items()]
    return (
        np.concatenate([np.full(length, part.scale) for part, length in parts]),
        np.concatenate([np.full(length, part.offset) for part, length in parts]),
        np.concatenate([np.full(length, part.binary) for part, length in parts]),
    )


def _columns(signature: Signature, embodiment: Embodiment, layout: Layout) -> NDArray[np.intp]:
    """Return the checkpoint's column for each number of the robot's action, in its own order."""
    by_field = {part.field: taken for part, taken in action_slices(signature, layout, embodiment)}
    return np.concatenate(
        [np.arange(by_field[field].start, by_field[field].stop) for field in embodiment.action]
    )
