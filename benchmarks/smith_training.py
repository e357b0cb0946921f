"""What RoboSmith's trainings cost over calling Stable-Baselines3 directly.

    python benchmarks/smith_training.py            # writes benchmarks/results/smith_training.{json,md}

Ours is the training job as a run starts it: a sealed worker process, the candidate's reward in `RewardedEnv`, segments
with reset and newly seeded environments, callbacks, messages, a checkpoint after each segment that this process writes.
Directly is `model.learn` in a process of its own, in the same interpreter, with the library's own vectorised, monitored
environments, the same settings, one thread, and the same reward in a plain `gymnasium.Wrapper`. `compared` adds what
finds the best policy: ours after each segment, the library's `EvalCallback` as often, ten episodes each.

The two take turns; each turn is one whole training, timed from the environments being made to the last policy. A pair
of turns gives one ratio, and the median of the ratios counts. `CPU` is the processor time of the training process,
which a busy machine disturbs less than the wall clock; the owner's own time is in the wall clock only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rpent.environments.interpreter import linked_interpreter
from rpent.testing.environments import python_for
from rpent_robosmith.catalog.load import find
from rpent_robosmith.training.checkpoints import CheckpointFolder
from rpent_robosmith.training.order import Selection, TrainingOrder
from rpent_robosmith.work.api import Job
from rpent_robosmith.work.bench import ProcessBench

RESULTS = Path(__file__).parent / "results"
BOUND = 0.05
EPISODES = 10
REWARD = """\
def compute_reward(obs, action, next_obs, info):
    reward = info["env_reward"]
    return reward, {"own": reward}
"""
DIRECT = """
import json, sys, time
import gymnasium, torch
torch.set_num_threads(1)
import stable_baselines3
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor

asked = json.loads(sys.argv[1])
class Rewarded(gymnasium.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        space = {}
        exec(asked["reward"], space)
        self._reward = space["compute_reward"]
    def reset(self, **arguments):
        self._before, info = self.env.reset(**arguments)
        return self._before, info
    def step(self, action):
        after, own, terminated, truncated, info = self.env.step(action)
        reward, _ = self._reward(self._before, action, after, {**info, "env_reward": own})
        self._before = after
        return after, reward, terminated, truncated, info
env = make_vec_env(asked["env_id"], n_envs=asked["n_envs"], seed=0, wrapper_class=Rewarded if asked["reward"] else None)
judge = Monitor(gymnasium.make(asked["env_id"])) if asked["episodes"] else None
wall, cpu = time.perf_counter(), time.process_time()
model = getattr(stable_baselines3, asked["class"])("MlpPolicy", env, seed=0, device="cpu", **asked["settings"])
callback = None if judge is None else EvalCallback(
    judge, n_eval_episodes=asked["episodes"], eval_freq=asked["every"] // asked["n_envs"], verbose=0, warn=False)
model.learn(asked["steps"], callback=callback)
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "steps": model.num_timesteps}))
"""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What is trained by both."""

    name: str
    entry: str
    algorithm: str
    steps: int
    every: int
    n_envs: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    rewarded: bool = True
    compared: bool = False

    def ours(self, bench: ProcessBench, folder: Path) -> dict[str, float]:
        """Train with RoboSmith."""
        order = TrainingOrder(
            entry=find(self.entry),
            algorithm=self.algorithm,
            trainer="sb3",
            seed=0,
            total_steps=self.steps,
            n_envs=self.n_envs,
            hyperparameters=self.settings,
            segment_steps=self.every,
            reward=REWARD if self.rewarded else None,
            selection=Selection(episodes=EPISODES, solved_after=10**6) if self.compared else None,
        )
        watch = _Watch(CheckpointFolder(folder), len(range(0, self.steps, self.every)))
        job = Job(
            run="rpent_robosmith.worker.jobs.train:run",
            params={"order": order.model_dump(mode="json")},
            sealed=self.rewarded,
        )
        result = bench.run(job, watch.heard)["result"]
        return {"wall": watch.wall, "cpu": watch.cpu, "steps": result["steps"]}

    def direct(self, command: list[str], environ: dict[str, str]) -> dict[str, float]:
        """Train with the library."""
        asked = {
            "env_id": find(self.entry).env_id,
            "class": self.algorithm.upper(),
            "n_envs": self.n_envs,
            "steps": self.steps,
            "every": self.every,
            "settings": self.settings,
            "reward": REWARD if self.rewarded else None,
            "episodes": EPISODES if self.compared else 0,
        }
        ended = subprocess.run(
            [*command, "-c", DIRECT, json.dumps(asked)],
            env=environ,
            capture_output=True,
            text=True,
            check=True,
        )
        measured: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
        return measured


class _Watch:
    """Keeps the checkpoints as a run does, and takes the times of the worker."""

    def __init__(self, folder: CheckpointFolder, segments: int) -> None:
        self._folder, self._segments = folder, segments
        self._began: tuple[float, float] | None = None
        self._heard = 0
        self.wall = self.cpu = 0.0

    def heard(self, kind: str, data: Any) -> None:
        """Take one message."""
        if kind == "ready":
            self._began = _now()
        elif kind == "checkpoint":
            self._folder.write(data["segment"], data["data"])
        elif kind == "evaluation":
            self._heard += 1
            if self._heard == self._segments:
                assert self._began is not None
                wall, cpu = _now()
                self.wall, self.cpu = wall - self._began[0], cpu - self._began[1]


def _now() -> tuple[float, float]:
    """Return the wall clock, and the processor time of the worker, which is this process's only child."""
    pid = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[-1]
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return time.perf_counter(), ticks / os.sysconf("SC_CLK_TCK")


PPO = {"n_steps": 128, "batch_size": 256, "n_epochs": 10}
SAC = {"learning_starts": 100, "buffer_size": 50_000}
CASES = (
    Case(
        name="PPO on CartPole",
        entry="cartpole",
        algorithm="ppo",
        steps=40_960,
        every=8_192,
        n_envs=8,
        settings=PPO,
    ),
    Case(
        name="PPO on CartPole, its own reward",
        entry="cartpole",
        algorithm="ppo",
        steps=40_960,
        every=8_192,
        n_envs=8,
        settings=PPO,
        rewarded=False,
    ),
    Case(name="SAC on Pendulum", entry="pendulum", algorithm="sac", steps=2_000, every=500, settings=SAC),
    Case(
        name="SAC on Pendulum, compared",
        entry="pendulum",
        algorithm="sac",
        steps=2_000,
        every=500,
        settings=SAC,
        compared=True,
    ),
)


def measure(
    case: Case, rounds: int, bench: ProcessBench, command: list[str], environ: dict[str, str]
) -> dict[str, Any]:
    """Return the medians of a case."""
    pairs = []
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            turns = {
                "ours": lambda: case.ours(bench, Path(folder)),
                "direct": lambda: case.direct(command, environ),
            }
            order = ("ours", "direct") if number % 2 else ("direct", "ours")
            pair = {name: turns[name]() for name in order}
        assert pair["ours"]["steps"] == pair["direct"]["steps"], pair
        pairs.append(pair)
        print(
            case.name,
            {name: {key: round(value, 2) for key, value in one.items()} for name, one in pair.items()},
        )
    ratios = {key: [pair["ours"][key] / pair["direct"][key] for pair in pairs] for key in ("wall", "cpu")}
    row: dict[str, Any] = {"case": case.name, "steps": pairs[0]["ours"]["steps"], "rounds": rounds}
    for name in ("direct", "ours"):
        row[f"{name}_steps_per_s"] = round(
            statistics.median(one[name]["steps"] / one[name]["wall"] for one in pairs), 1
        )
        row[f"{name}_cpu_ms_per_step"] = round(
            statistics.median(1e3 * one[name]["cpu"] / one[name]["steps"] for one in pairs), 4
        )
    for key, values in ratios.items():
        row[f"{key}_overhead"] = round(statistics.median(values) - 1, 4)
        row[f"{key}_range"] = [round(min(values) - 1, 4), round(max(values) - 1, 4)]
    row["met"] = row["wall_overhead"] <= BOUND
    return row


def table(rows: list[dict[str, Any]], about: dict[str, Any]) -> str:
    """Return the report."""
    lines = [
        "# RoboSmith's trainings",
        "",
        f"Python {about['python']}, {about['cores']} cores, one thread for torch, load {about['load']:.1f} at the "
        "start. Made by `benchmarks/smith_training.py`.",
        "",
        f"Bound: at most {BOUND:.0%} more wall clock than `model.learn` of Stable-Baselines3, the median of pairs "
        "that take turns.",
        "",
        "| training | steps | pairs | direct, steps/s | ours, steps/s | overhead | from .. to | CPU: direct, ms/step "
        "| ours, ms/step | overhead | met |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        low, high = row["wall_range"]
        lines.append(
            f"| {row['case']} | {row['steps']} | {row['rounds']} | {row['direct_steps_per_s']} "
            f"| {row['ours_steps_per_s']} | {row['wall_overhead']:+.1%} | {low:+.1%} .. {high:+.1%} "
            f"| {row['direct_cpu_ms_per_step']} | {row['ours_cpu_ms_per_step']} | {row['cpu_overhead']:+.1%} "
            f"| {'yes' if row['met'] else 'no'} |"
        )
    lines += [
        "",
        "`compared`: with ten episodes after each segment that find the best policy, against `EvalCallback`.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose name has this in it; nothing is written then")
    arguments = parser.parse_args()
    interpreter = linked_interpreter(python_for("robosmith"), "rpent-robosmith")
    bench = ProcessBench(python=interpreter.python)
    about = {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    environ = interpreter.environ({"OMP_NUM_THREADS": "1"})
    rows = [
        measure(case, arguments.rounds, bench, [interpreter.python], environ)
        for case in CASES
        if arguments.only in case.name
    ]
    print(table(rows, about))
    if not arguments.only:
        (RESULTS / "smith_training.json").write_text(
            json.dumps({"about": about, "rows": rows}, indent=2) + "\n"
        )
        (RESULTS / "smith_training.md").write_text(table(rows, about))


if __name__ == "__main__":
    main()
