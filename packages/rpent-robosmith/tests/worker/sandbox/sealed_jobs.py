"""Jobs that seal themselves and then run code that is given as text."""

from __future__ import annotations

import os
import time
from typing import Any

import gymnasium
import numpy as np
from rpent_robosmith.worker.rewards import RewardedEnv, RewardFunction


def unchecked(params: dict[str, Any], context: Any) -> dict[str, Any]:
    """Run a job of the product on reward code that the static check would refuse, as if it had a hole."""
    from importlib import import_module

    from rpent_robosmith.worker import rewards

    rewards.check_reward = lambda _code: []
    module, _, name = params["run"].partition(":")
    result: dict[str, Any] = getattr(import_module(module), name)(params["params"], context)
    return result


def attempt(params: dict[str, Any], context: Any) -> dict[str, Any]:
    """Run code after the seal, with everything that Python has; returns what it left in `out`."""
    import ctypes  # noqa: F401
    import socket  # noqa: F401
    import subprocess  # noqa: F401

    if params.get("open"):
        namespace: dict[str, Any] = {}
        exec(params["open"], namespace)
    else:
        namespace = {}
    context.seal(readable=params.get("readable", ()), threads=params.get("threads", False))
    namespace |= {"out": [], "context": context}
    try:
        exec(params["code"], namespace)
    except BaseException as error:
        return {"error": f"{type(error).__name__}: {error}", "out": [str(item) for item in namespace["out"]]}
    return {"error": None, "out": [str(item) for item in namespace["out"]]}


def drive(params: dict[str, Any], context: Any) -> dict[str, Any]:
    """Step an environment under a reward, as screening and training do."""
    env = gymnasium.make(params.get("env", "Pendulum-v1"))
    rng = np.random.default_rng(0)
    context.seal()
    reward = RewardFunction(params["code"], check=params["check"])
    rewarded = RewardedEnv(env, reward)
    total, told = 0.0, time.monotonic()
    rewarded.reset(seed=0)
    for number in range(params.get("steps", 400)):
        action = rng.uniform(-2, 2, 1).astype(np.float32)
        _, value, terminated, truncated, _ = rewarded.step(action)
        total += value
        if terminated or truncated:
            rewarded.reset(seed=number)
        if time.monotonic() - told > 0.2 or number == 0:
            context.tell("progress", steps=number)
            told = time.monotonic()
    reward.require_sound()
    return {**reward.summary(), "total": total, "pid": os.getpid()}


def train(params: dict[str, Any], context: Any) -> dict[str, Any]:
    """Train with Stable-Baselines3, sealed."""
    import sb3_contrib
    import stable_baselines3
    import torch
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    torch.set_num_threads(1)
    if "Fetch" in params["env"]:
        import gymnasium_robotics

        gymnasium.register_envs(gymnasium_robotics)
    made = [gymnasium.make(params["env"]) for _ in range(params.get("n_envs", 1))]
    context.seal()
    reward = RewardFunction(params["code"])

    class Tell(BaseCallback):
        def _on_step(self) -> bool:
            if self.n_calls % 50 == 0:
                context.tell("progress", steps=self.num_timesteps)
            return True

    envs: Any = DummyVecEnv([lambda env=env: RewardedEnv(env, reward) for env in made])
    if params.get("normalize"):
        envs = VecNormalize(envs)
    algorithm = getattr(stable_baselines3, params["algorithm"], None) or getattr(
        sb3_contrib, params["algorithm"]
    )
    policy = (
        "MultiInputPolicy" if isinstance(made[0].observation_space, gymnasium.spaces.Dict) else "MlpPolicy"
    )
    model = algorithm(policy, envs, seed=0, device="cpu", **params.get("options", {}))
    model.set_logger(Logger(folder=None, output_formats=[]))  # the default one makes a folder
    model.learn(params["steps"], callback=Tell())
    weights = {name: value.numpy() for name, value in model.policy.state_dict().items()}
    context.tell("checkpoint", weights=weights)
    return {"steps": model.num_timesteps, **reward.summary()}
