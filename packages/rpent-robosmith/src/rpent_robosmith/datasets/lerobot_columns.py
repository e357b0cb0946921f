"""Which columns of a LeRobot dataset are its action, its state and its cameras."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.api import CameraColumn, VectorColumn
from rpent_robosmith.datasets.faults import damaged
from rpent_robosmith.datasets.order import natural, numbered_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from rpent_robosmith.datasets.lerobot_layout import Info

CAMERA_KINDS = ("video", "image")
_OF_STEPS = ("timestamp", "task_index", "next.reward", "next.success")
_NUMERIC = ("float", "int", "uint", "bool")


@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """A dataset's columns, sorted by what they are."""

    action: VectorColumn
    action_parts: tuple[str, ...]
    """Stored columns that are the action, in order."""
    state: Mapping[str, VectorColumn]
    state_parts: Mapping[str, tuple[str, ...]]
    cameras: Mapping[str, CameraColumn]
    stored: tuple[str, ...]
    """All that is read of the data files."""

    @property
    def videos(self) -> tuple[str, ...]:
        """The cameras that are kept as video."""
        return tuple(key for key, camera in self.cameras.items() if camera.encoding == "video")

    @property
    def has_success(self) -> bool:
        """Whether steps say that an episode succeeded."""
        return "next.success" in self.stored

    def vector(
        self, key: str, parts: tuple[str, ...], arrays: Mapping[str, NDArray[np.generic]], file: Path
    ) -> NDArray[np.floating[Any]]:
        """Join the parts of a vector.

        Returns:
            (T, D), floating.

        Raises:
            DatasetError: It is not as wide as declared.
        """
        pieces = [np.asarray(arrays[part]).reshape(len(arrays[part]), -1) for part in parts]
        joined = pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis=1)
        declared = self.action if key == "action" else self.state[key]
        width = int(np.prod(declared.shape))
        if joined.shape[1] != width:
            raise damaged(
                file, f"`{key}` has {joined.shape[1]} numbers, and `meta/info.json` declares {width}"
            )
        return joined if joined.dtype.kind == "f" else joined.astype(np.float64)


def columns_of(info: Info, root: Path) -> Columns:
    """Sort the declared features.

    Raises:
        DatasetError: There is no action, or a feature is not declared as features are.
    """
    try:
        return _sorted(info, root)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise damaged(root / "meta" / "info.json", f"a feature is misshapen: {error}") from None


def _sorted(info: Info, root: Path) -> Columns:
    vectors = dict(_vectors(info))
    parts: dict[str, tuple[str, ...]] = {key: (key,) for key in vectors}
    for stem, names in numbered_groups(vectors).items():
        if stem not in vectors and all(int(np.prod(vectors[name].shape)) == 1 for name in names):
            vectors[stem] = VectorColumn(shape=(len(names),), dtype=vectors[names[0]].dtype)
            parts[stem] = names
            for name in names:
                del vectors[name]
    if "action" not in vectors:
        raise damaged(root / "meta" / "info.json", "it declares no feature `action` of numbers")
    state = {key: vectors[key] for key in sorted(vectors, key=natural) if _is_state(key)}
    steps = [key for key in _OF_STEPS if key in info.features]
    state_parts = {key: parts[key] for key in state}
    stored = [*parts["action"], *(part for each in state_parts.values() for part in each), *steps]
    return Columns(
        action=vectors["action"],
        action_parts=parts["action"],
        state=state,
        state_parts=state_parts,
        cameras={
            key: _camera(feature, root, key)
            for key, feature in info.features.items()
            if feature.get("dtype") in CAMERA_KINDS
        },
        stored=tuple(dict.fromkeys(stored)),
    )


def _is_state(key: str) -> bool:
    return key.startswith("observation.") or key in ("observation", "state")


def _vectors(info: Info) -> Iterator[tuple[str, VectorColumn]]:
    for key, feature in info.features.items():
        dtype = str(feature.get("dtype", ""))
        if dtype.startswith(_NUMERIC):
            shape = tuple(int(length) for length in feature.get("shape") or (1,))
            yield key, VectorColumn(shape=shape, dtype=dtype, names=_names(feature.get("names")))


def _names(names: Any) -> tuple[str, ...]:
    """Return a feature's names; older datasets nest them: `{"motors": ["x", "y"]}`."""
    if isinstance(names, dict):
        nested = [_names(value) for value in names.values()]
        if any(nested):
            return tuple(name for each in nested for name in each)
        return tuple(str(key) for key in sorted(names, key=lambda key: str(names[key])))
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


def _camera(feature: Mapping[str, Any], root: Path, key: str) -> CameraColumn:
    shape = feature.get("shape")
    if not isinstance(shape, list) or len(shape) != 3:
        raise damaged(
            root / "meta" / "info.json", f"the camera `{key}` declares no (height, width, channels)"
        )
    names = [name.rstrip("s") for name in _names(feature.get("names"))]
    a, b, c = (int(length) for length in shape)
    first = names[0] == "channel" if len(names) == 3 else c not in (1, 3, 4) and a in (1, 3, 4)
    height, width, channels = (b, c, a) if first else (a, b, c)
    return CameraColumn(
        height=height, width=width, channels=channels, encoding=str(feature["dtype"]), channels_first=first
    )
