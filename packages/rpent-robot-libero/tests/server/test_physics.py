"""Our control step against the benchmark's own environment, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.sim


@pytest.fixture(
    params=[("libero_object_swap", 2), ("libero_goal", 7)], ids=lambda pair: f"{pair[0]}-{pair[1]}"
)
def pair(request, make_env, backstage):
    """Our env and the benchmark's, in the same initial state, after the same settling."""
    suite, task = request.param
    ours = make_env(suite=suite, task=task, settle_steps=0)
    ours.reset(seed=3)
    libero_env = backstage(ours)
    from libero.libero.envs.env_wrapper import ControlEnv
    from rpent_robot_libero.server.scene import task_file

    theirs = ControlEnv(task_file(libero_env.scene.task), use_camera_obs=False, has_offscreen_renderer=False)
    theirs.seed(0)
    theirs.reset()
    theirs.set_init_state(libero_env.scene.initial_states[3])
    yield ours, libero_env.scene.data, theirs
    theirs.close()


def random_actions(count: int) -> np.ndarray:
    generator = np.random.default_rng(7)
    actions = generator.uniform(-1, 1, (count, 7))
    actions[:, 3:6] *= 0.3
    actions[::3, 3:6] = 0.0  # no rotation: the controller keeps its goal
    actions[:, 6] = generator.choice([-1.0, 0.0, 1.0], count)
    return actions


def test_same_actions_give_the_same_bits_as_the_benchmark(pair):
    ours, data, theirs = pair
    their_data = theirs.sim.data._data
    np.testing.assert_array_equal(data.qpos, their_data.qpos)
    for action in random_actions(40):
        ours.step(action)
        theirs.step(action)
    np.testing.assert_array_equal(data.qpos, their_data.qpos)
    np.testing.assert_array_equal(data.qvel, their_data.qvel)
    assert ours.observe().success == theirs.check_success()
