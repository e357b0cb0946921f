"""Demonstrations of a dataset as arrays for imitation: columns matched with an environment's observation and action.

Nothing is guessed: a column is taken for the observation only where its name or its width leaves no choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import UsageError

from rpent_robosmith.datasets.open import open_dataset
from rpent_robosmith.policy.shapes import input_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.datasets.api import DatasetReader, Episode, VectorColumn
    from rpent_robosmith.facts import SpaceFacts

WHOLE = ("observation.state", "observation.environment_state", "state", "observation", "obs", "flat")
"""Names of a column that is the whole observation."""
_PREFIX = "observation."


@dataclass(frozen=True, kw_only=True, slots=True)
class Demonstrations:
    """Steps of all episodes, one after the other."""

    observations: NDArray[np.float32]
    """(N, S): flat, as policies take them (parts of a Dict in sorted order, discrete ones as one-hot vectors)."""
    actions: NDArray[np.float32] | NDArray[np.int64]
    """(N, D) within the space's bounds; (N,) numbers of choices from 0 on for a discrete space."""
    episodes: NDArray[np.int64]
    """(N,) which episode a step is of: 0, 1, 2, ..."""
    notes: tuple[str, ...] = ()
    """What was left out or clipped, in sentences."""

    def split(self, share: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Split whole episodes into those to learn from and those to check with.

        Args:
            share: Of the episodes that are kept for the check; at least one where there are several.
            seed: Of the choice.

        Returns:
            Rows to learn from, rows to check with (none of a single episode).
        """
        count = int(self.episodes[-1]) + 1
        kept = max(1, round(share * count)) if count > 1 and share > 0 else 0
        order = np.random.default_rng(seed).permutation(count)
        held = np.isin(self.episodes, order[:kept])
        return np.flatnonzero(~held), np.flatnonzero(held)


def read_demonstrations(
    dataset: str, observation: SpaceFacts, action: SpaceFacts, *, only_successes: bool = True
) -> Demonstrations:
    """Read a dataset for an environment.

    Args:
        dataset: A path that `datasets.open` knows.
        observation: The environment's observation: a vector, a discrete one, or a Dict of them.
        action: Its action: a box or discrete.
        only_successes: Leave out the episodes that the dataset says failed; those it says nothing of stay.

    Raises:
        UsageError: The dataset is damaged, fits neither observation nor action, or nothing of it is left.
    """
    with open_dataset(dataset) as reader:
        parts = match_columns(reader, dataset, observation)
        taken: list[tuple[NDArray[np.float32], NDArray[Any]]] = []
        tally = _Tally()
        for episode in reader.episodes():
            if only_successes and episode.success is False:
                tally.failed += 1
                continue
            rows = _observations(episode, parts, observation)
            actions = _actions(episode, action, dataset, tally)
            finite = np.isfinite(rows).all(axis=1) & np.isfinite(actions.reshape(len(actions), -1)).all(
                axis=1
            )
            tally.dropped += int((~finite).sum())
            if finite.any():
                taken.append((rows[finite], actions[finite]))
    if not taken:
        raise UsageError(f"Nothing of `{dataset}` can be learned from{tally.why()}.")
    return Demonstrations(
        observations=np.concatenate([rows for rows, _ in taken]),
        actions=np.concatenate([actions for _, actions in taken]),
        episodes=np.repeat(np.arange(len(taken)), [len(rows) for rows, _ in taken]),
        notes=tally.notes(),
    )


@dataclass(slots=True)
class _Tally:
    failed: int = 0
    dropped: int = 0
    clipped: int = 0

    def why(self) -> str:
        return f": {self.failed} episodes failed" if self.failed else ": it has no steps with finite numbers"

    def notes(self) -> tuple[str, ...]:
        told = {
            f"{self.failed} failed episodes of the dataset were left out.": self.failed,
            f"{self.dropped} steps with numbers that are not finite were left out.": self.dropped,
            f"{self.clipped} numbers of the actions were outside of the bounds, and clipped.": self.clipped,
        }
        return tuple(text for text, count in told.items() if count)


def match_columns(reader: DatasetReader, dataset: str, observation: SpaceFacts) -> dict[str, str]:
    """Return part of the observation → state column; the empty string is the whole.

    Raises:
        UsageError: A part has no column, or one of another width.
    """
    if observation.kind == "dict" and (found := _parts(reader.state, observation)):
        return found
    size = input_size(observation)
    fitting = [key for key, column in reader.state.items() if _width(column) in {size, _stored(observation)}]
    named = [key for key in WHOLE if key in fitting]
    if named or len(fitting) == 1:
        return {"": (named or fitting)[0]}
    has = (
        ", ".join(f"`{key}` ({_width(column)})" for key, column in reader.state.items()) or "no state at all"
    )
    what = f"{size} numbers"
    if observation.kind == "dict":
        what = ", ".join(f"`{name}` ({input_size(part)})" for name, part in observation.parts.items())
    raise UsageError(
        f"The environment observes {what}, and `{dataset}` has {has}.",
        hint="`rpent smith inspect compat` compares a dataset with an environment.",
    )


def _parts(state: Mapping[str, VectorColumn], observation: SpaceFacts) -> dict[str, str]:
    """Return a column for each part, by its name; nothing where one has none."""
    bare = {key.removeprefix(_PREFIX): key for key in state}
    found = {}
    for name, part in observation.parts.items():
        key = name if name in state else bare.get(name)
        if key is None or _width(state[key]) not in {input_size(part), _stored(part)}:
            return {}
        found[name] = key
    return found


def _width(column: VectorColumn) -> int:
    return int(np.prod(column.shape))


def _stored(space: SpaceFacts) -> int:
    """Return how wide an observation is in a dataset that keeps it as it is: a discrete one is one number."""
    return 1 if space.kind == "discrete" else input_size(space)


def _observations(episode: Episode, parts: Mapping[str, str], observation: SpaceFacts) -> NDArray[np.float32]:
    if "" in parts:
        return _flat(episode.state[parts[""]], observation)
    columns = [_flat(episode.state[parts[name]], observation.parts[name]) for name in sorted(parts)]
    return np.concatenate(columns, axis=1)


def _flat(rows: NDArray[np.generic], space: SpaceFacts) -> NDArray[np.float32]:
    values = np.asarray(rows, np.float32)
    if space.kind != "discrete" or values.shape[1] != 1:
        return values
    return one_hot(values[:, 0], space)


def one_hot(numbers: NDArray[np.floating[Any]], space: SpaceFacts) -> NDArray[np.float32]:
    """Return (N, n) one-hot vectors of choices, NaN where a number is no choice."""
    count = space.n or 0
    result = np.zeros((len(numbers), count), np.float32)
    choices = numbers - space.start
    valid = np.isfinite(choices) & (choices >= 0) & (choices < count)
    result[valid, choices[valid].astype(np.int64)] = 1.0
    result[~valid] = np.nan
    return result


def _actions(episode: Episode, action: SpaceFacts, dataset: str, tally: _Tally) -> NDArray[Any]:
    values = np.asarray(episode.actions, np.float64)
    if action.kind == "discrete":
        return _choices(values, action, dataset)
    if action.kind != "box" or values.shape[1] != action.size:
        raise UsageError(
            f"The environment takes {action.size} numbers as action, and `{dataset}` has {values.shape[1]}.",
            hint="`rpent smith inspect compat` compares a dataset with an environment.",
        )
    low, high = (
        np.broadcast_to(np.asarray(bound, np.float64), (action.size,)) for bound in (action.low, action.high)
    )
    clipped = np.clip(values, low, high)
    tally.clipped += int((np.abs(clipped - values) > 1e-6 * np.maximum(np.abs(clipped), 1.0)).sum())
    return clipped.astype(np.float32)


def _choices(values: NDArray[np.float64], action: SpaceFacts, dataset: str) -> NDArray[np.int64]:
    """Return (T,) choices from 0 on: from numbers, or from one-hot vectors."""
    count = action.n or 0
    if (
        values.shape[1] == count
        and count > 1
        and np.isin(values, (0.0, 1.0)).all()
        and (values.sum(axis=1) == 1).all()
    ):
        largest: NDArray[np.int64] = np.argmax(values, axis=1).astype(np.int64)
        return largest
    numbers = values[:, 0] - action.start
    if values.shape[1] != 1 or not np.all(
        (numbers == np.round(numbers)) & (numbers >= 0) & (numbers < count)
    ):
        raise UsageError(
            f"The environment takes one of {count} choices, and the actions of `{dataset}` are none."
        )
    chosen: NDArray[np.int64] = numbers.astype(np.int64)
    return chosen
