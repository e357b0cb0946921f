"""The simulator's state in Python: what its objects keep in plain attributes, found without knowing their names.

Fixtures keep flags, counters and timers, tasks keep what has happened so far, controllers their goals. Everything that
is plain data is looked at; what differs from how the reset left it is what a snapshot has to hold. What is not plain
(models, other objects) is made by the reset and stays.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent_manipulation.env.archive import SnapshotError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Encoded = Any
"""JSON-ready data that tells types apart: the simulator asks `is True`, and numpy's `True` is another."""

_PLAIN = (bool, int, float, str)
_CONTAINERS: dict[type, str] = {
    list: "list",
    tuple: "tuple",
    set: "set",
    dict: "dict",
    OrderedDict: "ordered",
}
_NUMERIC = frozenset("biuf")
_NOT_STATE = frozenset({"_observables", "_obs_cache", "_xml_processors"})


class NotPlainError(Exception):
    """A value that is not plain data."""


class PlainState:
    """The plain attributes of a set of objects, and how the reset left them."""

    def __init__(self, owners: Mapping[str, Any]) -> None:
        """Look at the objects as they are right after a reset.

        Args:
            owners: The objects by names that are the same in every process.
        """
        self._owners = dict(owners)
        self._first = self._encoded()
        self._first_same = self._shared(self._first)
        self._opaque = {path for path, _ in self._attributes()} - set(self._first)

    def changes(self) -> dict[str, Any]:
        """Return what differs from the beginning: `changed`, `gone`, and `same`, names of one and the same array."""
        now = self._encoded()
        changed = {path: value for path, value in now.items() if self._first.get(path) != value}
        return {
            "changed": changed,
            "gone": sorted(set(self._first) - set(now)),
            "same": self._shared(changed),
        }

    def read(self, changes: Any) -> dict[str, Any]:
        """Return changes that came from outside, checked.

        Only what these objects keep in plain attributes can be changed: no method, no property, no other object of
        theirs (which may be forgotten, as the simulator itself does), and nothing of another object.

        Raises:
            SnapshotError: They change something else.
            ValueError: They are malformed; `LookupError` and `TypeError` likewise.
        """
        changed, gone, same = changes["changed"], changes["gone"], changes["same"]
        if not isinstance(changed, dict) or not isinstance(gone, list) or not set(gone) <= set(self._first):
            raise ValueError(changes)
        decoded = {path: decode(value) for path, value in changed.items()}
        for path, value in decoded.items():
            self._check(path, value)
        for paths in same:
            if len(paths) < 2 or not all(isinstance(decoded[path], np.ndarray) for path in paths):
                raise ValueError(paths)
        return {"changed": changed, "gone": gone, "same": same}

    def _check(self, path: str, value: Any) -> None:
        owner, name = self._find(path)
        named = name.isidentifier() and not name.startswith("__") and name not in _NOT_STATE
        new = _is_plain(getattr(type(owner), name, None)) and (path not in self._opaque or value is None)
        if not named or not (path in self._first or new):
            raise SnapshotError(f"The snapshot changes `{path}`, which is no plain state.")

    def apply(self, changes: Mapping[str, Any]) -> None:
        """Bring the objects to the beginning plus these changes, which `changes` made or `read` has checked."""
        wanted = {path: value for path, value in self._first.items() if path not in changes["gone"]}
        wanted |= changes["changed"]
        now = self._encoded()
        for path in set(now) - set(wanted):
            owner, name = self._find(path)
            delattr(owner, name)
        for path, value in wanted.items():
            if now.get(path) != value:
                owner, name = self._find(path)
                setattr(owner, name, decode(value))
        elsewhere = {*changes["changed"], *changes["gone"]}
        unchanged = [paths for paths in self._first_same if not elsewhere & set(paths)]
        for first, *others in (*unchanged, *changes["same"]):
            array = getattr(*self._find(first))
            for path in others:
                setattr(*self._find(path), array)

    def _encoded(self) -> dict[str, Encoded]:
        found = {}
        for path, value in self._attributes():
            try:
                found[path] = encode(value)
            except NotPlainError:
                continue
        return found

    def _attributes(self) -> Iterator[tuple[str, Any]]:
        for owner, item in self._owners.items():
            for name, value in vars(item).items():
                if name not in _NOT_STATE:
                    yield f"{owner}|{name}", value

    def _find(self, path: str) -> tuple[Any, str]:
        owner, _, name = path.rpartition("|")
        return self._owners[owner], name

    def _shared(self, among: Mapping[str, Encoded]) -> list[list[str]]:
        """Return groups of these attributes that are one array: what writes into one writes into all."""
        groups: dict[int, list[str]] = {}
        for path, value in self._attributes():
            if isinstance(value, np.ndarray) and path in among:
                groups.setdefault(id(value), []).append(path)
        return [paths for paths in groups.values() if len(paths) > 1]


def _is_plain(value: Any) -> bool:
    try:
        encode(value)
    except NotPlainError:
        return False
    return True


def encode(value: Any) -> Encoded:
    """Return plain data as JSON-ready data.

    Raises:
        NotPlainError: It holds something else.
    """
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _NUMERIC:
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        data = b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"is": kind, "dtype": value.dtype.str, "shape": list(value.shape), "data": data}
    container = _CONTAINERS.get(type(value))
    if container is None:
        raise NotPlainError
    if container in ("dict", "ordered"):
        return {"is": container, "items": [[encode(key), encode(item)] for key, item in value.items()]}
    items = [encode(item) for item in value]
    return {"is": container, "items": sorted(items, key=repr) if container == "set" else items}


def decode(value: Encoded) -> Any:
    """Return what `encode` was given."""
    if not isinstance(value, dict):
        return value
    kind = value["is"]
    if kind in ("array", "scalar"):
        array = np.frombuffer(b64decode(value["data"]), value["dtype"]).reshape(value["shape"]).copy()
        return array if kind == "array" else array[()]
    if kind in ("dict", "ordered"):
        pairs = [(decode(key), decode(item)) for key, item in value["items"]]
        return dict(pairs) if kind == "dict" else OrderedDict(pairs)
    make: type = {"list": list, "tuple": tuple, "set": set}[kind]
    return make(decode(item) for item in value["items"])
