import numpy as np
import pytest
from rpent.errors import RpentError, UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.evaluation.running import DEATHS
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.policy.files import write_policy
from rpent_robosmith.policy.format import PolicyDescription, PolicyParameters
from rpent_robosmith.reports import Decision, TrainingReport
from rpent_robosmith.stages.evaluation import first_iteration_here, run
from rpent_robosmith.task import Criterion, EvaluationPlan, TaskSpec
from rpent_robosmith.work.api import WorkError
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.workflow.workshop import Workshop

ENTRY = find("cartpole")
FOLDER = "training/i1-ppo/policy"


class Bench:
    """Answers with episodes: of baselines failures, of others successes."""

    def __init__(self, successes=20, dies=""):
        self.successes, self.dies, self.asked = successes, dies, []

    def run(self, job, heard=None):
        policy = job.params["policy"]
        self.asked.append(policy)
        for number, seed in enumerate(job.params["seeds"]):
            trained = policy not in {"random", "zero"}
            if trained and self.dies:
                raise WorkError("It died.", kind=self.dies)
            won = trained and number < self.successes
            record = {"seed": seed, "length": 500 if won else 9, "total": 9.0, "success": won}
            heard("episode", {"record": {**record, "measures": dict.fromkeys(ENTRY.measures, 0.1)}})
        return {"episodes": []}


class Listener:
    def __init__(self):
        self.lines = []

    def say(self, line):
        self.lines.append(line)

    def progress(self, label, done, total, note=""):
        pass


@pytest.fixture
def workshop(tmp_path):
    space = SpaceFacts(kind="box", shape=(4,), dtype="float32", low=(-1.0,) * 4, high=(1.0,) * 4)
    description = PolicyDescription(
        algorithm="ppo",
        trainer="sb3",
        observation=space,
        action=SpaceFacts(kind="discrete", n=2, dtype="int64"),
        activation="tanh",
        layers=1,
        output="argmax",
        entry=ENTRY,
    )
    weights = {"layers.0.weight": np.zeros((2, 4), np.float32), "layers.0.bias": np.zeros(2, np.float32)}
    write_policy(tmp_path / FOLDER, PolicyParameters(description=description, weights=weights))

    def make(bench):
        nobody = None
        return Workshop(
            folder=tmp_path,
            bench=bench,
            intake=nobody,
            rewards=nobody,
            decisions=nobody,
            listener=Listener(),
            deadline=lambda: None,
        )

    return make


def training(iteration=1, **more):
    fields = {"status": "finished", "policy": FOLDER, **more}
    return TrainingReport(iteration=iteration, algorithm="ppo", trainer="sb3", seed=0, reward=None, **fields)


def state(*trainings, **more):
    task = TaskSpec(sentence="balance", evaluation=EvaluationPlan(episodes=20))
    return RunState(run_id="x", task=task, entry=ENTRY, trainings=trainings or (training(),), **more)


def again(after, report, **more):
    changes = {"trainings": (*after.trainings, report), "iteration": after.iteration + 1, **more}
    return after.model_copy(update=changes)


def test_a_policy_is_judged_beside_both_baselines(workshop):
    bench = Bench()
    after = run(state(), workshop(bench))
    verdict = after.verdicts[-1]
    assert verdict.accepted
    assert [report.policy for report in verdict.baselines] == ["random", "zero"]
    assert {len(report.episodes) for report in (verdict.trained, *verdict.baselines)} == {20}
    assert verdict.trained.episodes[0].seed == 1_000_000
    assert after.best_iteration == 1


def test_baselines_are_run_once_in_an_environment(workshop):
    bench = Bench(10)
    first = run(state(), workshop(bench))
    second = run(again(first, training(2)), workshop(bench))
    assert bench.asked.count("random") == bench.asked.count("zero") == 1
    assert second.verdicts[0].baselines == second.verdicts[1].baselines


def test_another_environment_has_baselines_of_its_own(workshop):
    bench = Bench(10)
    first = run(state(), workshop(bench))
    adjusted = (Decision(kind="adjust_environment", by="rules", reason=""),)
    second = run(again(first, training(2), decisions=adjusted), workshop(bench))
    assert bench.asked.count("random") == 2
    assert first_iteration_here(second) == 2
    assert second.best_iteration == 2  # the first one's policy is of another environment


def test_the_best_iteration_is_kept(workshop):
    first = run(state(), workshop(Bench(15)))
    second = run(again(first, training(2)), workshop(Bench(5)))
    assert second.best_iteration == 1
    third = run(again(second, training(3)), workshop(Bench(18)))
    assert third.best_iteration == 3


def test_a_training_without_a_policy_is_not_accepted(workshop):
    bench = Bench()
    failed = training(status="failed", policy=None, detail="The networks diverged.")
    after = run(state(failed), workshop(bench))
    verdict = after.verdicts[-1]
    assert not verdict.accepted
    assert verdict.reasons[0] == "The training left no policy: The networks diverged."
    assert verdict.trained.episodes == ()
    assert sorted(bench.asked) == ["random", "zero"]
    assert after.best_iteration is None


@pytest.mark.parametrize("kind", DEATHS)
def test_episodes_that_kill_their_worker_are_never_accepted(workshop, kind):
    after = run(state(), workshop(Bench(dies=kind)))
    verdict = after.verdicts[-1]
    assert not verdict.accepted
    assert verdict.trained.metrics["error_rate"] == 1.0
    assert "Every one of 20 episodes crashed: It died." in verdict.reasons[-1]


def test_an_evaluation_that_cannot_be_run_is_no_verdict(workshop):
    with pytest.raises(WorkError):
        run(state(), workshop(Bench(dies="error")))
    with pytest.raises(RpentError, match=r"policy\.json` cannot be read"):
        run(state(training(policy="training/nothing")), workshop(Bench()))


def test_what_cannot_be_decided_is_refused_before_anything_is_run(workshop):
    bench = Bench()
    wrong = TaskSpec(sentence="x", criteria=(Criterion(metric="speed", operator=">=", threshold=1.0),))
    with pytest.raises(UsageError, match="has no metric `speed`"):
        run(state().model_copy(update={"task": wrong}), workshop(bench))
    assert bench.asked == []
