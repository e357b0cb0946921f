"""Samples of both sides: what the policy takes, made up from what it declares, and steps of the target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_robosmith.compatibility.report import Mapping
    from rpent_robosmith.inspect.api import ArtefactFacts, Feature

SEED = 0
_UNKNOWN_PIXELS = 64
"""Rows and columns of a picture whose size the policy leaves open."""
_FAR = 1e6
"""Bounds beyond that are as good as none."""


def own_samples(
    policy: ArtefactFacts, mapping: Mapping, count: int, instruction: str
) -> list[dict[str, Any]]:
    """Return inputs as the policy declares them: `inputs` and `instruction`.

    Numbers are drawn from its statistics, else from between its bounds, else from a normal distribution.
    """
    random = np.random.default_rng(SEED)
    found = []
    for _ in range(count):
        inputs: dict[str, Any] = {}
        for link in mapping.observation:
            feature = policy.observation[link.policy]
            drawn = feature.kind != "text"
            inputs[link.policy] = (
                _drawn(feature, random, link.normalize is not None) if drawn else instruction
            )
        own = next(iter(inputs.values())) if policy.bare else inputs
        found.append({"inputs": own, "instruction": instruction})
    return found


def _drawn(feature: Feature, random: np.random.Generator, outside: bool) -> NDArray[np.generic]:
    """Return one array of a feature, in the policy's own layout; `outside`: its network takes normalised numbers."""
    if feature.kind == "image":
        return _picture(feature, random)
    shape = tuple(feature.shape)
    dtype = feature.dtype or "float32"
    count = math.prod(shape)
    if feature.kind == "discrete":
        first, last = (int(feature.low[0]), int(feature.high[0])) if feature.low and feature.high else (0, 0)
        return np.asarray(random.integers(first, last + 1, shape)).astype(dtype)
    numbers = random.standard_normal(count)
    if outside:
        pass
    elif len(feature.mean) == len(feature.std) == count:
        numbers = np.asarray(feature.mean) + np.asarray(feature.std) * numbers
    elif len(feature.low) == len(feature.high) == count:
        low, high = np.asarray(feature.low), np.asarray(feature.high)
        bounded = np.isfinite(low) & np.isfinite(high) & (np.abs(low) < _FAR) & (np.abs(high) < _FAR)
        inside = np.where(bounded, low, 0.0) + np.where(bounded, high - low, 0.0) * random.random(count)
        numbers = np.where(bounded, inside, numbers)
    return numbers.reshape(shape).astype(dtype)


def _picture(feature: Feature, random: np.random.Generator) -> NDArray[np.generic]:
    height, width, channels = (length or _UNKNOWN_PIXELS for length in feature.shape)
    shape = (channels, height, width) if feature.channels_first else (height, width, channels)
    pixels = random.integers(0, 256, shape, dtype=np.uint8)
    if feature.dtype.startswith("float"):
        return (pixels / 255.0).astype(feature.dtype)
    return pixels.astype(feature.dtype or "uint8")


def declared_samples(target: ArtefactFacts, count: int) -> list[dict[str, Any]]:
    """Return observations that a target declares, made up: for robots, whose simulator is not started.

    A vector of four numbers is a unit quaternion.
    """
    random = np.random.default_rng(SEED)
    found = []
    for _ in range(count):
        observation = {}
        for name, feature in target.observation.items():
            value = _drawn(feature, random, False)
            if feature.kind == "vector" and feature.shape == (4,):
                value = np.asarray(value, np.float64) / np.linalg.norm(np.asarray(value, np.float64))
            observation[name] = value
        found.append({"observation": observation, "instruction": ""})
    return found
