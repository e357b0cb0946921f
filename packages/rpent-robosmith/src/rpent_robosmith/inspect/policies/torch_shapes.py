"""Names and shapes of the tensors in a torch file, without torch and without its weights.

A `.pth` is a zip with a pickle of the structure (`*/data.pkl`) and the numbers beside it. The pickle is read by an
unpickler that knows four harmless names, which become shapes, and refuses every other.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_BYTES = 32 * 2**20
"""Of the structure; networks of a policy need some kilobytes."""


class _Shape(tuple[int, ...]):
    """A tensor's shape, in its place."""

    __slots__ = ()


def _tensor(_storage: Any, _offset: Any, size: Any, *_: Any) -> _Shape:
    return _Shape(int(length) for length in size)


def _parameter(data: Any, *_: Any) -> Any:
    return data


_KNOWN: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch._utils", "_rebuild_parameter"): _parameter,
}


class _Reader(pickle.Unpickler):
    """Makes nothing but dicts, shapes and plain values."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what stands for a name of the file."""
        if (module, name) in _KNOWN:
            return _KNOWN[module, name]
        if module == "torch" and name.isidentifier():  # `FloatStorage`, `float32`: only ever carried along
            return name
        raise pickle.UnpicklingError(f"`{module}.{name}` is not accepted")

    def persistent_load(self, pid: Any) -> Any:
        """Return what stands for a storage: nothing of it is read."""
        return pid


def shapes(content: bytes) -> dict[str, tuple[int, ...]]:
    """Return the tensors of a state dict: dotted name → shape.

    Args:
        content: The file.

    Raises:
        ValueError: It is no torch file, or holds something else than tensors and plain values.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            name = next((each for each in archive.namelist() if each.endswith("data.pkl")), None)
            if name is None or archive.getinfo(name).file_size > _MAX_BYTES:
                raise ValueError("no structure of a sensible size")
            loaded = _Reader(io.BytesIO(archive.read(name))).load()
    except ValueError:
        raise
    except Exception as error:  # whatever a damaged pickle makes of it
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return dict(_flat(loaded, ""))


def _flat(value: Any, prefix: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    if isinstance(value, _Shape):
        yield prefix, tuple(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{prefix}.{key}" if prefix else str(key))
