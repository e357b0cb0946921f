"""Guards for checkpoints. Several loaders return a model with random weights when keys are missing; these refuse.

A safetensors file starts with its header: 8 bytes of length (little-endian), then JSON of that length, which names
every tensor with its type, shape and place (https://github.com/huggingface/safetensors#format). So a checkpoint can be
judged in milliseconds, without torch and without reading its weights.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rpent.errors import PolicyError
from rpent.policies.checkpoint import existing_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"

_MAX_HEADER_BYTES = 100_000_000
_LISTED = 4
_ITEM_BYTES = (
    dict.fromkeys(("BOOL", "I8", "U8", "F8_E4M3", "F8_E5M2"), 1)
    | dict.fromkeys(("I16", "U16", "F16", "BF16"), 2)
    | dict.fromkeys(("I32", "U32", "F32"), 4)
    | dict.fromkeys(("I64", "U64", "F64", "C64"), 8)
)
"""Bytes of a number; of types that are not here, lengths are not checked."""


class TensorInfo(NamedTuple):
    """What a header says about one tensor."""

    dtype: str
    """In safetensors' words: `F32`, `BF16`, `I64`."""
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Differences:
    """How the weights of a file differ from those of a model."""

    missing: tuple[str, ...] = ()
    """Keys that the model wants and the file does not have."""
    unexpected: tuple[str, ...] = ()
    """Keys of the file that the model does not know."""
    misshaped: tuple[str, ...] = ()
    """`key (shape in the file, shape in the model)`."""

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected or self.misshaped)

    def described(self) -> str:
        """Return them as text, a few of each kind listed and all counted."""
        kinds = (
            ("missing", self.missing),
            ("unexpected", self.unexpected),
            ("of another shape", self.misshaped),
        )
        return "; ".join(f"{len(keys)} {kind}: {_listed(keys)}" for kind, keys in kinds if keys)


def shapes(path: str | Path) -> dict[str, TensorInfo]:
    """Return the tensors of a checkpoint: a `.safetensors` file, an index of shards, or a folder with either.

    Raises:
        PolicyError: There is no such file, it is no safetensors file, or it is shorter than its header says.
    """
    path = Path(path)
    if path.is_dir():
        path = weights_file(path)
    if path.name.endswith(".index.json"):
        return _sharded(path)
    return _header(path)


def weights_file(folder: str | Path) -> Path:
    """Return the weights in a checkpoint's folder: the file, or the index of the shards.

    Raises:
        PolicyError: There are none, or no such folder.
    """
    folder = existing_folder(folder)
    for name in (WEIGHTS, INDEX):
        if (folder / name).is_file():
            return folder / name
    raise PolicyError(
        f"The checkpoint `{folder}` has no weights.",
        hint=f"It must hold `{WEIGHTS}` (or `{INDEX}` and its shards).",
    )


def compare(expected: Mapping[str, Any], found: Mapping[str, Any]) -> Differences:
    """Return how the tensors of a file differ from those of a model, in keys and shapes.

    Args:
        expected: The model's: `model.state_dict()`, or key → shape.
        found: The file's: `shapes(path)`, or key → shape.
    """
    wanted = {key: _shape(value) for key, value in expected.items()}
    there = {key: _shape(value) for key, value in found.items()}
    return Differences(
        missing=tuple(sorted(wanted.keys() - there.keys())),
        unexpected=tuple(sorted(there.keys() - wanted.keys())),
        misshaped=tuple(
            f"{key} ({_written(there[key])}, not {_written(wanted[key])})"
            for key in sorted(wanted.keys() & there.keys())
            if wanted[key] != there[key]
        ),
    )


def require_all(
    expected: Mapping[str, Any],
    found: Mapping[str, Any],
    *,
    checkpoint: str | Path,
    may_lack: Iterable[str] = (),
    may_have: Iterable[str] = (),
) -> None:
    """Refuse a checkpoint that would leave weights of the model random, or whose weights it would drop.

    Args:
        expected: The model's tensors: `model.state_dict()`, or key → shape.
        found: The file's tensors: `shapes(path)`, or key → shape.
        checkpoint: For the message.
        may_lack: Patterns (`*.embed_tokens.weight`) of keys that a file may leave out, such as tied weights.
        may_have: Patterns of keys that a file may have besides.

    Raises:
        PolicyError: Something is missing, unexpected or of another shape.
    """
    found_differences = compare(expected, found)
    refuse(
        Differences(
            missing=_without(found_differences.missing, may_lack),
            unexpected=_without(found_differences.unexpected, may_have),
            misshaped=found_differences.misshaped,
        ),
        checkpoint=checkpoint,
    )


def loading_differences(info: Mapping[str, Any]) -> Differences:
    """Return what transformers reports of a load (`from_pretrained(..., output_loading_info=True)`).

    Args:
        info: A mapping with `missing_keys`, `unexpected_keys` and `mismatched_keys` (of key, shape, shape).
    """
    return Differences(
        missing=tuple(sorted(map(str, info.get("missing_keys") or ()))),
        unexpected=tuple(sorted(map(str, info.get("unexpected_keys") or ()))),
        misshaped=tuple(sorted(map(_mismatch, info.get("mismatched_keys") or ()))),
    )


def refuse(differences: Differences, *, checkpoint: str | Path) -> None:
    """Refuse a checkpoint with differences.

    Raises:
        PolicyError: There are some.
    """
    if differences:
        raise PolicyError(
            f"The weights of the checkpoint `{checkpoint}` do not fit the model that its configuration describes.",
            hint=f"Weights {differences.described()}.",
        )


def _header(path: Path) -> dict[str, TensorInfo]:
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise OSError("it is no file")
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > min(_MAX_HEADER_BYTES, size):
                raise ValueError("its header is cut off")
            header: dict[str, Any] = json.loads(file.read(length))
        header.pop("__metadata__", None)
        tensors = {
            key: TensorInfo(str(at["dtype"]), tuple(map(int, at["shape"]))) for key, at in header.items()
        }
        end = 8 + length + _data_bytes(tensors, header)
    except OSError as error:
        raise PolicyError(f"The weights `{path}` cannot be read ({error.strerror or error}).") from error
    except (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError) as error:
        raise PolicyError(
            f"`{path}` is not a safetensors file.", hint="Copy the checkpoint again."
        ) from error
    if size < end:
        raise PolicyError(
            f"The weights `{path}` are incomplete: {size} of {end} bytes.", hint="Copy the checkpoint again."
        )
    return tensors


def _data_bytes(tensors: Mapping[str, TensorInfo], header: Mapping[str, Any]) -> int:
    """Return the length of the data: tensors lie in it one after the other, each as long as its shape says.

    Raises:
        ValueError: They overlap, leave holes, or are of another length.
    """
    places = {key: tuple(map(int, at["data_offsets"])) for key, at in header.items()}
    end = 0
    for key, (first, last) in sorted(places.items(), key=lambda item: item[1]):
        dtype, shape = tensors[key]
        wanted = math.prod(shape) * _ITEM_BYTES.get(dtype, 0)
        if first != end or last < first or min(shape, default=0) < 0 or (wanted and last - first != wanted):
            raise ValueError(f"`{key[:80]}` does not lie where its shape says")
        end = last
    return end


def _sharded(index: Path) -> dict[str, TensorInfo]:
    try:
        places: dict[str, str] = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        files = sorted(set(places.values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PolicyError(f"The index `{index}` of the weights cannot be read.") from error
    found: dict[str, TensorInfo] = {}
    for name in files:
        found |= _header(index.parent / name)
    if lacking := sorted(places.keys() - found.keys()):
        raise PolicyError(
            f"The shards of `{index}` lack {len(lacking)} of its tensors.",
            hint=f"Missing: {_listed(lacking)}.",
        )
    return found


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(int(size) for size in getattr(value, "shape", value))


def _written(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) or "scalar"


def _mismatch(item: Any) -> str:
    if isinstance(item, str):
        return item
    key, *others = item
    return f"{key} ({', not '.join(_written(_shape(shape)) for shape in others)})"


def _without(keys: Iterable[str], patterns: Iterable[str]) -> tuple[str, ...]:
    patterns = tuple(patterns)
    return tuple(key for key in keys if not any(fnmatchcase(key, pattern) for pattern in patterns))


def _listed(keys: Iterable[str]) -> str:
    keys = list(keys)
    rest = f" and {len(keys) - _LISTED} more" if len(keys) > _LISTED else ""
    return ", ".join(f"`{key}`" for key in keys[:_LISTED]) + rest
