"""A run that trained, evaluated and decided, with a policy on disk; and one where hardly anything happened."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.policy.files import write_policy
from rpent_robosmith.policy.format import PolicyDescription, PolicyParameters
from rpent_robosmith.reports import (
    CurvePoint,
    Decision,
    EpisodeRecord,
    EvaluationReport,
    Interval,
    RewardCandidate,
    TrainingReport,
    Verdict,
)
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.workflow.workshop import Workshop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent_robosmith.work.bench import ProcessBench

CODE = "def compute_reward(obs, action, next_obs, info):\n    return 1.0, {}  # ``` </script>\n"
NASTY = "lift | the <script>alert(1)</script> `cube`\n# not a heading"


def evaluation(policy: str, rate: float) -> EvaluationReport:
    episodes = tuple(
        EpisodeRecord(
            seed=1_000_000 + n, length=9, total=9.0, success=n < rate * 4, error="" if n else "boom | x"
        )
        for n in range(4)
    )
    return EvaluationReport(
        policy=policy,
        episodes=episodes,
        metrics={"success_rate": rate, "mean_return": math.nan},
        intervals={"success_rate": Interval(low=0.1, high=0.9)},
    )


def training(iteration: int) -> TrainingReport:
    return TrainingReport(
        iteration=iteration,
        algorithm="ppo",
        trainer="sb3",
        seed=iteration,
        reward=f"i{iteration}-c1",
        steps=1000,
        status="finished",
        best_steps=500,
        curve=tuple(CurvePoint(steps=n * 500, success_rate=n / 2, mean_return=float(n)) for n in range(3)),
        policy=f"training/i{iteration}/policy",
    )


def candidate(iteration: int) -> RewardCandidate:
    return RewardCandidate(
        id=f"i{iteration}-c1",
        code=CODE,
        origin="template:x",
        idea=NASTY,
        score=0.5,
        success_rate=0.5,
        calls=10,
        errors=1,
    )


@pytest.fixture
def make_state(tmp_path: Path) -> Callable[..., RunState]:
    def make(*, accepted: bool = True, best: int = 1) -> RunState:
        verdicts = tuple(
            Verdict(
                accepted=accepted and number == best,
                trained=evaluation("trained", 0.75 if number == best else 0.25),
                baselines=(evaluation("random", 0.0),),
                criteria={"success_rate >= 0.8": accepted},
                safety={"mean_x <= 1": True},
                margin=0.1,
                beats_baselines=True,
                reasons=("It is <b>good</b>.",),
            )
            for number in (1, 2)
        )
        for number in (1, 2):
            write_cartpole_policy(tmp_path / f"training/i{number}/policy", bias=float(number))
        decided = tuple(Decision(kind="refine_reward", by="rules", reason=NASTY) for _ in range(2))
        return RunState(
            run_id="lift-001",
            task=TaskSpec(sentence=NASTY, iterations=2),
            options={
                "given": {"criterion": ["success_rate>=0.8"], "hyperparameter": {"gamma": 0.9, "x": "a'b"}}
            },
            iteration=2,
            next_node="delivery",
            entry=find("cartpole"),
            candidates=(candidate(1), candidate(2)),
            trainings=(training(1), training(2)),
            verdicts=verdicts,
            decisions=decided,
            best_iteration=best,
        )

    return make


def write_cartpole_policy(folder: Path, *, bias: float) -> None:
    description = PolicyDescription(
        algorithm="ppo",
        trainer="sb3",
        observation=SpaceFacts(kind="box", shape=(4,), dtype="float32", low=(-9.0,) * 4, high=(9.0,) * 4),
        action=SpaceFacts(kind="discrete", n=2),
        activation="tanh",
        layers=1,
        output="argmax",
        entry=find("cartpole"),
    )
    weights: dict[str, Any] = {
        "layers.0.weight": np.array([[0, 0, -1, -1], [0, 0, 1, 1]], np.float32),
        "layers.0.bias": np.array([0, bias / 1000], np.float32),
    }
    write_policy(folder, PolicyParameters(description=description, weights=weights))


class Lines:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        del label, done, total, note


@pytest.fixture
def make_workshop(tmp_path: Path, bench: ProcessBench) -> Callable[..., Workshop]:
    def make(folder: Path = tmp_path, **changes: Any) -> Workshop:
        nobody: Any = None
        agents = {"intake": nobody, "rewards": nobody, "decisions": nobody}
        made = {"folder": folder, "bench": bench, "listener": Lines(), "deadline": lambda: None, **agents}
        return Workshop(**{**made, **changes})

    return make
