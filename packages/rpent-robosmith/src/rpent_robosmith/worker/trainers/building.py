"""Environments and models of Stable-Baselines3, from a training task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from rpent.errors import UsageError
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch import nn

from rpent_robosmith.training.hyperparameters import validated
from rpent_robosmith.worker.flat import flat_env

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.vec_env import VecEnv

    from rpent_robosmith.worker.api import TrainingTask

_ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU}
_OF_THE_POLICY = ("log_std_init", "ortho_init", "n_quantiles", "n_critics")


@dataclass(slots=True)
class Progress:
    """How much of the steps is done, for schedules."""

    done: float = 0.0


class FlatVecEnv(DummyVecEnv):  # type: ignore[misc, unused-ignore]
    """Flat observations, one environment after the other in this process; remembers the spaces as they were."""

    def __init__(self, task: TrainingTask) -> None:
        originals = [task.make_env(index) for index in range(task.n_envs)]
        self.unwrapped_spaces = (originals[0].observation_space, originals[0].action_space)
        envs = iter([flat_env(env) for env in originals])
        super().__init__([lambda: next(envs)] * task.n_envs)
        self._rows: NDArray[np.float32] = self.buf_obs[None]

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[Any]]:
        """Step each environment, as the library does, without its deep copies."""
        infos: list[dict[str, Any]] = []
        for index, env in enumerate(self.envs):
            row, self.buf_rews[index], terminated, truncated, told = env.step(self.actions[index])
            info = {**told, "TimeLimit.truncated": truncated and not terminated}
            self.buf_dones[index] = terminated or truncated
            if terminated or truncated:
                info["terminal_observation"] = np.array(row)
                row, self.reset_infos[index] = env.reset()
            self._rows[index] = row
            infos.append(info)
        return self._rows.copy(), self.buf_rews.copy(), self.buf_dones.copy(), infos


def build(
    algorithm: type[BaseAlgorithm], task: TrainingTask, kinds: tuple[str, ...]
) -> tuple[BaseAlgorithm, Progress]:
    """Return a model with fresh networks, and the progress that its schedules follow.

    Args:
        algorithm: The library's class.
        task: What to train.
        kinds: Action spaces that the algorithm acts in: `box`, `discrete`.

    Raises:
        UsageError: A hyperparameter is not accepted, or the action space does not fit.
    """
    values = validated(task.algorithm, task.hyperparameters)
    envs = FlatVecEnv(task)
    _check_actions(task, envs.action_space, kinds)
    env: VecEnv = envs
    if task.normalize_observations or task.normalize_rewards:
        env = VecNormalize(
            envs,
            norm_obs=task.normalize_observations,
            norm_reward=task.normalize_rewards,
            gamma=values.get("gamma", 0.99),
        )
    progress = Progress()
    arguments = _arguments(values, envs.action_space, progress)
    model = algorithm("MlpPolicy", env, seed=task.seed, device="cpu", verbose=0, **arguments)
    model.set_logger(Logger(None, []))  # its own would make a folder, which a sealed worker may not
    return model, progress


def _arguments(values: Mapping[str, Any], actions: spaces.Space[Any], progress: Progress) -> dict[str, Any]:
    arguments = dict(values)
    policy: dict[str, Any] = {name: arguments.pop(name) for name in _OF_THE_POLICY if name in arguments}
    if "net_arch" in arguments:
        policy["net_arch"] = arguments.pop("net_arch")
    if "critic_net_arch" in arguments:
        policy["net_arch"] = {
            "pi": policy.get("net_arch", [256, 256]),
            "qf": arguments.pop("critic_net_arch"),
        }
    if "activation" in arguments:
        policy["activation_fn"] = _ACTIVATIONS[arguments.pop("activation")]
    if policy:
        arguments["policy_kwargs"] = policy
    if arguments.pop("learning_rate_schedule", "constant") == "linear":
        rate = arguments.get("learning_rate", 3e-4)
        arguments["learning_rate"] = lambda _: rate * max(1.0 - progress.done, 0.0)
    noise = arguments.pop("action_noise", 0.0)
    if noise:
        size = int(np.prod(actions.shape or (1,)))
        arguments["action_noise"] = NormalActionNoise(np.zeros(size), np.full(size, noise))
    return arguments


def _check_actions(task: TrainingTask, actions: spaces.Space[Any], kinds: tuple[str, ...]) -> None:
    kind = {spaces.Box: "box", spaces.Discrete: "discrete"}.get(type(actions), type(actions).__name__)
    if kind not in kinds:
        raise UsageError(
            f"`{task.algorithm}` acts in {' and '.join(f'`{name}`' for name in kinds)} spaces; "
            f"`{task.entry.id}` has a `{kind}` one.",
            hint="`rpent smith trainers` lists which algorithm acts where.",
        )
