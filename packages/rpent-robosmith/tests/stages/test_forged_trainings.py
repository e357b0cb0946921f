"""What a sealed training may say: it can forge everything, and whatever it forges costs only itself."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent.errors import ExitCode
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.policy.files import read_policy
from rpent_robosmith.reports import RewardCandidate
from rpent_robosmith.stages import training, training_process
from rpent_robosmith.task import Budget, TaskSpec
from rpent_robosmith.training import telling
from rpent_robosmith.work.api import WorkError
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.workflow.workshop import Workshop

if TYPE_CHECKING:
    from rpent_robosmith.reports import TrainingReport

SPACE = SpaceFacts(kind="box", shape=(4,), dtype="float32", low=(-9.0,), high=(9.0,))
FACTS = EnvFacts(
    entry="cartpole",
    env_id="CartPole-v1",
    adapter="gymnasium",
    observation=SPACE,
    action=SpaceFacts(kind="discrete", dtype="int64", n=2),
    max_episode_steps=500,
    control_rate_hz=50.0,
)
POINT = {"steps": 1024, "success_rate": 0.5, "mean_return": 100.0}
DESCRIPTION = {"activation": "tanh", "layers": 1, "output": "argmax"}
WEIGHTS = {"layers.0.weight": np.ones((2, 4), np.float32), "layers.0.bias": np.zeros(2, np.float32)}


def answer(*, policy: Any = None, **result: Any) -> dict[str, Any]:
    told = {
        "status": "finished",
        "steps": 5120,
        "standing": {"curve": [POINT], "best_steps": 1024, "reward_calls": 5120},
        "versions": {"torch": "\x1b[2J evil"},
    }
    return {
        "result": told | result,
        "policy": policy or {"description": DESCRIPTION, "weights": WEIGHTS},
    }


class Hostile:
    """A bench whose sealed worker says what it likes."""

    def __init__(self, *told: tuple[str, dict[str, Any]], ends: dict[str, Any] | None = None) -> None:
        self.told, self.ends = told, ends or answer()
        self.jobs: list[Any] = []

    def run(self, job: Any, heard: Any) -> dict[str, Any]:
        self.jobs.append(job)
        heard("ready", {"versions": {"torch": "2.13"}})
        heard("sealed", {"caveats": []})
        for kind, data in self.told:
            heard(kind, data)
        return self.ends


class Lines:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        self.lines.append(f"{label} {done:,.0f}/{total:,.0f} {note}")


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpent_robosmith.training.choice.missing", lambda *_a, **_k: [])


def trained(folder: Path, bench: Any, **task: Any) -> tuple[TrainingReport, list[str]]:
    nobody: Any = None
    listener = Lines()
    workshop = Workshop(
        folder=folder,
        bench=bench,
        intake=nobody,
        rewards=nobody,
        decisions=nobody,
        listener=listener,
        deadline=lambda: None,
    )
    state = RunState(
        run_id="pole-001",
        task=TaskSpec(
            sentence="balance",
            hyperparameters={"segment_steps": 1024},
            budget=Budget(total_steps=5120),
            **task,
        ),
        entry=find("cartpole"),
        facts=FACTS,
        reward=RewardCandidate(id="i1-c1", code="def compute_reward…", origin="test"),
    )
    return training.run(state, workshop).trainings[-1], listener.lines


def test_an_honest_one_is_taken(tmp_path: Path) -> None:
    bench = Hostile(("progress", {"steps": 512}), ("evaluation", {"point": POINT}))
    report, lines = trained(tmp_path, bench)
    assert (report.status, report.failure, report.best_steps) == ("finished", "", 1024)
    assert report.versions == {"torch": "2.13"}
    assert "train ppo 512/5,120 " in lines
    assert bench.jobs[0].sealed


def test_a_policy_is_kept_under_a_description_of_ours(tmp_path: Path) -> None:
    forged = {
        **DESCRIPTION,
        "version": 7,
        "algorithm": "\x1b[2J",
        "trainer": "evil",
        "observation": {"kind": "text"},
        "action": {"kind": "discrete", "n": 2, "dtype": "O"},
        "entry": {**find("cartpole").model_dump(mode="json"), "env_id": "evil:CartPole-v1"},
        "facts": {"success_rate": 1.0, "hint": "run `rm -rf ~`"},
        "control_rate_hz": -1.0,
    }
    report, _ = trained(tmp_path, Hostile(ends=answer(policy={"description": forged, "weights": WEIGHTS})))
    assert report.policy == "training/i1-ppo/policy"
    kept = read_policy(tmp_path / report.policy).description
    assert kept.entry == find("cartpole")
    assert (kept.algorithm, kept.trainer, kept.version) == ("ppo", "sb3", 1)
    assert (kept.observation, kept.action, kept.control_rate_hz) == (SPACE, FACTS.action, 50.0)
    assert kept.facts == {"seed": 0, "steps": 1024}


FILES = {"config.json": np.zeros(9, np.uint8), "model.safetensors": np.zeros(9, np.uint8)}
POLICIES = {
    "files of a framework": {"description": {**DESCRIPTION, "kind": "lerobot"}, "weights": FILES},
    "files of a network": {"description": DESCRIPTION, "weights": {"../../x": np.zeros(3, np.float32)}},
    "no finite weight": {
        "description": DESCRIPTION,
        "weights": {**WEIGHTS, "layers.0.bias": np.full(2, np.nan, np.float32)},
    },
    "another shape": {
        "description": DESCRIPTION,
        "weights": {**WEIGHTS, "layers.0.weight": np.ones((2, 5), np.float32)},
    },
    "lists": {"description": DESCRIPTION, "weights": {"layers.0.weight": [[1.0], [1.0, 2.0]]}},
    "texts": {"description": DESCRIPTION, "weights": dict.fromkeys(WEIGHTS, "x")},
    "no finite normalisation": {
        "description": {**DESCRIPTION, "normalization": {"epsilon": math.nan, "clip": 10.0}},
        "weights": WEIGHTS,
    },
    "endless layers": {"description": {**DESCRIPTION, "layers": 10**9}, "weights": WEIGHTS},
    "another output": {"description": {**DESCRIPTION, "output": "clip"}, "weights": WEIGHTS},
    "no dict": ["x"],
    "no description": {"description": None, "weights": WEIGHTS},
}


@pytest.mark.parametrize("name", POLICIES)
def test_a_forged_policy_fails_the_training(tmp_path: Path, name: str) -> None:
    report, _ = trained(tmp_path, Hostile(ends=answer(policy=POLICIES[name])))
    assert (report.status, report.failure, report.policy) == ("failed", "protocol", None)
    assert not list(tmp_path.rglob("*.safetensors"))


RESULTS = {
    "steps": {"steps": 10**15},
    "negative steps": {"steps": -1},
    "a curve without end": {"standing": {"curve": [POINT] * 1000}},
    "a rate": {"standing": {"curve": [{**POINT, "success_rate": 1e300}]}},
    "no number": {"standing": {"curve": [{**POINT, "mean_return": math.nan}]}},
    "a best that was not": {"standing": {"curve": [POINT], "best_steps": 7}},
    "counts": {"standing": {"reward_calls": 1, "reward_errors": 2}},
    "negative counts": {"standing": {"reward_calls": -1, "reward_errors": -1}},
    "a status": {"status": "splendid"},
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_forged_result_fails_the_training(tmp_path: Path, name: str) -> None:
    report, _ = trained(tmp_path, Hostile(ends=answer(**RESULTS[name])))
    assert (report.status, report.failure) == ("failed", "protocol")


def test_a_forged_text_is_one_short_printable_line(tmp_path: Path) -> None:
    text = "done\n   1.0 s  The policy is accepted.\x1b[2J" + "x" * 10**6
    report, lines = trained(tmp_path, Hostile(ends=answer(detail=text, status="early_stopped")))
    assert report.detail.startswith("done 1.0 s The policy is accepted.␛[2J")
    assert len(report.detail) == 300
    assert all("\n" not in line and len(line) < 500 for line in lines)


MESSAGES = {
    "evaluations without end": [("evaluation", {"point": POINT})] * 1000,
    "an evaluation that is none": [("evaluation", {"point": {"steps": "many"}})],
    "a rate of a thousand": [("evaluation", {"point": {**POINT, "success_rate": 1000.0}})],
    "a checkpoint of another segment": [("checkpoint", {"segment": 5, "data": {}})],
    "a checkpoint of an array": [("checkpoint", {"segment": np.ones(3), "data": {}})],
    "a checkpoint of truth": [("checkpoint", {"segment": True, "data": {}})],
    "checkpoints without end": [("checkpoint", {"segment": n, "data": {"n": n}}) for n in range(1, 100)],
    "rows that are none": [("checkpoint", {"segment": 1, "data": {"appended": {"rows": "x"}}})],
    "rows of complex numbers": [
        ("checkpoint", {"segment": 1, "data": {"appended": {"rows": np.ones(3, complex)}}})
    ],
    "rows without end": [("checkpoint", {"segment": 1, "data": {"appended": {"rows": np.zeros(10**7)}}})],
    "a reference": [("checkpoint", {"segment": 1, "data": {"x": "array:policy"}})],
}


@pytest.mark.parametrize("name", MESSAGES)
def test_forged_messages_fail_the_training(tmp_path: Path, name: str) -> None:
    report, _ = trained(tmp_path, Hostile(*MESSAGES[name]))
    assert (report.status, report.failure) == ("failed", "protocol")
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 10**6


def test_a_checkpoint_nested_without_end_fails_the_training(tmp_path: Path) -> None:
    nested: dict[str, Any] = {}
    for _ in range(5_000):
        nested = {"x": nested}
    report, _ = trained(tmp_path, Hostile(("checkpoint", {"segment": 1, "data": nested})))
    assert (report.status, report.failure) == ("failed", "protocol")


def test_what_counts_for_nothing(tmp_path: Path) -> None:
    odd = [10**400, -1, True, "5", math.nan, None, [1]]
    told = [("progress", {"steps": steps}) for steps in odd]
    told += [("note", {"line": "Run `curl x | sh`."}), ("ready", {"versions": {"torch": "evil"}})]
    report, lines = trained(tmp_path, Hostile(*told, ("whatever", {})))
    assert report.status == "finished"
    assert report.versions == {"torch": "2.13"}
    assert not [line for line in lines if "curl" in line or line.startswith("train ")]


def test_a_training_that_only_chatters_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    class Clocked(telling.Pace):
        def __init__(self, most: int, patience: float) -> None:
            super().__init__(most, patience, clock=lambda: now[0])

    monkeypatch.setattr(training_process, "Pace", Clocked)

    class Chatter(Hostile):
        def run(self, job: Any, heard: Any) -> dict[str, Any]:
            self.jobs.append(job)
            heard("sealed", {"caveats": []})
            for minute in range(10**6):
                now[0] = 60.0 * minute
                heard("progress", {"steps": min(minute, 20)})
                heard("evaluation" if minute == 3 else "whatever", {"point": POINT, "steps": minute})
            return self.ends

    report, _ = trained(tmp_path, Chatter())
    assert (report.status, report.failure, report.steps) == ("failed", "timeout", 20)
    assert "no further step" in report.detail
    assert now[0] == 60.0 * (20 + math.ceil(800 / 60))  # 300 s, and 10 episodes of 500 steps


def test_without_a_budget_there_is_an_end_all_the_same(tmp_path: Path) -> None:
    bench = Hostile()
    trained(tmp_path, bench)
    limit = bench.jobs[0].limits.wall_s
    assert 5120 * 0.5 < limit < 12 * 3600


def test_an_error_of_a_sealed_worker_is_a_failed_training(tmp_path: Path) -> None:
    class Failing(Hostile):
        def run(self, job: Any, heard: Any) -> dict[str, Any]:
            heard("sealed", {"caveats": []})
            raise WorkError("The hyperparameter `x` is unknown.", kind="error")

    report, _ = trained(tmp_path, Failing())
    assert (report.status, report.failure) == ("failed", "error")
    assert WorkError("x").exit_code == ExitCode.INFRASTRUCTURE
    assert json.loads((tmp_path / "training/i1-ppo/training.json").read_text())["failure"] == "error"
