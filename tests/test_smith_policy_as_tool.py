"""From demonstrations on LIBERO to a tool of `rpent run` on LIBERO: trained, delivered, served, called."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from rpent.testing.environments import python_for
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.catalog.load import entries
from rpent_robosmith.work.api import Job
from rpent_robosmith.work.served import ServingBench
from rpent_robosmith.worker.adapters.served import ServedAdapter

h5py = pytest.importorskip("h5py")
pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]

EPISODES = 16
TO_GOAL = 12.0
"""Action for a metre of distance: a controller that reaches the goal in some 25 control steps."""


class Here:
    """A bench that runs the work in the test's own process, beside the env server."""

    def __init__(self, work):
        self.work = work

    def run(self, job, heard=None):
        os.environ.update(job.variables)
        return self.work(EnvEntry.model_validate(job.params["entry"]))


def demonstrate(path, entry):
    """Write demonstrations as robomimic's HDF5: straight to the goal, with some noise beside it."""
    env = ServedAdapter().make(entry)
    goal, rng = np.asarray(entry.kwargs["goal_m"]), np.random.default_rng(0)
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        for index in range(EPISODES):
            observation, _ = env.reset(seed=100 + index)
            seen, done = [], []
            for _ in range(entry.max_episode_steps):
                action = np.zeros(7)
                action[:3] = np.clip((goal - observation["eef_position"]) * TO_GOAL, -1, 1)
                seen.append(observation)
                done.append(action)
                disturbed = action + np.concatenate([rng.normal(0, 0.3, 3), np.zeros(4)])
                observation, *_ = env.step(np.clip(disturbed, -1, 1))
            demo = data.create_group(f"demo_{index}")
            demo["actions"] = np.stack(done).astype(np.float32)
            for name in seen[0]:
                demo[f"obs/{name}"] = np.stack([each[name] for each in seen])
    env.close()
    return path


def rpent(*arguments, cwd):
    command = [sys.executable, "-m", "rpent", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=400)


def test_a_policy_that_was_delivered_is_a_tool_on_the_same_environment(tmp_path, monkeypatch):
    pytest.importorskip("libero")
    python_for("robosmith")
    for name in list(os.environ):
        if name.startswith("RPENT_SMITH"):
            monkeypatch.delenv(name)
    entry = entries()["libero-reach"]
    demos = tmp_path / "demos.hdf5"
    with ServingBench(Here(lambda found: demonstrate(demos, found)), logs=tmp_path / "logs") as bench:
        bench.run(Job(run="", params={"entry": entry.model_dump()}))

    trained = rpent(
        "smith", "run", "move the hand of the panda to the point", "--environment", entry.id,
        "--algorithm", "bc", "--dataset", str(demos), "--episodes", "10", "--iterations", "1", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    assert trained.returncode == 0, trained.stderr + trained.stdout
    run = tmp_path / "robosmith_runs" / json.loads(trained.stdout)["run_id"]

    calls = tmp_path / "calls.jsonl"
    call = {"name": "vla_do", "arguments": {"prompt": "reach", "max_chunks": entry.max_episode_steps}}
    calls.write_text(json.dumps(call) + "\n")
    driven = rpent(
        "run", "--robot", "libero", "--suite", entry.kwargs["suite"], "--task", str(entry.kwargs["task"]),
        "--seed", "23", "--planner", "replay", "--recipe", str(calls), "--policy", "robosmith",
        "--checkpoint", str(run), "--output-dir", str(tmp_path / "runs"), "-q",
        cwd=tmp_path,
    )  # fmt: skip
    assert driven.returncode == 1, driven.stderr  # the benchmark's own task is another one
    (step,) = sorted(tmp_path.glob("runs/*/steps/0001"))
    state = json.loads((step / "state.json").read_text())["state"]
    distance = np.linalg.norm(np.asarray(state["eef_position"]) - np.asarray(entry.kwargs["goal_m"]))
    assert distance < entry.success.at_most
