import json
import math
import threading

import numpy as np
import pytest
from rpent.errors import EnvironmentSetupError, ExitCode, UsageError
from rpent_robosmith.agents.api import Proposal
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.measures import Measure, Quantity, Success
from rpent_robosmith.reports import RewardCandidate
from rpent_robosmith.rewards.check import check_reward
from rpent_robosmith.rewards.screening import cheaper, screening_steps
from rpent_robosmith.rewards.search import (
    OWN_CODE,
    SearchFolder,
    best,
    candidates_of,
    has_own_reward,
    screen_all,
)
from rpent_robosmith.rewards.trial import JOB as SCORING
from rpent_robosmith.work.api import Job, WorkError

ENTRY = EnvEntry(
    id="toy",
    name="Toy",
    adapter="gymnasium",
    env_id="Toy-v0",
    robot="toy",
    tags=(),
    description="",
    measures={"distance": Measure(quantity=Quantity(), map="norm", better="lower")},
    success=Success(measure="distance", at_most=0.1),
    progress="distance",
)
GOOD = "def compute_reward(obs, action, next_obs, info):\n    return 1.0, {}\n"
OTHER = GOOD.replace("1.0", "2.0")
BAD = "import os\n" + GOOD


SPACE = SpaceFacts(kind="box", shape=(1,), dtype="float32", low=(-1.0,), high=(1.0,))
FACTS = EnvFacts(entry="toy", env_id="Toy-v0", adapter="gymnasium", observation=SPACE, action=SPACE)
DESCRIPTION = {"activation": "tanh", "layers": 1, "output": "clip"}


def outcome(successes, distance=0.5, **more):
    """Return what the sealed worker answers, and what the clean one finds of its policy."""
    episodes = [
        {"seed": n, "length": 5, "total": 0.0, "success": won, "measures": {"distance": distance}}
        for n, won in enumerate(successes)
    ]
    return trained(**more), episodes


def trained(**counts):
    weights = {"layers.0.weight": np.ones((1, 1), np.float32), "layers.0.bias": np.zeros(1, np.float32)}
    screened = {"steps": 100, "calls": 100, "errors": 0, "components": {"a": 1.5}, **counts}
    return {"screened": screened, "policy": {"description": DESCRIPTION, "weights": weights}}


class InterruptError(KeyboardInterrupt):
    """Ctrl-C, once the other candidate is kept."""

    def __init__(self):
        super().__init__()
        self.kept = threading.Event()


class FakeBench:
    """Answers each candidate with what is given for its code, and finds the episodes that are given for its policy."""

    def __init__(self, answers):
        self.answers, self.asked, self.scored = answers, [], []
        self.episodes = {}

    def run(self, job, heard=None):
        if job.run == SCORING:
            self.scored.append(job)
            return {"episodes": self.episodes[job.label.removeprefix("score ")]}
        self.asked.append(job.label)
        answer = self.answers[job.params["code"]]
        if isinstance(answer, InterruptError):
            assert answer.kept.wait(60)
        if isinstance(answer, BaseException):
            raise answer
        answer, self.episodes[job.label] = answer
        return answer


def screened(answers, candidates, keep=lambda _: None):
    bench = FakeBench(answers)
    make = lambda item: Job(run="x:y", params={"code": item.code}, label=item.id, sealed=True)  # noqa: E731
    return screen_all(bench, candidates, make, ENTRY, FACTS, keep=keep), bench


def candidates(*codes, own=False):
    return candidates_of([Proposal(code=code, origin="test") for code in codes], 2, own=own)


def test_the_environments_own_reward_comes_first_and_nothing_twice():
    found = candidates(GOOD, GOOD, OWN_CODE, OTHER, own=True)
    assert [(item.id, item.code) for item in found] == [
        ("i2-c1", OWN_CODE),
        ("i2-c2", GOOD),
        ("i2-c3", OTHER),
    ]
    assert found[0].origin == "environment"


def test_the_own_reward_is_a_valid_one():
    assert check_reward(OWN_CODE) == []
    space = {}
    exec(OWN_CODE, space)
    assert space["compute_reward"](None, None, None, {"env_reward": 3}) == (3.0, {"environment": 3.0})


def test_what_the_static_check_refuses_is_out_and_never_run():
    found = candidates(BAD, GOOD)
    assert "imports `os`" in found[0].failure
    results, bench = screened({GOOD: outcome([True])}, found)
    assert bench.asked == ["i2-c2"]
    assert results[0] == found[0]


def test_a_candidate_is_scored_by_success_and_progress_and_not_by_its_return():
    (found,), _ = screened({GOOD: outcome([True, True, False, False], 0.25)}, candidates(GOOD))
    assert (found.score, found.success_rate, found.progress) == (0.5, 0.5, -0.25)
    assert (found.calls, found.errors, found.components) == (100, 0, {"a": 1.5})


@pytest.mark.parametrize("kind", ["killed", "memory", "silence", "timeout", "reward", "protocol", "error"])
def test_a_candidate_that_fails_costs_only_itself(kind):
    answers = {GOOD: WorkError(f"It ended ({kind}).", kind=kind), OTHER: outcome([True])}
    results, _ = screened(answers, candidates(GOOD, OTHER))
    assert results[0].failure == f"It ended ({kind})."
    assert results[0].score is None
    assert best(results) == results[1]


def test_a_trial_without_episodes_is_a_failure():
    (found,), _ = screened({GOOD: outcome([])}, candidates(GOOD))
    assert found.failure == "Its trial had no episodes."
    assert found.score is None


FORGED = {
    "nothing": {},
    "its own episodes": {**trained(), "episodes": outcome([True])[1], "screened": None},
    "a score": trained(score=1.0),
    "a negative count": trained(errors=-1),
    "more errors than calls": trained(errors=101),
    "a count without end": trained(calls=2**60),
    "a text for a count": trained(calls="many"),
    "no finite component": trained(components={"a": math.nan}),
    "many components": trained(components={f"c{n}": 0.0 for n in range(99)}),
    "a long name": trained(components={"x" * 65: 0.0}),
    "no policy": {**trained(), "policy": None},
    "a text for a policy": {**trained(), "policy": "zero"},
    "no finite weight": {
        **trained(),
        "policy": {
            "description": DESCRIPTION,
            "weights": {
                "layers.0.weight": np.full((1, 1), np.nan, np.float32),
                "layers.0.bias": np.zeros(1, np.float32),
            },
        },
    },
    "weights of another size": {
        **trained(),
        "policy": {
            "description": DESCRIPTION,
            "weights": {
                "layers.0.weight": np.ones((9, 9), np.float32),
                "layers.0.bias": np.zeros(9, np.float32),
            },
        },
    },
    "ragged lists for weights": {
        **trained(),
        "policy": {"description": DESCRIPTION, "weights": {"layers.0.weight": [[1], [1, 2]]}},
    },
    "files for weights": {
        **trained(),
        "policy": {
            "description": {**DESCRIPTION, "kind": "lerobot"},
            "weights": {"config.json": np.zeros(9, np.uint8), "model.safetensors": np.zeros(9, np.uint8)},
        },
    },
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_a_sealed_worker_forges_costs_its_candidate_and_is_never_scored(forged):
    answers = {GOOD: (FORGED[forged], []), OTHER: outcome([False])}
    (hostile, honest), bench = screened(answers, candidates(GOOD, OTHER))
    assert hostile.failure
    assert len(hostile.failure) < 600
    assert (hostile.score, honest.score) == (None, 0.0)
    assert [job.label for job in bench.scored] == ["score i2-c2"]


def test_a_policy_is_scored_in_a_clean_worker_under_a_description_of_ours():
    answer, episodes = outcome([True])
    answer["policy"]["description"] = {
        **DESCRIPTION,
        "entry": {**ENTRY.model_dump(mode="json"), "env_id": "evil:Toy-v0"},
        "observation": {"kind": "text"},
        "algorithm": "\x1b[2J",
        "facts": {"success_rate": 1.0},
        "version": 99,
    }
    (found,), bench = screened({GOOD: (answer, episodes)}, candidates(GOOD))
    (job,) = bench.scored
    assert not job.sealed
    assert not job.needs or "torch" not in job.needs
    assert job.params["seeds"] == list(range(500_000, 500_008))
    description = job.params["policy"]["description"]
    assert description["entry"]["env_id"] == "Toy-v0"
    assert description["observation"] == SPACE.model_dump(mode="json")
    assert (description["facts"], description["algorithm"]) == ({}, "")
    assert found.score == 1.0


def test_names_of_components_are_one_printable_line():
    answers = {GOOD: outcome([True], components={"a\n\x1b[2Jb": 1.0})}
    (found,), _ = screened(answers, candidates(GOOD))
    assert found.components == {"a ␛[2Jb": 1.0}


def test_a_users_mistake_is_no_failure_of_a_candidate():
    mistake = WorkError("The environment has no `x`.")
    mistake.exit_code = ExitCode.USAGE
    with pytest.raises(UsageError, match="has no `x`"):
        screened({GOOD: mistake}, candidates(GOOD))


def test_what_is_not_the_candidates_fault_is_raised():
    with pytest.raises(EnvironmentSetupError):
        screened({GOOD: EnvironmentSetupError("no interpreter")}, candidates(GOOD))


def test_each_is_kept_at_once_and_a_resumed_search_repeats_nothing(tmp_path):
    folder = SearchFolder(tmp_path / "rewards" / "i2")
    interrupt = InterruptError()
    answers = {GOOD: outcome([True]), OTHER: interrupt}
    first = folder.candidates(lambda: candidates(GOOD, OTHER))

    def keep(item):
        folder.keep(item)
        interrupt.kept.set()

    with pytest.raises(KeyboardInterrupt):
        screened(answers, first, keep)

    again = folder.candidates(lambda: pytest.fail("proposals are kept"))
    assert [item.score for item in again] == [1.0, None]
    results, bench = screened({OTHER: outcome([False])}, again, folder.keep)
    assert bench.asked == ["i2-c2"]
    assert [item.score for item in results] == [1.0, 0.0]
    assert [item.score for item in folder.candidates(list)] == [1.0, 0.0]


def test_what_is_no_number_is_kept_as_it_is(tmp_path):
    folder = SearchFolder(tmp_path)
    (first,) = folder.candidates(lambda: candidates(GOOD))
    folder.keep(
        first.model_copy(update={"score": 0.0, "progress": float("nan"), "components": {"a": float("-inf")}})
    )
    (again,) = folder.candidates(list)
    assert math.isnan(again.progress)
    assert again.components == {"a": float("-inf")}


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"id": "i2-c1"}'])
def test_a_damaged_record_is_tried_again(tmp_path, damage):
    folder = SearchFolder(tmp_path)
    (first,) = folder.candidates(lambda: candidates(GOOD))
    (tmp_path / "i2-c1.json").write_text(damage)
    assert folder.candidates(list) == [first]


def test_a_record_of_other_code_is_not_taken(tmp_path):
    folder = SearchFolder(tmp_path)
    (first,) = folder.candidates(lambda: candidates(GOOD))
    folder.keep(first.model_copy(update={"code": OTHER, "score": 1.0, "success_rate": 1.0}))
    assert folder.candidates(list) == [first]


def test_damaged_proposals_are_written_anew(tmp_path):
    folder = SearchFolder(tmp_path)
    (tmp_path / "proposals.json").write_text("[{]")
    assert [item.code for item in folder.candidates(lambda: candidates(GOOD))] == [GOOD]
    assert len(json.loads((tmp_path / "proposals.json").read_text())) == 1


def candidate(number, rate, progress=None, **more):
    return RewardCandidate(
        id=f"i1-c{number}",
        code="",
        origin="",
        **{"score": rate, "success_rate": rate, "progress": progress, "calls": 100, **more},
    )


def test_success_then_progress_then_the_earlier_one():
    assert best([candidate(1, 0.1, 5.0), candidate(2, 0.2, -5.0)]).id == "i1-c2"
    assert best([candidate(1, 0.0, -5.0), candidate(2, 0.0, -1.0)]).id == "i1-c2"
    assert best([candidate(1, 0.0, -1.0), candidate(2, 0.0, -1.0)]).id == "i1-c1"
    assert best([candidate(1, 0.0), candidate(2, 0.0, -1e9)]).id == "i1-c2"


def test_many_errors_count_against_a_candidate():
    assert best([candidate(1, 0.9, errors=20), candidate(2, 0.1)]).id == "i1-c2"
    assert best([candidate(1, 0.9, errors=5), candidate(2, 0.1)]).id == "i1-c1"


def test_of_equals_one_that_was_not_trained_with():
    assert best([candidate(1, 0.5), candidate(2, 0.5)], trained=["i1-c1"]).id == "i1-c2"
    assert best([candidate(1, 0.6), candidate(2, 0.5)], trained=["i1-c1"]).id == "i1-c1"


def test_none_is_the_best_of_failures():
    assert best([candidate(1, None), candidate(2, 1.0, failure="loops")]) is None


@pytest.mark.parametrize(
    ("seen", "own"), [(None, True), ((0.0, 0.0), False), ((-1.0, 0.0), True), ((0.0, 1.0), True)]
)
def test_whether_an_environment_has_a_reward(seen, own):
    space = SpaceFacts(kind="box", shape=(1,), low=(-math.inf,), high=(math.inf,))
    facts = EnvFacts(
        entry="toy", env_id="T-v0", adapter="gymnasium", observation=space, action=space, reward_range=seen
    )
    assert has_own_reward(facts) is own


def test_trials_are_short():
    assert screening_steps("ppo", 60_000) == 10_000
    assert screening_steps("sac", 10_000) == 2_000
    assert screening_steps("sac", 1_000_000) == 3_000
    assert screening_steps("sac", 100) == 1_000


def test_trials_replay_less():
    assert cheaper({"buffer_size": 1000, "batch_size": 256}) == {"buffer_size": 1000, "batch_size": 64}
    assert cheaper({"buffer_size": 1000}) == {"buffer_size": 1000, "batch_size": 64}
    assert cheaper({"n_steps": 8, "batch_size": 256}) == {"n_steps": 8, "batch_size": 256}


def test_where_every_trial_failed_a_resumed_search_tries_them_again(tmp_path):
    folder = SearchFolder(tmp_path)
    kept = folder.candidates(
        lambda: candidates_of(
            [Proposal(code=GOOD, origin="a"), Proposal(code=OTHER, origin="b")], 1, own=False
        )
    )
    for item in kept:
        folder.keep(item.model_copy(update={"failure": "The job was killed by SIGKILL."}))
    assert folder.candidates(list) == kept

    folder.keep(kept[0].model_copy(update={"score": 0.5, "success_rate": 0.5}))
    first, second = folder.candidates(list)
    assert first.score == 0.5
    assert second.failure == "The job was killed by SIGKILL."
