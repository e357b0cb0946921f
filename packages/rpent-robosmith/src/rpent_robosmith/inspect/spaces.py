"""Spaces of environments and policies as features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.inspect.api import Feature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpent_robosmith.facts import NumberFacts, SpaceFacts

OBSERVATION, ACTION = "observation", "action"
"""What an artefact's only array is called where it has no name of its own."""


def is_picture(shape: Sequence[int], dtype: str) -> bool:
    """Whether an array of a space is a picture: three axes of bytes, as Stable-Baselines3 has it."""
    return len(shape) == 3 and dtype == "uint8" and min(shape) >= 1


def channels_first(shape: Sequence[int]) -> bool:
    """Whether a picture's shape reads (C, H, W): its first axis is the smallest."""
    return len(shape) == 3 and shape[0] < shape[1] and shape[0] < shape[2]


def picture(
    shape: Sequence[int], dtype: str, *, low: float | None = None, high: float | None = None
) -> Feature:
    """Return the feature of a picture, as (H, W, C) whatever its own layout is."""
    first = channels_first(shape)
    height, width, channels = (shape[1], shape[2], shape[0]) if first else tuple(shape)
    return Feature(
        kind="image",
        shape=(height, width, channels),
        dtype=dtype,
        channels_first=first,
        low=() if low is None else (low,),
        high=() if high is None else (high,),
    )


def feature(space: SpaceFacts, numbers: Sequence[NumberFacts] = ()) -> Feature:
    """Return the feature of a space that is no Dict.

    Args:
        space: The space.
        numbers: What its numbers mean, where that is known.
    """
    if space.kind in {"discrete", "multi_discrete", "multi_binary"}:
        return Feature(
            kind="discrete",
            shape=space.shape,
            dtype=space.dtype or "int64",
            n=space.n,
            low=space.low or ((float(space.start),) if space.n is not None else ()),
            high=space.high or ((float(space.start + space.n - 1),) if space.n is not None else ()),
            names=tuple(each.name for each in numbers),
        )
    if space.kind == "text":
        return Feature(kind="text", shape=())
    if is_picture(space.shape, space.dtype):
        low, high = (space.low[:1] or (0.0,))[0], (space.high[:1] or (255.0,))[0]
        return picture(space.shape, space.dtype, low=low, high=high)
    return Feature(
        kind="vector",
        shape=space.shape,
        dtype=space.dtype,
        names=tuple(each.name for each in numbers),
        units=tuple(each.unit for each in numbers) if any(each.unit for each in numbers) else (),
        low=space.low,
        high=space.high,
    )


def features(
    space: SpaceFacts,
    numbers: Mapping[str, Sequence[NumberFacts]] | None = None,
    *,
    bare_name: str = OBSERVATION,
) -> tuple[dict[str, Feature], bool]:
    """Return the features of a space, and whether it is bare: one array instead of parts by key.

    Args:
        space: The space; Dicts in Dicts get keys with a slash.
        numbers: Part (empty string for a bare space) → what its numbers mean.
        bare_name: What a bare space's array is called.
    """
    known = numbers or {}
    if space.kind != "dict":
        return {bare_name: feature(space, known.get("", ()))}, True
    found: dict[str, Feature] = {}
    for key, part in space.parts.items():
        if part.kind == "dict":
            found |= {f"{key}/{inner}": each for inner, each in features(part)[0].items()}
        else:
            found[key] = feature(part, known.get(key, ()))
    return found, False
