"""Spaces as they are printed in the `data` of a Stable-Baselines3 zip, beside pickles that nobody opens here.

Of a Box the file has `_shape`, `dtype` and `low`/`high` as numpy prints them; of a Dict it has Gymnasium's own text:
`{'cam': Box(0, 255, (3, 64, 64), uint8), 'state': Box([-1. -2.5], [1. inf], (2,), float32)}`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError

from rpent_robosmith.facts import SpaceFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NUMBER = re.compile(r"[-+]?(?:inf|nan|\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)", re.IGNORECASE)
_PART = re.compile(r"""['"](?P<key>(?:[^'"\\]|\\.)*)['"]:\s*(?P<kind>[A-Za-z]+)\(""")
_ELIDED = "..."
_LARGE = 1000
"""Numpy prints no more numbers than that."""


def space_of(saved: Mapping[str, Any], name: str) -> SpaceFacts:
    """Return a space of the file.

    Args:
        saved: What the file says about it.
        name: `observation_space` or `action_space`, for the error.

    Raises:
        UsageError: It is of a kind that is not known, or damaged.
    """
    kind = str(saved.get(":type:", "")).rpartition(".")[2].strip("'<>")
    read = {
        "Box": _box,
        "Discrete": _discrete,
        "MultiDiscrete": _multi_discrete,
        "MultiBinary": _multi_binary,
        "Dict": _dict,
    }.get(kind)
    if read is None:
        raise UsageError(
            f"The `{name}` of the policy is of the kind `{kind or 'unknown'}`, which is not supported."
        )
    try:
        return read(saved)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"The `{name}` of the policy cannot be read.", hint=f"{type(error).__name__}: {error}"
        ) from error


def _box(saved: Mapping[str, Any]) -> SpaceFacts:
    shape = tuple(int(length) for length in saved["_shape"])
    size = _product(shape)
    return SpaceFacts(
        kind="box",
        shape=shape,
        dtype=str(saved["dtype"]),
        low=_bounds(saved.get("low_repr") or saved.get("low"), size),
        high=_bounds(saved.get("high_repr") or saved.get("high"), size),
    )


def _bounds(printed: Any, size: int) -> tuple[float, ...]:
    """Return the bounds of a box; one number for all where that is what is printed, none where some are left out."""
    text = str(printed)
    found = [float(number) for number in _NUMBER.findall(text)]
    if not found:
        return ()
    if _ELIDED in text:
        return (found[0],) if len(set(found)) == 1 else ()
    if len(found) == 1:
        return (found[0],) * (size if size <= _LARGE else 1)
    return tuple(found) if len(found) == size else ()


def _discrete(saved: Mapping[str, Any]) -> SpaceFacts:
    return SpaceFacts(
        kind="discrete",
        dtype=str(saved.get("dtype") or "int64"),
        n=int(saved["n"]),
        start=int(saved.get("start") or 0),
    )


def _multi_discrete(saved: Mapping[str, Any]) -> SpaceFacts:
    counts = [int(float(number)) for number in _NUMBER.findall(str(saved["nvec"]))]
    starts = [int(float(number)) for number in _NUMBER.findall(str(saved.get("start") or ""))] or [0] * len(
        counts
    )
    return SpaceFacts(
        kind="multi_discrete",
        shape=(len(counts),),
        dtype=str(saved.get("dtype") or "int64"),
        low=tuple(map(float, starts)),
        high=tuple(float(start + count - 1) for start, count in zip(starts, counts, strict=True)),
    )


def _multi_binary(saved: Mapping[str, Any]) -> SpaceFacts:
    shape = tuple(int(length) for length in saved["_shape"])
    size = _product(shape)
    return SpaceFacts(kind="multi_binary", shape=shape, dtype="int8", low=(0.0,) * size, high=(1.0,) * size)


def _dict(saved: Mapping[str, Any]) -> SpaceFacts:
    return SpaceFacts(kind="dict", parts=dict(_parts(str(saved["spaces"]))))


def _parts(text: str) -> Iterator[tuple[str, SpaceFacts]]:
    """Yield the parts of a Dict's text."""
    position = 0
    while (match := _PART.search(text, position)) is not None:
        end = _closing(text, match.end())
        yield match["key"], _printed(match["kind"], text[match.end() : end])
        position = end
    if position == 0:
        raise ValueError(f"no parts in {text[:80]!r}")


def _printed(kind: str, inside: str) -> SpaceFacts:
    if kind == "Box":
        low, high, shape, dtype = _arguments(inside)
        return _box(
            {"_shape": [int(n) for n in re.findall(r"\d+", shape)], "dtype": dtype, "low": low, "high": high}
        )
    if kind == "Discrete":
        counts = re.findall(r"-?\d+", inside)
        return _discrete({"n": counts[0], "start": counts[1] if len(counts) > 1 else 0})
    if kind == "MultiDiscrete":
        return _multi_discrete({"nvec": _arguments(inside)[0]})
    if kind == "MultiBinary":
        return _multi_binary({"_shape": [int(n) for n in re.findall(r"\d+", inside)]})
    raise ValueError(f"a part of the kind `{kind}`")


def _arguments(inside: str) -> list[str]:
    """Split at commas that are in no bracket."""
    found, depth, start = [], 0, 0
    for index, character in enumerate(inside):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            found.append(inside[start:index].strip())
            start = index + 1
    return [*found, inside[start:].strip()]


def _closing(text: str, start: int) -> int:
    """Return where the bracket that was opened before `start` is closed."""
    depth = 1
    for index in range(start, len(text)):
        depth += (text[index] in "([") - (text[index] in ")]")
        if depth == 0:
            return index
    raise ValueError("a bracket is not closed")


def _product(shape: tuple[int, ...]) -> int:
    product = 1
    for length in shape:
        product *= length
    return product
