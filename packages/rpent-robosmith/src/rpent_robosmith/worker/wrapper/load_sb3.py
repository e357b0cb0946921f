"""A policy of Stable-Baselines3 or sb3-contrib."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

CLASSES = {
    "ppo": "stable_baselines3:PPO",
    "sac": "stable_baselines3:SAC",
    "td3": "stable_baselines3:TD3",
    "ddpg": "stable_baselines3:DDPG",
    "a2c": "stable_baselines3:A2C",
    "dqn": "stable_baselines3:DQN",
    "tqc": "sb3_contrib:TQC",
    "crossq": "sb3_contrib:CrossQ",
    "trpo": "sb3_contrib:TRPO",
    "ars": "sb3_contrib:ARS",
    "qrdqn": "sb3_contrib:QRDQN",
    "maskable-ppo": "sb3_contrib:MaskablePPO",
    "recurrent-ppo": "sb3_contrib:RecurrentPPO",
}
ALGORITHM = "ppo"


class LoadedPolicy:
    """Deterministic predictions, one at a time; a recurrent policy remembers until `reset`."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._state: Any = None
        self._begins = True

    def reset(self) -> None:
        """Begin an episode."""
        self._state, self._begins = None, True

    def __call__(self, inputs: Any, _instruction: str = "") -> Any:
        """Return one action for one observation."""
        action, self._state = self._model.predict(
            inputs, state=self._state, episode_start=np.array([self._begins]), deterministic=True
        )
        self._begins = False
        return np.asarray(action)


def load_policy(path: str, algorithm: str | None = None) -> LoadedPolicy:
    """Load the zip of `model.save(...)`. It holds pickles: load only what you trust, or in a sealed process.

    Args:
        path: The zip.
        algorithm: `ppo`, `sac`, ...; None takes the one that this wrapper was made for.
    """
    name = algorithm or ALGORITHM
    if name not in CLASSES:
        raise ValueError(f"The algorithm `{name}` is not known; known are {sorted(CLASSES)}.")
    module, _, attribute = CLASSES[name].partition(":")
    settings = {"learning_rate": 0.0, "lr_schedule": _constant, "clip_range": _constant, "buffer_size": 1}
    return LoadedPolicy(
        getattr(import_module(module), attribute).load(path, device="cpu", custom_objects=settings)
    )


def _constant(_progress: float) -> float:
    """Stand in for a schedule of the training, which predictions do not need."""
    return 0.0
