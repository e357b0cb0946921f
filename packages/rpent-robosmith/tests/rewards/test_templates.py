"""Every template on real steps of every environment of the catalogs that Gymnasium itself makes."""

import math
from contextlib import closing

import pytest
from rpent.errors import UsageError
from rpent_robosmith.agents.api import RewardRequest
from rpent_robosmith.agents.templates import TemplateRewards
from rpent_robosmith.catalog.load import entries
from rpent_robosmith.rewards.check import check_reward
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.worker.jobs.inspect import inspect
from rpent_robosmith.worker.making import make_env
from rpent_robosmith.worker.rewards import RewardedEnv, RewardFunction

ENTRIES = {name: entry for name, entry in entries().items() if entry.adapter == "gymnasium"}


@pytest.mark.parametrize("name", ENTRIES)
def test_every_reward_is_a_number_on_every_step(name):
    entry = ENTRIES[name]
    try:
        facts, problem, _ = inspect(entry)
    except UsageError as error:
        pytest.skip(error.message)
    assert not problem
    request = RewardRequest(task=TaskSpec(sentence=name), entry=entry, facts=facts, iteration=1, count=8)
    proposals = TemplateRewards().propose(request)
    assert len({proposal.code for proposal in proposals}) == 8
    means = {}
    with closing(make_env(entry)) as env:
        for proposal in proposals:
            assert check_reward(proposal.code) == [], proposal.code
            means[proposal.origin] = mean_reward(env, proposal.code)
    assert len(set(means.values())) > 4  # they are different rewards, not only different texts


def mean_reward(made, code):
    reward = RewardFunction(code)
    env = RewardedEnv(made, reward)
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(30):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    assert reward.errors == 0, reward.messages
    assert math.isfinite(reward.mean)
    assert sum(reward.components.values()) == pytest.approx(reward.mean)
    return reward.mean
