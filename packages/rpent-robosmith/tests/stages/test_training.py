"""The training stage with real trainings: killed in the middle it goes on, and what it comes to is the same."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.reports import RewardCandidate, TrainingReport
from rpent_robosmith.stages import training
from rpent_robosmith.task import Budget, TaskSpec
from rpent_robosmith.training.checkpoints import CheckpointFolder
from rpent_robosmith.work.api import WorkError
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.workflow.workshop import Workshop

if TYPE_CHECKING:
    from rpent_robosmith.work.bench import ProcessBench

REWARD = """\
def compute_reward(obs, action, next_obs, info):
    upright = 1.0 - abs(float(next_obs[2]))
    return upright, {"upright": upright}
"""
PPO = {"n_envs": 4, "n_steps": 64, "batch_size": 64, "segment_steps": 1024}
FACTS = EnvFacts(
    entry="cartpole",
    env_id="CartPole-v1",
    adapter="gymnasium",
    observation=SpaceFacts(
        kind="box", shape=(4,), dtype="float32", low=(-4.8, -math.inf, -0.42, -math.inf), high=(math.inf,) * 4
    ),
    action=SpaceFacts(kind="discrete", dtype="int64", n=2),
    max_episode_steps=500,
    control_rate_hz=50.0,
)
KILLED = """\
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_training import state_of, workshop_of
from rpent_robosmith.stages import training
from rpent_robosmith.work.bench import ProcessBench
training.run(state_of(), workshop_of(Path(sys.argv[2]), ProcessBench(python=sys.argv[3])))
"""


class Lines:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        del label, done, total, note


def state_of(**fields: Any) -> RunState:
    """Return a run that is about to train."""
    task: dict[str, Any] = {
        "sentence": "balance the pole",
        "hyperparameters": PPO,
        "budget": Budget(total_steps=5 * 1024),
        **fields,
    }
    reward = RewardCandidate(id="i1-c1", code=fields.pop("code", REWARD), origin="test")
    task.pop("code", None)
    return RunState(
        run_id="pole-001", task=TaskSpec(**task), entry=find("cartpole"), facts=FACTS, reward=reward
    )


def workshop_of(folder: Path, bench: Any, deadline: float | None = None) -> Workshop:
    """Return a workshop with nobody else in it."""
    nobody: Any = None
    return Workshop(
        folder=folder,
        bench=bench,
        intake=nobody,
        rewards=nobody,
        decisions=nobody,
        listener=Lines(),
        deadline=lambda: deadline,
    )


def files(folder: Path) -> dict[str, bytes]:
    """Return what is left of the training."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.models
def test_killed_at_any_time_it_comes_to_the_same_files(
    robosmith_bench: ProcessBench, robosmith_python: str, tmp_path: Path
) -> None:
    whole = training.run(state_of(), workshop_of(tmp_path / "whole", robosmith_bench))
    assert whole.trainings[-1].steps == 5 * 1024
    assert whole.trainings[-1].reward_calls == 5 * 1024
    for segment in (1, 3):
        folder = tmp_path / f"killed-{segment}"
        folder.mkdir()
        _kill_after(segment, folder, robosmith_python)
        workshop = workshop_of(folder, robosmith_bench)
        resumed = training.run(state_of(), workshop)
        assert any("goes on after its segment" in line for line in workshop.listener.lines)
        assert resumed.trainings == whole.trainings
        assert files(folder) == files(tmp_path / "whole")


def _kill_after(segment: int, folder: Path, python: str) -> None:
    command = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(folder), python]
    process = subprocess.Popen(command, start_new_session=True)
    checkpoints = folder / "training" / "i1-ppo" / "checkpoints"
    deadline = time.monotonic() + 240
    while CheckpointFolder(checkpoints).segment < segment and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert CheckpointFolder(checkpoints).segment >= segment


@pytest.mark.models
def test_a_finished_training_is_not_done_again(robosmith_bench: ProcessBench, tmp_path: Path) -> None:
    state = state_of(budget=Budget(total_steps=1024))
    first = training.run(state, workshop_of(tmp_path, robosmith_bench))
    nobody: Any = None
    again = training.run(state, workshop_of(tmp_path, nobody))
    assert again.trainings == first.trainings
    later = first.model_copy(update={"iteration": 2})
    workshop = workshop_of(tmp_path, nobody)
    repeated = training.run(later, workshop)
    assert repeated.trainings[1].policy == first.trainings[0].policy
    assert repeated.trainings[1].iteration == 2
    assert any("not repeated" in line for line in workshop.listener.lines)


@pytest.mark.models
@pytest.mark.parametrize(
    "changes",
    [
        {"hyperparameters": {"n_steps": 4096}, "budget": Budget(total_steps=100)},
        {"hyperparameters": {**PPO, "learning_rate": 1.0}, "budget": Budget(total_steps=20_000)},
    ],
    ids=["a rollout longer than the training", "a huge learning rate"],
)
def test_odd_settings_train_or_fail_in_a_sentence(
    robosmith_bench: ProcessBench, tmp_path: Path, changes: dict[str, Any]
) -> None:
    report = training.run(state_of(**changes), workshop_of(tmp_path, robosmith_bench)).trainings[-1]
    assert report.status in {"finished", "early_stopped", "failed"}
    assert (report.policy is None) == (report.status == "failed")
    assert report.detail or report.status == "finished"


class Broken:
    """A bench whose worker comes to grief."""

    def __init__(self, *errors: Exception | dict[str, Any], checkpoints: int = 0) -> None:
        self.answers = list(errors)
        self.checkpoints = checkpoints
        self.jobs: list[Any] = []

    def run(self, job: Any, heard: Any = None) -> dict[str, Any]:
        self.jobs.append(job)
        for number in range(self.checkpoints):
            segment = len(self.jobs) * self.checkpoints - self.checkpoints + number + 1
            heard("checkpoint", {"segment": segment, "data": {"n": segment}})
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpent_robosmith.training.choice.missing", lambda *_a, **_k: [])


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("kind", ["reward", "timeout", "silence", "memory", "killed", "error", "protocol"])
def test_a_worker_that_fails_is_a_failed_training(tmp_path: Path, kind: str) -> None:
    bench = Broken(WorkError("The job failed.", kind=kind))
    report = training.run(state_of(), workshop_of(tmp_path, bench)).trainings[-1]
    assert (report.status, report.detail, report.policy) == ("failed", "The job failed.", None)
    assert report.failure == kind
    kept = json.loads((tmp_path / "training" / "i1-ppo" / "training.json").read_text())
    assert TrainingReport.model_validate(kept) == report


@pytest.mark.usefixtures("_installed")
def test_a_killed_worker_goes_on_while_it_gets_further(tmp_path: Path) -> None:
    killed = [WorkError("It was killed.", kind="killed") for _ in range(3)]
    bench = Broken(*killed, checkpoints=1)
    report = training.run(state_of(), workshop_of(tmp_path, bench)).trainings[-1]
    assert report.status == "failed"
    assert len(bench.jobs) == 3
    assert bench.jobs[0].params["order"]["checkpoints"] is None
    assert bench.jobs[1].params["order"]["checkpoints"] == bench.jobs[2].params["order"]["checkpoints"]


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"result": {"status": "finished", "steps": 1, "standing": {}}, "policy": None},
        {"result": {"status": "finished", "steps": 1, "standing": {}}, "policy": {"description": {}}},
        {"result": {"status": "splendid", "steps": 1, "standing": {}}, "policy": None},
    ],
)
def test_an_answer_that_is_none_is_a_failed_training(tmp_path: Path, answer: dict[str, Any]) -> None:
    report = training.run(state_of(), workshop_of(tmp_path, Broken(answer))).trainings[-1]
    assert report.status == "failed"


@pytest.mark.usefixtures("_installed")
def test_the_budget_becomes_the_workers_time(tmp_path: Path) -> None:
    bench = Broken(WorkError("x"))
    training.run(state_of(budget=Budget(training_minutes=2)), workshop_of(tmp_path, bench, deadline=60.0))
    assert bench.jobs[0].params["order"]["seconds"] == pytest.approx(51, abs=1)
    assert bench.jobs[0].sealed


@pytest.mark.usefixtures("_installed")
def test_mistakes_of_the_user_end_the_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`lr` is no hyperparameter of `ppo`"):
        training.run(state_of(hyperparameters={"lr": 1}), workshop_of(tmp_path, Broken()))
    refused = WorkError("`x` does not fit.")
    refused.exit_code = UsageError.exit_code
    with pytest.raises(UsageError, match="does not fit"):
        training.run(state_of(), workshop_of(tmp_path, Broken(refused)))
