"""A policy that RoboSmith delivered: two files without pickles, run by numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rpent_robosmith.policy.files import read_policy
from rpent_robosmith.policy.network import NetworkPolicy


class LoadedPolicy:
    """Answers with its whole chunk."""

    def __init__(self, policy: NetworkPolicy) -> None:
        self._policy = policy

    def reset(self) -> None:
        """Begin an episode."""
        self._policy.reset(0)

    def __call__(self, inputs: Any, _instruction: str = "") -> Any:
        """Return (T, D), or (T,) whole numbers of a discrete policy."""
        return self._policy.chunk(inputs)


def load_policy(path: str) -> LoadedPolicy:
    """Load the folder with `policy.json` and `policy.safetensors`, one of the two files, or a run's directory."""
    place = Path(path).parent if Path(path).is_file() else Path(path)
    inner = place / "policy"
    return LoadedPolicy(NetworkPolicy(read_policy(inner if inner.is_dir() else place)))
