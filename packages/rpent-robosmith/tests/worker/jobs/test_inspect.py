"""The job that makes and steps an environment, in a real worker."""

from __future__ import annotations

import pytest
from rpent.errors import RpentError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import EnvFacts
from rpent_robosmith.stages.inspect import inspect_environment


def test_facts_come_back_from_a_worker(bench):
    facts, problem, rate = inspect_environment(find("pendulum"), bench)
    assert problem == ""
    assert rate > 0
    assert (facts.observation.shape, facts.action.low, facts.action.high) == ((3,), (-2.0,), (2.0,))
    assert (facts.max_episode_steps, facts.control_rate_hz, facts.deterministic) == (200, 20.0, True)
    assert facts.action_numbers[0].unit == "N m"
    assert EnvFacts.model_validate_json(facts.model_dump_json()) == facts


def test_infinite_bounds_survive_the_way(bench):
    facts, _, _ = inspect_environment(find("cartpole"), bench)
    assert facts.observation.high[1] == float("inf")
    assert facts.action.n == 2


def test_the_same_environment_gives_the_same_facts(bench):
    assert inspect_environment(find("cartpole"), bench)[0] == inspect_environment(find("cartpole"), bench)[0]


def test_a_success_that_cannot_be_judged_is_a_problem(bench):
    entry = find("Other-v1").model_copy(update={"env_id": "Pendulum-v1"})
    facts, problem, _ = inspect_environment(entry, bench)
    assert not facts.has_success_signal
    assert problem == "`other-v1` has no success signal `is_success` in `info`, which has nothing."


def test_what_cannot_be_made_is_one_sentence(bench):
    with pytest.raises(RpentError, match="Gymnasium cannot make `NoSuch-v0`"):
        inspect_environment(find("NoSuch-v0"), bench)
