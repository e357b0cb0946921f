"""What is known of an environment after it was made and stepped."""

from __future__ import annotations

from typing import Literal

from rpent_robosmith.data import Data


class SpaceFacts(Data):
    """A Gymnasium space as data; bounds are kept for each number."""

    kind: Literal["box", "discrete", "multi_discrete", "multi_binary", "dict", "text"]
    shape: tuple[int, ...] = ()
    dtype: str = ""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    """Flattened in C order; pictures and other large boxes give one number for all."""
    n: int | None = None
    """Of a `discrete` space: actions 0 … n-1 (plus `start`)."""
    start: int = 0
    parts: dict[str, SpaceFacts] = {}
    """Of a `dict`, in the space's own order (sorted by key)."""

    @property
    def size(self) -> int:
        """Numbers in a flat vector of it; 1 for a discrete action."""
        if self.kind == "dict":
            return sum(part.size for part in self.parts.values())
        product = 1
        for length in self.shape:
            product *= length
        return product


class NumberFacts(Data):
    """What one number of an observation or action means."""

    name: str
    unit: str = ""
    low: float
    high: float


class EnvFacts(Data):
    """An environment, inspected by making it, resetting it and stepping it."""

    entry: str
    """The catalog entry's id."""
    env_id: str
    adapter: str
    observation: SpaceFacts
    action: SpaceFacts
    observation_numbers: dict[str, tuple[NumberFacts, ...]] = {}
    """Part of the observation (empty string where it is one vector) → its numbers."""
    action_numbers: tuple[NumberFacts, ...] = ()
    action_parts: dict[str, int] = {}
    """Of a robot's action: field → its length, in order."""
    max_episode_steps: int | None = None
    control_rate_hz: float | None = None
    render_modes: tuple[str, ...] = ()
    reward_range: tuple[float, float] | None = None
    """Seen in the steps of the inspection."""
    info_keys: tuple[str, ...] = ()
    """Entries of `info` that are numbers or booleans."""
    has_success_signal: bool = False
    deterministic: bool = False
    """Whether the same seed and actions gave the same observations, bit for bit."""
    steps_per_s: float = 0.0
    versions: dict[str, str] = {}
    notes: tuple[str, ...] = ()
