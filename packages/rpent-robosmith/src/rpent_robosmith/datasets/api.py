"""One shape for all datasets: episodes that are read one after the other, never all at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """One episode of T steps."""

    index: int
    name: str
    """As the dataset calls it: `demo_3`, `episode_000003`."""
    actions: NDArray[np.floating[Any]]
    """(T, D)"""
    state: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)
    """Key → (T, S)."""
    rewards: NDArray[np.floating[Any]] | None = None
    success: bool | None = None
    """None: the dataset does not say. An episode's end is no success."""
    task: str | None = None
    timestamps: NDArray[np.floating[Any]] | None = None
    """(T,) seconds since its start."""
    pictures: Mapping[str, Callable[[], Iterator[NDArray[np.uint8]]]] = field(default_factory=dict)
    """Camera → frames in order, (H, W, 3) uint8, decoded when asked for."""


class DatasetReader(ABC):
    """An open dataset."""

    format: str
    """`lerobot-v2.1`, `lerobot-v3.0`, `robomimic`, `libero-hdf5`, `rpent-runs`."""
    fps: float | None
    total_episodes: int
    success_source: str | None
    """Which field says success; None where none does."""
    action_names: tuple[str, ...] = ()

    @abstractmethod
    def episodes(self, first: int = 0, count: int | None = None) -> Iterator[Episode]:
        """Yield episodes in their numeric order."""

    def close(self) -> None:  # noqa: B027
        """Release files."""
