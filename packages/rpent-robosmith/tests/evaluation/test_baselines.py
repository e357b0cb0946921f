import numpy as np
import pytest
from rpent_robosmith.evaluation.baselines import RandomPolicy, ZeroPolicy
from rpent_robosmith.facts import SpaceFacts

INF = float("inf")
BOX = SpaceFacts(kind="box", shape=(2,), dtype="float32", low=(1.0, -4.0), high=(2.0, -3.0))
ONE_BOUND = SpaceFacts(kind="box", shape=(2, 2), dtype="float64", low=(-1.0,), high=(1.0,))
OPEN = SpaceFacts(kind="box", shape=(2,), dtype="float32", low=(-INF, 0.0), high=(INF, INF))
CHOICE = SpaceFacts(kind="discrete", n=3, start=5)


@pytest.mark.parametrize("space", [BOX, ONE_BOUND, OPEN, CHOICE])
def test_random_actions_stay_in_the_space_and_repeat_with_the_seed(space):
    policy = RandomPolicy(space)
    policy.reset(7)
    first = [policy.act(None) for _ in range(200)]
    policy.reset(7)
    assert all(np.array_equal(a, policy.act(None)) for a in first)
    policy.reset(8)
    assert not all(np.array_equal(a, policy.act(None)) for a in first)
    if space.kind == "discrete":
        assert {int(action) for action in first} == {5, 6, 7}
        return
    stacked = np.stack(first)
    assert stacked.dtype == space.dtype
    assert stacked.shape[1:] == space.shape
    assert np.all(stacked >= np.reshape(space.low, space.shape if len(space.low) > 1 else ()))
    assert np.all(stacked <= np.reshape(space.high, space.shape if len(space.high) > 1 else ()))
    assert np.all(stacked.std(axis=0) > 0.1)


@pytest.mark.parametrize(
    ("space", "action"), [(BOX, [1.0, -3.0]), (ONE_BOUND, np.zeros((2, 2))), (OPEN, [0.0, 0.0]), (CHOICE, 5)]
)
def test_doing_nothing_is_within_the_bounds(space, action):
    policy = ZeroPolicy(space)
    policy.reset(0)
    assert np.array_equal(policy.act(None), action)
