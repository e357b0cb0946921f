import json
import time

import numpy as np
import pytest
from rpent.errors import RpentError
from rpent_robosmith.agents.api import Proposal
from rpent_robosmith.agents.templates import TemplateRewards
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.reports import Decision, TrainingReport, Usage
from rpent_robosmith.rewards.search import OWN_CODE
from rpent_robosmith.rewards.trial import JOB as SCORING
from rpent_robosmith.stages import reward as stage
from rpent_robosmith.stages.reward import run
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.training.choice import algorithms
from rpent_robosmith.work.api import WorkError
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.workflow.workshop import Workshop

ENTRY = find("cartpole")
FACTS = EnvFacts(
    entry="cartpole",
    env_id="CartPole-v1",
    adapter="gymnasium",
    observation=SpaceFacts(kind="box", shape=(4,), low=(-4.8, -9e9, -0.4, -9e9), high=(4.8, 9e9, 0.4, 9e9)),
    action=SpaceFacts(kind="discrete", n=2),
    reward_range=(1.0, 1.0),
)
CODE = "def compute_reward(obs, action, next_obs, info):\n    return {}.0, {{}}\n"


class Bench:
    """Answers each trial with a success rate (0 to 1) by its code, 0.5 by default, or raises what is there instead."""

    def __init__(self, rates=None):
        self.rates, self.jobs, self.scored = rates or {}, [], {}

    def wait(self):
        """Let an interrupt come when the other two are kept."""
        deadline = time.monotonic() + 60
        while len(list(self.folder.glob("rewards/i1/i1-*.json"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)

    @property
    def codes(self):
        return [job.params["code"] for job in self.jobs]

    def run(self, job, heard=None):
        if job.run == SCORING:
            return {"episodes": self.scored.pop(job.label.removeprefix("score "))}
        self.jobs.append(job)
        rate = self.rates.get(job.params["code"], 0.5)
        if isinstance(rate, KeyboardInterrupt):
            self.wait()
        if isinstance(rate, BaseException):
            raise rate
        heard("progress", {"done": 1.0, "total": 2.0})
        self.scored[job.label.removeprefix("try ")] = [
            {
                "seed": n,
                "length": 100,
                "total": 100.0,
                "success": n < 10 * rate,
                "measures": dict.fromkeys(ENTRY.measures, 0.1),
            }
            for n in range(10)
        ]
        weights = {"layers.0.weight": np.ones((2, 4), np.float32), "layers.0.bias": np.zeros(2, np.float32)}
        description = {"activation": "tanh", "layers": 1, "output": "argmax"}
        return {
            "screened": {"steps": 100, "calls": 100, "errors": 0},
            "policy": {"description": description, "weights": weights},
        }


class Agent:
    """Proposes rewards that return 1, 2, …, others each time."""

    def __init__(self):
        self.requests = []

    def propose(self, request):
        self.requests.append(request)
        first = 10 * request.iteration
        return [Proposal(code=CODE.format(first + n), origin="test") for n in range(request.count)]

    def usage(self):
        return Usage(requests=len(self.requests))


class Listener:
    def __init__(self):
        self.lines = []

    def say(self, line):
        self.lines.append(line)

    def progress(self, label, done, total, note=""):
        self.lines.append(f"{label} {done:g}/{total:g} {note}")


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    monkeypatch.setattr(stage, "chosen", lambda state: algorithms()[state.algorithm or "ppo"])


@pytest.fixture
def make(tmp_path):
    def workshop(bench, agent=None, left=None):
        agent = agent or Agent()
        return Workshop(
            folder=tmp_path,
            bench=bench,
            intake=Agent(),
            rewards=agent,
            decisions=Agent(),
            listener=Listener(),
            deadline=lambda: left,
        )

    return workshop


def state(**more):
    task = TaskSpec(sentence="balance", candidates=3)
    return RunState(**{"run_id": "x", "task": task, "entry": ENTRY, "facts": FACTS, **more})


def after_a_training(found, iteration=2, decision="refine_reward", **more):
    """Return the state as the next iteration's reward search finds it."""
    report = TrainingReport(
        iteration=iteration - 1,
        algorithm=found.algorithm or "ppo",
        trainer="sb3",
        seed=0,
        reward=found.reward.id,
        status="finished",
    )
    changes = {
        "iteration": iteration,
        "trainings": (*found.trainings, report),
        "decisions": (
            *found.decisions,
            Decision(kind=decision, by="rules", reason="", feedback="Do better."),
        ),
        **more,
    }
    return found.model_copy(update=changes)


def test_the_environments_own_reward_is_among_the_candidates_and_the_best_is_chosen(make):
    bench = Bench({CODE.format(11): 0.9})
    workshop = make(bench)
    after = run(state(), workshop)
    assert sorted(bench.codes) == sorted([OWN_CODE, CODE.format(10), CODE.format(11)])
    assert [item.id for item in after.candidates] == ["i1-c1", "i1-c2", "i1-c3"]
    assert after.reward == after.candidates[2]
    assert after.reward.success_rate == 0.9
    assert after.usage.requests == 1
    assert "Reward `i1-c1` (environment): 50% success, progress 100." in workshop.listener.lines
    assert [line for line in workshop.listener.lines if line.startswith("try rewards")][-1].startswith(
        "try rewards 1.5/3"
    )


def test_trials_are_sealed_limited_and_the_same_but_for_the_reward(make):
    bench = Bench()
    run(state(), make(bench, left=600.0))
    assert all(job.sealed for job in bench.jobs)
    assert {job.limits.ask_s for job in bench.jobs} == {0.4 * 600 / 2}
    rest = [{**job.params, "code": ""} for job in bench.jobs]
    assert rest[0] == rest[1] == rest[2]
    assert rest[0]["entry"]["id"] == "cartpole"  # where env servers of robots look for it
    assert (rest[0]["seed"], rest[0]["algorithm"]) == (0, "ppo")


def test_of_equals_the_environments_own_reward_is_taken(make):
    assert run(state(), make(Bench())).reward.origin == "environment"


def test_a_candidate_that_fails_costs_only_itself(make):
    bench = Bench({CODE.format(10): WorkError("It said nothing.", kind="silence"), OWN_CODE: 0.1})
    after = run(state(), make(bench))
    assert after.candidates[1].failure == "It said nothing."
    assert after.reward.id == "i1-c3"


def test_without_any_candidate_the_run_fails_and_says_why(make):
    broken = WorkError("No good.", kind="reward")
    with pytest.raises(RpentError, match=r"None of 3 rewards can be trained with \(`i1-c1`: No good"):
        run(state(), make(Bench({OWN_CODE: broken, CODE.format(10): broken, CODE.format(11): broken})))


def test_when_nobody_proposes_anything_that_is_said(make):
    class Silent(Agent):
        def propose(self, request):
            return []

    nothing = FACTS.model_copy(update={"reward_range": (0.0, 0.0)})
    with pytest.raises(RpentError, match="Nobody proposed a reward"):
        run(state(facts=nothing), make(Bench(), Silent()))


def test_a_resumed_search_repeats_nothing(make, tmp_path):
    interrupted = Bench({CODE.format(11): KeyboardInterrupt()})
    interrupted.folder = tmp_path
    with pytest.raises(KeyboardInterrupt):
        run(state(), make(interrupted))
    agent, bench = Agent(), Bench()
    after = run(state(), make(bench, agent))
    assert agent.requests == []
    assert CODE.format(11) in bench.codes
    assert len(interrupted.jobs) + len(bench.jobs) <= 4
    whole = run(state(), make(Bench(), Agent()))
    assert whole.candidates == after.candidates
    assert json.loads((tmp_path / "rewards/i1/i1-c3.json").read_text())["score"] == 0.5


def test_the_next_search_knows_the_earlier_one_and_tries_the_own_reward_no_more(make):
    first = run(state(), make(Bench()))
    agent, bench = Agent(), Bench()
    second = run(after_a_training(first), make(bench, agent))
    request = agent.requests[0]
    assert (request.iteration, request.count, request.feedback) == (2, 3, "Do better.")
    assert request.earlier == first.candidates
    assert sorted(bench.codes) == [CODE.format(20), CODE.format(21), CODE.format(22)]
    assert [item.id for item in second.candidates[3:]] == ["i2-c1", "i2-c2", "i2-c3"]


def test_another_reward_is_another_one(make):
    first = run(state(), make(Bench({OWN_CODE: 0.8, CODE.format(10): 0.7})))
    second = run(after_a_training(first), make(Bench()))
    assert first.reward.id == "i1-c1"
    assert second.reward.id == "i1-c2"  # not trained with yet, and better than the new ones
    third = run(after_a_training(second, 3), make(Bench({CODE.format(30): 0.75})))
    assert third.reward.id == "i3-c1"


def test_scores_under_another_algorithm_do_not_compare(make):
    first = run(state(), make(Bench({OWN_CODE: 1.0})))
    bench = Bench({CODE.format(20): 0.6})
    second = run(after_a_training(first, algorithm="sac"), make(bench))
    assert OWN_CODE in bench.codes
    assert second.reward.code == CODE.format(20)


def test_another_environment_begins_anew(make):
    first = run(state(), make(Bench({OWN_CODE: 1.0})))
    agent, bench = Agent(), Bench()
    second = run(after_a_training(first, decision="adjust_environment"), make(bench, agent))
    assert agent.requests[0].earlier == ()
    assert OWN_CODE in bench.codes
    assert second.reward.id.startswith("i2-")


def test_a_single_candidate_is_the_environments_own(make):
    agent = Agent()
    after = run(state(task=TaskSpec(sentence="balance", candidates=1)), make(Bench(), agent))
    assert [item.origin for item in after.candidates] == ["environment"]
    assert agent.requests == []


def test_templates_go_through_it(make):
    after = run(state(), make(Bench(), TemplateRewards()))
    assert [item.failure for item in after.candidates] == [""] * 3
    second = run(after_a_training(after), make(Bench(), TemplateRewards()))
    assert len({item.code for item in second.candidates}) == 6


def test_demonstrations_need_no_reward(make, monkeypatch):
    monkeypatch.setattr(stage, "chosen", lambda state: algorithms()["bc"])
    bench = Bench()
    assert run(state(), make(bench)).reward is None
    assert bench.jobs == []
