"""Trials of reward candidates with a real trainer, in real sealed workers, scored in clean ones."""

import numpy as np
import pytest
from rpent_robosmith.agents.api import Proposal
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import EnvFacts
from rpent_robosmith.rewards.screening import Screening
from rpent_robosmith.rewards.search import best, candidates_of, screen_all
from rpent_robosmith.rewards.trial import TrialBench
from rpent_robosmith.work.api import Job, Limits, WorkError

pytestmark = pytest.mark.models

CARTPOLE = find("cartpole")
START = "import numpy as np\ndef compute_reward(obs, action, next_obs, info):\n"
HOSTILE = {
    "endless loop": START + "    while True:\n        pass\n    return 0.0, {}\n",
    "memory": START + "    a = [np.ones(10**8) for _ in range(100)]\n    return float(len(a)), {}\n",
    "raises": START + "    return obs['nothing'], {}\n",
    "not finite": START + "    return float('nan'), {}\n",
    "no number": START + "    return 'much', {}\n",
}


@pytest.fixture
def facts(robosmith_bench):
    params = {"entry": CARTPOLE.model_dump(mode="json")}
    answer = robosmith_bench.run(Job(run="rpent_robosmith.worker.jobs.inspect:run", params=params))
    return EnvFacts.model_validate(answer["facts"])


def job(code, **changes):
    screening = Screening(
        entry=CARTPOLE,
        code=code,
        algorithm="ppo",
        trainer="sb3",
        seed=3,
        steps=512,
        n_envs=2,
        hyperparameters={"n_steps": 128, "batch_size": 64, "n_epochs": 2},
    )
    run = "rpent_robosmith.worker.jobs.screen:run"
    params = screening.model_copy(update=changes).model_dump(mode="json")
    return Job(run=run, params=params, sealed=True, limits=Limits(silence_s=30.0, memory_bytes=2 * 2**30))


def test_hostile_candidates_cost_only_themselves(robosmith_bench, facts):
    codes = [*HOSTILE.values(), START + "    return 1.0, {'alive': 1.0}\n"]
    proposals = [Proposal(code=code, origin="test") for code in codes]
    candidates = candidates_of(proposals, 1, own=True)
    kept = []
    found = screen_all(
        robosmith_bench, candidates, lambda item: job(item.code), CARTPOLE, facts, keep=kept.append
    )
    failures = {name: item.failure for name, item in zip(HOSTILE, found[1:], strict=False)}
    assert all(failures.values()), failures
    assert "said nothing for 30 s" in failures["endless loop"]
    assert "failed in" in failures["raises"]
    assert "IndexError" in failures["raises"]
    assert "which is not within" in failures["not finite"]
    assert "must be a number, not `str`" in failures["no number"]
    own, alive = found[0], found[-1]
    assert not own.failure
    assert not alive.failure
    assert alive.components == {"alive": 1.0}
    assert alive.calls == 512
    assert (own.success_rate, own.progress) == (
        alive.success_rate,
        alive.progress,
    )  # the same reward, the same trial
    assert own.progress > 8
    assert best(found) == own
    assert sorted(kept, key=lambda item: item.id) == sorted(found, key=lambda item: item.id)


def test_rare_errors_are_counted_and_the_trial_goes_on(robosmith_bench):
    code = START + "    if next_obs[0] > 0.05:\n        raise ValueError('off')\n    return 1.0, {}\n"
    result = robosmith_bench.run(job(code))
    counted = result["screened"]
    assert 0 < counted["errors"] < counted["calls"] / 2
    assert list(counted["messages"]) == ["ValueError: off"]
    assert "episodes" not in result


def test_the_same_trial_gives_the_same_weights_and_episodes(robosmith_bench, facts):
    code = START + "    return 1.0 - abs(float(next_obs[2])), {}\n"
    trials = TrialBench(robosmith_bench, CARTPOLE, facts, seeds=(500_000, 500_001, 500_002, 500_003))
    first, again = trials.run(job(code)), trials.run(job(code))
    assert first == again
    assert [episode["seed"] for episode in first["episodes"]] == [500_000, 500_001, 500_002, 500_003]
    plain = robosmith_bench.run(job(code))["policy"]["weights"]
    assert all(np.isfinite(weight).all() for weight in plain.values())


def test_a_trial_that_cannot_be_is_refused(robosmith_bench):
    with pytest.raises(WorkError, match="acts in `box` spaces"):
        robosmith_bench.run(job(HOSTILE["raises"], algorithm="sac", hyperparameters={}))
    with pytest.raises(WorkError, match="exactly one function"):
        robosmith_bench.run(job("x = 1\n"))
