"""A policy on disk: `policy.json` (what it is) beside `policy.safetensors` (numbers only), or a framework's files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.data import Data
from rpent_robosmith.facts import SpaceFacts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA_VERSION = 1
DESCRIPTION_FILE = "policy.json"
WEIGHTS_FILE = "policy.safetensors"
POLICY_FOLDER = "policy"
"""Where a run directory keeps the delivered policy."""


class Normalization(Data):
    """How an observation is scaled before the network: clip((x - mean) / sqrt(var + epsilon), -clip, clip)."""

    epsilon: float = 1e-8
    clip: float = 10.0


class PolicyDescription(Data):
    """What a policy takes and gives, and what its network is."""

    version: int = SCHEMA_VERSION
    kind: Literal["mlp", "lerobot"] = "mlp"
    """`mlp` is run by numpy. `lerobot` is a LeRobot checkpoint: its files lie beside `policy.json`, as LeRobot saves
    them, and are run by LeRobot; `layers` is 0 and the output `clip`."""
    algorithm: str
    trainer: str
    observation: SpaceFacts
    """A Dict is flattened by concatenating its parts in sorted order of their keys."""
    action: SpaceFacts
    action_parts: dict[str, int] = {}
    """Of a robot's action: field → its length, in order; empty where the environment does not name its parts."""
    activation: Literal["tanh", "relu"]
    layers: int
    """Linear layers: weights `layers.0.weight` (out, in) float32, `layers.0.bias` (out,), ..."""
    output: Literal["clip", "tanh_scaled", "argmax"]
    """`clip`: the last layer is the action, clipped to the bounds. `tanh_scaled`: tanh, then from [-1, 1] to the
    bounds. `argmax`: index of the largest logit, plus the space's start."""
    normalization: Normalization | None = None
    """With `observation.mean` and `observation.var` (S,) float64 among the weights."""
    chunk_length: int = 1
    """Actions in one answer: the network's output is (chunk_length * action size,)."""
    entry: EnvEntry | None = None
    """The environment that it was trained in."""
    control_rate_hz: float | None = None
    facts: dict[str, Any] = {}
    """Plain data worth knowing: seed, steps, success rate, versions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyParameters:
    """A policy in memory. Of the kind `lerobot` the weights are files: name → bytes as (N,) uint8."""

    description: PolicyDescription
    weights: dict[str, NDArray[np.generic]]
