"""What a writer is told before the first episode, and what all writers do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from rpent_robosmith.datasets.api import CameraColumn, Episode, VectorColumn


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """What all episodes of a new dataset have in common."""

    fps: float
    action: VectorColumn
    low: tuple[float, ...] = ()
    """Bounds of the action, in order; empty where it has none."""
    high: tuple[float, ...] = ()
    state: Mapping[str, VectorColumn] = field(default_factory=dict)
    """By the keys of `Episode.state`, prefixes as the format wants them."""
    cameras: Mapping[str, CameraColumn] = field(default_factory=dict)
    environment: str | None = None
    environment_settings: Mapping[str, Any] = field(default_factory=dict)
    """Plain data that makes the environment again."""
    robot: str | None = None
    has_success: bool = True
    has_rewards: bool = True


class DatasetWriter(ABC):
    """Writes beside its target, and puts it in place when it is complete."""

    def __init__(self, path: Path, header: Header) -> None:
        """Begin.

        Raises:
            UsageError: Something is at `path` already.
        """
        if path.exists():
            raise UsageError(
                f"`{path}` exists already.",
                hint="Choose another place, or remove it; nothing is overwritten.",
            )
        self.path = path
        self.header = header
        self.episodes = 0
        self.frames = 0
        self._partial = path.with_name(f".{path.name}.partial")
        path.parent.mkdir(parents=True, exist_ok=True)

    @abstractmethod
    def add(self, episode: Episode) -> None:
        """Write one episode; it must have the header's columns."""

    @abstractmethod
    def finish(self) -> Path:
        """Complete the dataset, put it in place and return where it is."""

    @abstractmethod
    def abandon(self) -> None:
        """Remove what was written so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self.abandon()
