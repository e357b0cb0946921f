"""The one pass over a dataset: whatever is kept of an episode is small, and no two episodes are in memory at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import UsageError

from rpent_robosmith.diagnose.cameras import CameraTally
from rpent_robosmith.diagnose.columns import Column
from rpent_robosmith.diagnose.motion import Movement, at_bounds, idle_steps, longest_run, third_differences
from rpent_robosmith.diagnose.records import EpisodeRow
from rpent_robosmith.diagnose.timing import TimingTally

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rpent_robosmith.datasets.api import DatasetReader, Episode
    from rpent_robosmith.diagnose.records import Bounds

STRETCH_S = 0.5
"""A freeze lasts at least so long ..."""
STRETCH_STEPS = 5
"""... and at least so many steps."""
PATTERNS = 64
"""Combinations of numbers at their bounds that are kept of an episode."""


@dataclass(slots=True)
class Kept:
    """What is kept of an episode until all were seen."""

    index: int
    name: str
    length: int
    success: bool | None
    task: str | None
    total: float | None
    third: NDArray[np.float64]
    thirds: int
    any_at_bound: NDArray[np.float64] | None
    """(D,) share of steps at a bound."""
    at_bound_patterns: dict[bytes, int]
    """Which numbers are at a bound (packed bits) → in how many steps."""
    idle: float
    longest_idle: int
    not_finite: int
    duplicate_of: str | None
    same_actions_as: str | None
    frozen: dict[str, int]


@dataclass(slots=True)
class Scan:
    """A dataset's pass."""

    bounds: Bounds | None
    action: Column
    state: dict[str, Column]
    cameras: dict[str, CameraTally]
    at_low: NDArray[np.int64]
    at_high: NDArray[np.int64]
    outside: NDArray[np.int64]
    kept: list[Kept] = field(default_factory=list)
    pictures: int = 0
    """Of how many more episodes the pictures are looked at."""
    timing: TimingTally = field(default_factory=TimingTally)
    _seen: dict[bytes, str] = field(default_factory=dict)
    _seen_actions: dict[bytes, str] = field(default_factory=dict)

    def add(self, episode: Episode, fps: float | None) -> None:
        """Count an episode.

        Raises:
            UsageError: Its action or state is not as wide as those before.
        """
        actions = episode.actions
        self._require_width(episode)
        self.action.update(actions)
        for key, rows in episode.state.items():
            self.state[key].update(np.asarray(rows, np.float64))
        self.timing.add(episode.timestamps, fps)
        self.kept.append(self._keep(episode))

    def _require_width(self, episode: Episode) -> None:
        vectors: dict[str, tuple[NDArray[Any], Column]] = {"the action": (episode.actions, self.action)}
        vectors |= {
            f"`{key}`": (rows, self.state[key]) for key, rows in episode.state.items() if key in self.state
        }
        for name, (rows, column) in vectors.items():
            if rows.shape[1] != len(column.moments.count):
                before = len(column.moments.count)
                raise UsageError(
                    f"In `{episode.name}` {name} has {rows.shape[1]} numbers, in the episodes before {before}."
                )
        if unknown := [key for key in episode.state if key not in self.state]:
            raise UsageError(
                f"`{episode.name}` has the state `{unknown[0]}`, which the first episode has not."
            )

    def _keep(self, episode: Episode) -> Kept:
        actions = episode.actions
        spans = {key: self.state[key].span for key in episode.state}
        idle = idle_steps(actions, self.action.span, episode.state, spans)
        third, thirds = third_differences(actions)
        duplicate, same = self._twins(episode)
        share, patterns = self._saturation(actions)
        not_finite = sum(
            int((~np.isfinite(np.asarray(rows, np.float64))).sum()) for rows in episode.state.values()
        )
        return Kept(
            index=episode.index,
            name=episode.name,
            length=len(actions),
            success=episode.success,
            task=episode.task,
            total=None if episode.rewards is None else float(np.nansum(episode.rewards)),
            third=third,
            thirds=thirds,
            any_at_bound=share,
            at_bound_patterns=patterns,
            idle=float(idle.mean()) if len(idle) else 0.0,
            longest_idle=longest_run(idle),
            not_finite=not_finite + int((~np.isfinite(actions)).sum()),
            duplicate_of=duplicate,
            same_actions_as=same,
            frozen=self._look(episode, Movement(episode.state, spans, idle)),
        )

    def _saturation(
        self, actions: NDArray[np.floating[Any]]
    ) -> tuple[NDArray[np.float64] | None, dict[bytes, int]]:
        if self.bounds is None:
            return None, {}
        at = at_bounds(actions, self.bounds)
        self.at_low += at.low.sum(axis=0)
        self.at_high += at.high.sum(axis=0)
        self.outside += at.outside.sum(axis=0)
        either = at.low | at.high
        return either.mean(axis=0) if len(either) else np.zeros(actions.shape[1]), _patterns(either)

    def _twins(self, episode: Episode) -> tuple[str | None, str | None]:
        """Return the earlier episode that is the same, and the one that only has the same actions."""
        if not len(episode.actions):
            return None, None
        actions = _digest([episode.actions])
        whole = _digest([episode.actions, *(episode.state[key] for key in sorted(episode.state))])
        duplicate, same = self._seen.get(whole), self._seen_actions.get(actions)
        self._seen.setdefault(whole, episode.name)
        self._seen_actions.setdefault(actions, episode.name)
        return duplicate, None if duplicate else same

    def _look(self, episode: Episode, moved: Movement) -> dict[str, int]:
        if self.pictures <= 0 or not episode.pictures:
            return {}
        self.pictures -= 1
        frozen = {}
        for name, frames in episode.pictures.items():
            longest = self.cameras[name].look(frames, len(episode.actions), moved)
            if longest:
                frozen[name] = longest
        return frozen

    def rows(self) -> tuple[EpisodeRow, ...]:
        """Return the episodes, now that ranges and switches are known."""
        switches = self.action.switches
        span = self._jerk_span()
        return tuple(
            EpisodeRow(
                index=kept.index,
                name=kept.name,
                length=kept.length,
                success=kept.success,
                total=kept.total,
                saturation=self._saturated(kept, ~switches),
                jerk=_jerk(kept, span, ~switches & (span > 0)),
                idle=kept.idle,
                longest_idle=kept.longest_idle,
                not_finite=kept.not_finite,
                duplicate_of=kept.duplicate_of,
                same_actions_as=kept.same_actions_as,
                frozen=kept.frozen,
                task=kept.task,
            )
            for kept in self.kept
        )

    def _jerk_span(self) -> NDArray[np.float64]:
        seen = self.action.span
        if self.bounds is None:
            return seen
        span = np.asarray(self.bounds.high, np.float64) - np.asarray(self.bounds.low, np.float64)
        return np.where(np.isfinite(span) & (span > 0), span, seen)

    @staticmethod
    def _saturated(kept: Kept, counted: NDArray[np.bool_]) -> float | None:
        if kept.any_at_bound is None or not counted.any():
            return None
        mask = np.packbits(counted)
        steps = sum(
            count
            for pattern, count in kept.at_bound_patterns.items()
            if (np.frombuffer(pattern, np.uint8) & mask).any()
        )
        return steps / max(kept.length, 1)


def _patterns(at: NDArray[np.bool_]) -> dict[bytes, int]:
    """Count which numbers are at a bound together; what is rare is counted as all that is rare together."""
    packed, counts = np.unique(np.packbits(at, axis=1), axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    found = {packed[row].tobytes(): int(counts[row]) for row in order[:PATTERNS]}
    rare = order[PATTERNS:]
    if len(rare):
        together = np.bitwise_or.reduce(packed[rare], axis=0).tobytes()
        found[together] = found.get(together, 0) + int(counts[rare].sum())
    return found


def _jerk(kept: Kept, span: NDArray[np.float64], counted: NDArray[np.bool_]) -> float | None:
    if not kept.thirds or not counted.any():
        return None
    squares = kept.third[counted] / span[counted] ** 2
    return float(np.sqrt(squares.mean() / kept.thirds))


def _digest(arrays: list[NDArray[Any]]) -> bytes:
    """Hash arrays as float32, so that the same episode in another precision is the same."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array, np.float32).tobytes())
    return digest.digest()


def scan(
    reader: DatasetReader,
    *,
    bounds: Bounds | None,
    episodes: int | None = None,
    pictures: int = 0,
    told: Callable[[int, int], None] | None = None,
) -> Scan:
    """Read a dataset once.

    Args:
        reader: The dataset.
        bounds: Of the action.
        episodes: At most so many; None takes all.
        pictures: Of how many episodes (the first ones) the pictures are looked at.
        told: Called with how many episodes were read, and how many there are.

    Raises:
        UsageError: The dataset is damaged, or has no episodes.
    """
    total = reader.total_episodes if episodes is None else min(episodes, reader.total_episodes)
    result: Scan | None = None
    for count, episode in enumerate(reader.episodes(0, episodes), 1):
        if result is None:
            result = _begin(reader, episode, bounds, pictures)
        result.add(episode, reader.fps)
        if told is not None:
            told(count, total)
    if result is None:
        raise UsageError("The dataset holds no episodes.")
    return result


def _begin(reader: DatasetReader, first: Episode, bounds: Bounds | None, pictures: int) -> Scan:
    width = first.actions.shape[1]
    if bounds is not None and not len(bounds.low) == len(bounds.high) == width:
        raise UsageError(
            f"{bounds.source} bounds {len(bounds.low)} numbers, and the dataset's actions have {width}."
        )
    freeze = max(STRETCH_STEPS, round(STRETCH_S * reader.fps) if reader.fps else 0)
    return Scan(
        bounds=bounds,
        action=Column.of(width),
        state={key: Column.of(rows.shape[1]) for key, rows in first.state.items()},
        cameras={
            key: CameraTally(name=key, declared=reader.cameras[key], freeze_steps=freeze)
            for key in first.pictures
        },
        at_low=np.zeros(width, np.int64),
        at_high=np.zeros(width, np.int64),
        outside=np.zeros(width, np.int64),
        pictures=pictures,
    )
