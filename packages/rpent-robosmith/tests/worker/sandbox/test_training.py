"""A sealed worker can still train: real Stable-Baselines3, real environments, a candidate's reward."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent.environments.interpreter import linked_interpreter
from rpent_robosmith.work.api import Job

if TYPE_CHECKING:
    from rpent_robosmith.work.bench import ProcessBench

REWARD = """
def compute_reward(obs, action, next_obs, info):
    own = info["env_reward"]
    return own, {"own": own}
"""


@pytest.mark.models
@pytest.mark.parametrize(
    ("algorithm", "env", "params"),
    [
        ("PPO", "CartPole-v1", {"steps": 256, "options": {"n_steps": 128}}),
        ("PPO", "Pendulum-v1", {"steps": 256, "n_envs": 2, "normalize": True, "options": {"n_steps": 64}}),
        ("SAC", "HalfCheetah-v5", {"steps": 200}),
        ("TD3", "Reacher-v5", {"steps": 200}),
        ("TQC", "Pendulum-v1", {"steps": 150}),
        ("CrossQ", "Pendulum-v1", {"steps": 150}),
        ("SAC", "LunarLanderContinuous-v3", {"steps": 150}),
        ("SAC", "FetchReach-v4", {"steps": 150}),
    ],
)
def test_trainings_work_behind_the_fence(
    robosmith_bench: ProcessBench, robosmith_python: str, algorithm: str, env: str, params: dict[str, Any]
) -> None:
    heard: dict[str, Any] = {}
    linked = linked_interpreter(robosmith_python, "rpent-robosmith").environ()["PYTHONPATH"]
    job = Job(
        run="sealed_jobs:train",
        params={"code": REWARD, "algorithm": algorithm, "env": env, **params},
        sealed=True,
        variables={"PYTHONPATH": os.pathsep.join((linked, str(Path(__file__).parent)))},
    )
    result = robosmith_bench.run(job, lambda kind, data: heard.update({kind: data}))
    assert heard["sealed"] == {"caveats": []}
    assert result["steps"] == result["calls"] >= params["steps"]
    assert result["errors"] == 0
    assert all(np.isfinite(weights).all() for weights in heard["checkpoint"]["weights"].values())
