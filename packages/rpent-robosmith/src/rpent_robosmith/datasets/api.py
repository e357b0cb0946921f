"""One shape for all datasets: episodes that are read one after the other, never all at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

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
    """Key → (T, S): what was observed before each action."""
    rewards: NDArray[np.floating[Any]] | None = None
    """(T,)"""
    success: bool | None = None
    """None: the dataset does not say. An episode's end is no success."""
    task: str | None = None
    timestamps: NDArray[np.floating[Any]] | None = None
    """(T,) seconds since its start."""
    pictures: Mapping[str, Callable[[], Iterator[NDArray[np.uint8]]]] = field(default_factory=dict)
    """Camera → frames in order, (H, W, 3) uint8, decoded when asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VectorColumn:
    """What a dataset declares of a vector that every step has."""

    shape: tuple[int, ...]
    """Of one step."""
    dtype: str
    """As it is stored: `float32`."""
    names: tuple[str, ...] = ()
    """Of its numbers, where the dataset says so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraColumn:
    """What a dataset declares of a camera."""

    height: int
    width: int
    channels: int = 3
    encoding: str = "raw"
    """`raw` arrays, `video` files, or compressed pictures (`image`)."""
    channels_first: bool = False
    """Whether the dataset itself declares (C, H, W); the frames of an episode never are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredBounds:
    """Bounds of an action that a dataset itself states."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    source: str
    """Which field says so."""


class DatasetReader(ABC):
    """An open dataset. All but the episodes is known without reading them."""

    format: str
    """`lerobot-v2.1`, `lerobot-v3.0`, `robomimic`, `libero-hdf5`, `rpent-runs`."""
    fps: float | None
    total_episodes: int
    success_source: str | None
    """Which field says success; None where none does."""
    action_names: tuple[str, ...] = ()
    total_frames: int | None = None
    """None where it is not known without reading all."""
    action: VectorColumn | None = None
    state: Mapping[str, VectorColumn] = {}
    """By the keys of `Episode.state`."""
    cameras: Mapping[str, CameraColumn] = {}
    """By the keys of `Episode.pictures`, prefixes as in the dataset."""
    action_bounds: DeclaredBounds | None = None
    robot: str | None = None
    environment: str | None = None
    """The name of the environment that it was recorded in, as the dataset has it."""
    tasks: tuple[str, ...] = ()
    """Instructions."""
    notes: tuple[str, ...] = ()
    """What a reader of the numbers must know: why success is unknown, what was left out."""

    @abstractmethod
    def episodes(self, first: int = 0, count: int | None = None) -> Iterator[Episode]:
        """Yield episodes in their numeric order.

        Args:
            first: So many are skipped, without reading them where the format allows it.
            count: At most so many; None means all.

        Raises:
            UsageError: A file is damaged or missing.
        """

    def close(self) -> None:  # noqa: B027
        """Release files."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
