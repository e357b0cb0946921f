"""What a model of Stable-Baselines3 is between two segments, as plain data and numeric arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.running_mean_std import RunningMeanStd
    from stable_baselines3.common.vec_env import VecNormalize

_COUNTERS = ("num_timesteps", "_n_updates", "_episode_num")
_REPLAY = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")


class ModelState:
    """Saves and restores a model; knows which rows of the replay buffer were saved already."""

    def __init__(self, model: BaseAlgorithm) -> None:
        self._model = model
        self._saved_rows = 0

    def save(self, segment: int) -> dict[str, Any]:
        """Return weights, optimiser moments, normalisation, counters, and the *new* rows of the replay buffer.

        Args:
            segment: The last one that is finished.
        """
        model = self._model
        data: dict[str, Any] = {
            "segment": segment,
            "counters": {name: int(getattr(model, name)) for name in _COUNTERS if hasattr(model, name)},
            "modules": _modules(model),
        }
        normalized = model.get_vec_normalize_env()
        if normalized is not None:
            data["normalization"] = _statistics(normalized)
        buffer = getattr(model, "replay_buffer", None)
        if buffer is not None:
            data["keep_rows"] = int(buffer.buffer_size)
            data["total_rows"] = total = self._total_rows()
            first = max(self._saved_rows, total - buffer.buffer_size)
            places = np.arange(first, total) % buffer.buffer_size
            data["appended"] = {name: getattr(buffer, name)[places] for name in _REPLAY}
            self._saved_rows = total
        return data

    def restore(self, data: Mapping[str, Any]) -> int:
        """Make the model what it was when `data` was saved.

        Returns:
            The last finished segment.

        Raises:
            UsageError: The data are of another algorithm or other sizes.
        """
        model = self._model
        try:
            _set_modules(model, data["modules"])
            for name, value in data["counters"].items():
                setattr(model, name, int(value))
            normalized = model.get_vec_normalize_env()
            if normalized is not None:
                _set_statistics(normalized, data["normalization"])
            if getattr(model, "replay_buffer", None) is not None:
                self._restore_rows(data)
        except (KeyError, ValueError, RuntimeError) as error:
            raise UsageError(
                f"The checkpoint is not one of this training: {' '.join(str(error).split())[:300]}."
            ) from error
        return int(data["segment"])

    def _total_rows(self) -> int:
        env = self._model.get_env()
        assert env is not None
        return int(self._model.num_timesteps) // int(env.num_envs)

    def _restore_rows(self, data: Mapping[str, Any]) -> None:
        buffer: Any = self._model.replay_buffer
        total = int(data["total_rows"])
        rows = data["appended"]
        count = len(rows["observations"])
        if count < min(total, buffer.buffer_size):
            raise ValueError(f"it holds {count} of {total} steps")
        places = np.arange(total - count, total) % buffer.buffer_size
        for name in _REPLAY:
            getattr(buffer, name)[places] = rows[name]
        buffer.pos = total % buffer.buffer_size
        buffer.full = total >= buffer.buffer_size
        self._saved_rows = total


def _modules(model: BaseAlgorithm) -> dict[str, Any]:
    names, variables = model._get_torch_save_params()
    found: dict[str, Any] = {}
    for name in names:
        state = _attribute(model, name).state_dict()
        # The groups' settings (learning rate, betas) come from the hyperparameters; only the moments are state.
        found[name] = _arrays(state["state"] if name.endswith("optimizer") else state)
    for name in variables:
        variable = getattr(model, name, None)
        if variable is not None:
            found[name] = _arrays(variable)
    return found


def _set_modules(model: BaseAlgorithm, saved: Mapping[str, Any]) -> None:
    names, variables = model._get_torch_save_params()
    for name in names:
        part = _attribute(model, name)
        if name.endswith("optimizer"):
            moments = {int(key): _tensors(value) for key, value in saved[name].items()}
            part.load_state_dict({**part.state_dict(), "state": moments})
        else:
            part.load_state_dict(_tensors(saved[name]))
    for name in variables:
        variable = getattr(model, name, None)
        if variable is not None:
            with torch.no_grad():
                variable.copy_(_tensors(saved[name]))


def _attribute(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = getattr(model, name)
    return model


def _arrays(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().numpy().copy()
    if isinstance(value, dict):
        return {str(key): _arrays(item) for key, item in value.items() if item is not None}
    return value


def _tensors(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.array(value))
    if isinstance(value, dict):
        return {key: _tensors(item) for key, item in value.items()}
    return value


def _statistics(env: VecNormalize) -> dict[str, Any]:
    data = {"returns": _moments(env.ret_rms)}
    if env.norm_obs:
        data["observations"] = _moments(env.obs_rms)
    return data


def _set_statistics(env: VecNormalize, data: Mapping[str, Any]) -> None:
    _set_moments(env.ret_rms, data["returns"])
    if env.norm_obs:
        _set_moments(env.obs_rms, data["observations"])


def _moments(statistics: RunningMeanStd) -> dict[str, Any]:
    return {
        "mean": np.array(statistics.mean, np.float64),
        "var": np.array(statistics.var, np.float64),
        "count": float(statistics.count),
    }


def _set_moments(statistics: RunningMeanStd, data: Mapping[str, Any]) -> None:
    statistics.mean = np.array(data["mean"], np.float64)
    statistics.var = np.array(data["var"], np.float64)
    statistics.count = float(data["count"])
