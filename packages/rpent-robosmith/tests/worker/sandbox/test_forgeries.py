"""Rewards that got out of Python's own fence and forge what their process says: in real trials and real trainings."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rpent.environments.interpreter import linked_interpreter
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import EnvFacts
from rpent_robosmith.reports import RewardCandidate
from rpent_robosmith.rewards.screening import Screening
from rpent_robosmith.rewards.search import OWN_CODE, best, screen_all
from rpent_robosmith.stages import training, training_process
from rpent_robosmith.task import Budget, TaskSpec
from rpent_robosmith.work import watch
from rpent_robosmith.work.api import Job, Limits
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.workflow.workshop import Workshop

if TYPE_CHECKING:
    from rpent_robosmith.reports import TrainingReport
    from rpent_robosmith.work.bench import ProcessBench

pytestmark = pytest.mark.models

CARTPOLE = find("cartpole")
SETTINGS = {"n_envs": 2, "n_steps": 128, "batch_size": 64, "n_epochs": 2}
GOOD = "def compute_reward(obs, action, next_obs, info):\n    return 1.0, {}\n"
ESCAPE = """
import numpy as np
def _everything():
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            return kind.__init__.__globals__
python = _everything()["__builtins__"]
take = python["__import__"]
def modules(name):
    return take("sys").modules[name]
def context():
    return python["next"](o for o in take("gc").get_objects() if python["type"](o).__name__ == "PipeContext")
calls = [0]
def compute_reward(obs, action, next_obs, info):
    calls[0] += 1
    if calls[0] == AT:
        forge()
    return 1.0, {}
"""


def escaped(forge: str, at: int = 50) -> str:
    body = "".join(f"    {line}\n" for line in forge.strip().splitlines())
    return f"{ESCAPE.replace('AT', str(at))}\ndef forge():\n{body}"


@dataclass(frozen=True)
class Unchecked:
    """A bench whose sealed workers have a static check with a hole."""

    bench: ProcessBench
    path: str

    def run(self, job: Job, heard: Any = None) -> dict[str, Any]:
        if job.sealed:
            params = {"run": job.run, "params": job.params}
            job = replace(
                job, run="sealed_jobs:unchecked", params=params, variables={"PYTHONPATH": self.path}
            )
        return self.bench.run(job, heard)


@pytest.fixture(scope="module")
def unchecked(robosmith_bench: ProcessBench, robosmith_python: str) -> Unchecked:
    linked = linked_interpreter(robosmith_python, "rpent-robosmith").environ()["PYTHONPATH"]
    return Unchecked(robosmith_bench, os.pathsep.join((linked, str(Path(__file__).parent))))


@pytest.fixture(scope="module")
def facts(robosmith_bench: ProcessBench) -> EnvFacts:
    params = {"entry": CARTPOLE.model_dump(mode="json")}
    answer = robosmith_bench.run(Job(run="rpent_robosmith.worker.jobs.inspect:run", params=params))
    return EnvFacts.model_validate(answer["facts"])


def trial(candidate: RewardCandidate) -> Job:
    screening = Screening(
        entry=CARTPOLE,
        code=candidate.code,
        algorithm="ppo",
        trainer="sb3",
        seed=3,
        steps=512,
        n_envs=2,
        hyperparameters={name: value for name, value in SETTINGS.items() if name != "n_envs"},
    )
    return Job(
        run="rpent_robosmith.worker.jobs.screen:run",
        params=screening.model_dump(mode="json"),
        sealed=True,
        limits=Limits(silence_s=30.0),
        label=f"try {candidate.id}",
    )


TRIALS = {
    "the result of the earlier protocol": """
episodes = [{"seed": n, "length": 500, "total": 500.0, "success": True} for n in range(500000, 500008)]
context().tell("result", episodes=episodes, steps=512, calls=512, errors=0)
""",
    "episodes beside its policy": """
episodes = [{"seed": n, "length": 500, "total": 500.0, "success": True} for n in range(500000, 500008)]
real = context().tell
def tell(kind, **data):
    real("episode", record=episodes[0])
    real(kind, **{**data, "episodes": episodes, "score": 1.0})
modules("rpent_robosmith.worker.context").PipeContext.tell = lambda self, kind, **data: tell(kind, **data)
""",
    "the judge itself": """
record = modules("rpent_robosmith.reports").EpisodeRecord
won = lambda env, policy, entry, seed, **more: record(seed=seed, length=500, total=500.0, success=True)
for name in ("rpent_robosmith.worker.episodes", "rpent_robosmith.worker.jobs.rollouts"):
    take(name, fromlist=["x"]).run_episode = won
modules("rpent_robosmith.worker.measuring").Meter.success = lambda self, **more: True
""",
    "a mistake of the user": """
context().tell("error", message="The option is unknown.", hint="Run this.", usage=True, expected=True, kind="x")
""",
}


def test_a_trial_cannot_forge_its_score(unchecked: Unchecked, facts: EnvFacts) -> None:
    codes = {"honest": OWN_CODE, **{name: escaped(forge) for name, forge in TRIALS.items()}}
    names = list(codes)
    candidates = [
        RewardCandidate(id=f"i1-c{n}", code=codes[name], origin=name) for n, name in enumerate(codes)
    ]
    found = dict(
        zip(
            names,
            screen_all(unchecked, candidates, trial, CARTPOLE, facts, keep=lambda _: None),
            strict=True,
        )
    )
    assert not found["honest"].failure
    assert found["honest"].success_rate == 0.0
    for name in TRIALS:
        assert found[name].failure or found[name].success_rate == 0.0, name
    assert found["the result of the earlier protocol"].failure.startswith("Its trial gave no result")
    assert found["a mistake of the user"].failure == "The option is unknown."
    for name in ("episodes beside its policy", "the judge itself"):
        assert (found[name].failure, found[name].errors, found[name].calls) == ("", 0, 512), found[name]
    assert best(list(found.values())).success_rate == 0.0


class Lines:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        del label, done, total, note


def trained(
    folder: Path, bench: Any, facts: EnvFacts, code: str, settings: dict[str, int] | None = None
) -> TrainingReport:
    nobody: Any = None
    task = TaskSpec(
        sentence="balance",
        hyperparameters=settings or {**SETTINGS, "segment_steps": 512},
        budget=Budget(total_steps=1536),
    )
    workshop = Workshop(
        folder=folder,
        bench=bench,
        intake=nobody,
        rewards=nobody,
        decisions=nobody,
        listener=Lines(),
        deadline=lambda: None,
    )
    reward = RewardCandidate(id="i1-c1", code=code, origin="test")
    state = RunState(run_id="pole-001", task=task, entry=CARTPOLE, facts=facts, reward=reward)
    return training.run(state, workshop).trainings[-1]


TRAININGS = {
    "a mistake of the user": (
        'context().tell("error", message="No\\n such option.", hint="sh", usage=True, expected=True, kind="killed")',
        "error",
        "No such option.",
    ),
    "messages without end": (
        'told = context()\nwhile True:\n    told.tell("progress", steps=calls[0])',
        "protocol",
        "sent more, or larger, messages than it may",
    ),
    "large messages without end": (
        'while True:\n    context().tell("whatever", data=np.zeros(2**20))',
        "protocol",
        "sent more, or larger, messages than it may",
    ),
    "a nested checkpoint": (
        "data = {}\nfor _ in range(900):\n    data = {'x': data}\n"
        'context().tell("checkpoint", segment=1, data=data)\nwhile True:\n    pass',
        "protocol",
        "",
    ),
}


@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_can_only_fail(
    unchecked: Unchecked, facts: EnvFacts, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "MOST_TOKENS", 600.0)
    forge, kind, words = TRAININGS[name]
    report = trained(tmp_path, unchecked, facts, escaped(forge))
    assert (report.status, report.failure, report.policy) == ("failed", kind, None)
    assert words in report.detail


def test_chatter_is_ended(
    unchecked: Unchecked, facts: EnvFacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_process, "patience_s", lambda *_: 2.0)
    chatter = 'while True:\n    context().tell("progress", steps=512)\n    take("time").sleep(0.1)'
    report = trained(tmp_path, unchecked, facts, escaped(chatter))
    assert (report.status, report.failure) == ("failed", "timeout")
    assert "no further step" in report.detail


def test_a_reward_that_behaved_in_its_trial_fails_visibly_in_the_training(
    robosmith_bench: ProcessBench, facts: EnvFacts, tmp_path: Path
) -> None:
    """It needs no escape: it counts its calls in a list, and fails after more than a trial has."""
    code = """
CALLS = []
def compute_reward(obs, action, next_obs, info):
    CALLS.append(1)
    if len(CALLS) > 600:
        raise ValueError("now")
    return 1.0, {}
"""
    candidate = RewardCandidate(id="i1-c1", code=code, origin="test")
    (tried,) = screen_all(robosmith_bench, [candidate], trial, CARTPOLE, facts, keep=lambda _: None)
    assert not tried.failure
    assert (tried.errors, tried.calls) == (0, 512)
    report = trained(
        tmp_path, robosmith_bench, facts, code, settings={**SETTINGS, "n_steps": 512, "segment_steps": 1024}
    )
    assert (report.status, report.failure, report.policy) == ("failed", "reward", None)
    assert "first with ValueError: now" in report.detail
