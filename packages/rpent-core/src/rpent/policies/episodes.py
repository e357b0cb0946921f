"""Whose questions a policy server answers: the seed of each episode, and how many questions it has asked."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass, field

MAX_EPISODES = 1024
IDLE_S = 3600.0
"""An episode that asked nothing for so long is forgotten."""


@dataclass(slots=True, eq=False)
class Episode:
    """One episode from one reset to the next."""

    name: str
    seed: int = 0
    step: int = 0
    """How many questions the policy was asked."""
    used: float = field(default_factory=time.monotonic)

    def next_step(self) -> tuple[int, int]:
        """Count a question; returns its number and its seed."""
        step = self.step
        self.step += 1
        return step, request_seed(self.seed, step)


class Episodes:
    """A bounded number of episodes, the least recently used first. Not thread-safe: the worker's lock guards it."""

    def __init__(self, *, limit: int = MAX_EPISODES, idle_s: float = IDLE_S) -> None:
        self._limit, self._idle_s = limit, idle_s
        self._episodes: OrderedDict[str, Episode] = OrderedDict()

    def __len__(self) -> int:
        """Return how many are known."""
        return len(self._episodes)

    def use(self, name: str) -> Episode:
        """Return the episode; an unknown one begins with seed 0."""
        episode = self._episodes.setdefault(name, Episode(name))
        episode.used = time.monotonic()
        self._episodes.move_to_end(name)
        return episode

    def begin(self, name: str, seed: int) -> Episode | None:
        """Let the episode begin again; returns what it was before."""
        before = self._episodes.pop(name, None)
        self._episodes[name] = Episode(name, seed)
        return before

    def evict(self) -> list[str]:
        """Forget the idle ones and those that are too many; returns their names."""
        names = []
        oldest_wanted = time.monotonic() - self._idle_s
        while self._episodes:
            oldest = next(iter(self._episodes.values()))
            if len(self._episodes) <= self._limit and oldest.used >= oldest_wanted:
                break
            del self._episodes[oldest.name]
            names.append(oldest.name)
        return names


def request_seed(episode_seed: int, step: int) -> int:
    """Return 32 bits that depend on nothing but the two numbers."""
    digest = hashlib.blake2b(f"{episode_seed}:{step}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big")
