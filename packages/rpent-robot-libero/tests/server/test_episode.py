from __future__ import annotations

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.errors import RpentError, UsageError

pytestmark = pytest.mark.sim


def test_describe_says_what_the_task_file_says(make_env):
    about = make_env(suite="libero_object_swap", task=2).describe()
    assert about["instruction"] == "Pick the salad dressing and place it in the basket"
    assert about["action_dim"] == 7
    assert about["cameras"] == ["agentview", "wrist"]


def test_seed_selects_the_initial_state_and_reset_is_exact(fresh, backstage):
    scene = backstage(fresh).scene
    fresh.reset(seed=53)
    assert fresh.describe()["init_state"] == 3
    first = scene.data.qpos.copy()
    fresh.chunk_step(np.ones((5, 7)))
    fresh.reset(seed=3)
    np.testing.assert_array_equal(scene.data.qpos, first)
    fresh.reset(seed=4)
    assert not np.array_equal(scene.data.qpos, first)


def test_another_task_of_the_same_scene_keeps_the_model_and_another_scene_does_not(make_env, backstage):
    env = make_env(suite="libero_goal", task=0)
    inner = backstage(env)
    model, first = inner.scene.model, env.describe()["instruction"]
    env.reset(task=5)
    assert inner.scene.model is model
    assert env.describe()["instruction"] != first
    env.reset(task=0)
    assert env.describe()["instruction"] == first


def test_a_task_after_others_is_as_if_it_were_the_first(make_env, backstage):
    """Nothing of an earlier task remains in a scene's model."""
    env = make_env(suite="libero_goal", task=0)
    env.reset(task=0, seed=2)
    actions = np.random.default_rng(1).uniform(-1, 1, (10, 7))
    env.chunk_step(actions)
    first = backstage(env).scene.data.qpos.copy()
    env.reset(task=7, seed=9)
    env.chunk_step(actions)
    env.reset(task=0, seed=2)
    env.chunk_step(actions)
    np.testing.assert_array_equal(backstage(env).scene.data.qpos, first)


def test_bad_reset_is_refused_and_changes_nothing(fresh):
    before = fresh.describe()
    with pytest.raises(UsageError, match="out of range"):
        fresh.reset(task=10)
    for seed in (-1, 1.5, float("nan"), "zero"):
        with pytest.raises(RpentError):
            fresh.reset(seed=seed)
    assert fresh.describe() == before


def test_success_latches_and_ends_the_episode(fresh, backstage):
    """The goal is the benchmark's own: the thing is put into the basket by hand."""
    scene = backstage(fresh).scene
    address = scene.model.joint("salad_dressing_1_joint0").qposadr[0]
    basket = scene.data.body("basket_1_main").xpos
    scene.data.qpos[address : address + 3] = basket + np.array([0, 0, 0.06])
    observation, executed, rewards = fresh.chunk_step(np.zeros((40, 7)))
    assert observation.success
    assert observation.terminated
    assert not observation.truncated
    assert executed < 40
    assert rewards[-1] == 1.0
    with pytest.raises(RpentError, match="The episode is over: the task succeeded"):
        fresh.step(np.zeros(7))
    result = fresh.servo([{"position": [0, 0, 0.4]}])
    assert (result.status, result.steps) == ("episode_over", 0)


def test_step_limit_truncates(make_env):
    env = make_env(suite="libero_object_swap", task=2, max_episode_steps=6)
    observation, executed, _ = env.chunk_step(np.zeros((10, 7)))
    assert executed == 6
    assert observation.truncated
    assert not observation.terminated
    with pytest.raises(RpentError, match="limit of 6 steps"):
        env.step(np.zeros(7))


def test_chunk_is_cancelled_between_steps(fresh):
    token = CancelToken()
    token.cancel()
    _, executed, _ = fresh.chunk_step(np.zeros((10, 7)), cancel=token)
    assert executed == 0


@pytest.mark.parametrize(
    "action", [np.zeros(6), np.full(7, np.nan), np.array([np.inf] + [0] * 6), np.zeros((1, 7)), "up"]
)
def test_bad_actions_are_refused(fresh, action):
    with pytest.raises(RpentError):
        fresh.channel.call("step", action=action)
    assert fresh.observe().step == 0


def test_actions_cannot_leave_the_workspace(fresh):
    low = np.array(fresh.describe()["workspace"]["low"])
    down = np.zeros((60, 7))
    down[:, 2] = -5.0
    observation, _, _ = fresh.chunk_step(down)
    assert observation.eef_position[2] > low[2] - 0.005
    sideways = np.zeros((150, 7))
    sideways[:, 1], sideways[:, 2] = -1.0, 0.3
    observation, _, _ = fresh.chunk_step(sideways)
    assert observation.eef_position[1] > low[1] - 0.02
