import pytest
from rpent_robosmith.catalog.load import find
from rpent_robosmith.work.api import Job, WorkError

PENDULUM = find("pendulum").model_dump(mode="json")


def rollouts(bench, policy, seeds=(1_000_000, 1_000_001), entry=PENDULUM, heard=None):
    params = {"entry": entry, "policy": policy, "seeds": list(seeds)}
    return bench.run(Job(run="rpent_robosmith.worker.jobs.rollouts:run", params=params), heard)["episodes"]


def test_episodes_come_in_the_order_of_their_seeds_and_are_told_one_by_one(bench):
    told = []
    episodes = rollouts(bench, "zero", heard=lambda kind, data: told.append((kind, data)))
    assert [episode["seed"] for episode in episodes] == [1_000_000, 1_000_001]
    assert [data["record"] for kind, data in told if kind == "episode"] == episodes
    assert all(episode["length"] == 200 and episode["truncated"] for episode in episodes)
    assert all(episode["total"] < -500 for episode in episodes)


def test_the_same_seed_is_the_same_episode(bench):
    first, second = rollouts(bench, "random")
    assert rollouts(bench, "random", seeds=[1_000_001]) == [second]
    assert first["total"] != second["total"]


def test_a_policy_that_is_not_there_is_an_error_and_no_failure_of_an_episode(bench, tmp_path):
    with pytest.raises(WorkError, match=r"policy\.json` cannot be read"):
        rollouts(bench, str(tmp_path))


def test_an_environment_that_cannot_be_made(bench):
    with pytest.raises(WorkError, match="Nothing-v0"):
        rollouts(bench, "zero", entry={**PENDULUM, "env_id": "Nothing-v0"})
