"""What policies are shown is what the benchmark's own environment gives, as its checkpoints were trained on it."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.policies.adapter import Adapter
from rpent.policies.fit import fit
from rpent.policies.observe import state_fields
from rpent.policies.signature import CameraInput, Signature
from rpent_robot_libero.embodiment import LIBERO

pytestmark = pytest.mark.sim

SIZE = 128
LEROBOT = Signature(
    family="act",
    cameras={
        "observation.images.image": CameraInput(height=SIZE, width=SIZE),
        "observation.images.image2": CameraInput(height=SIZE, width=SIZE),
    },
    state={"observation.state": 8},
    action={"action": 7},
)
MOVE, TURN, STAY = [0.3, -0.4, -0.5, 0.1, 0.2, -0.3, -1.0], [0, 0.2, 0.1, 0, 0, 0.2, 1.0], [0.0] * 6 + [1.0]
ACTIONS = np.array([MOVE] * 12 + [TURN] * 6 + [STAY] * 10)


def robosuite_state(observation):
    """The state as the field's evaluation scripts put it together."""
    from robosuite.utils.transform_utils import quat2axisangle

    return np.concatenate(
        [
            observation["robot0_eef_pos"],
            quat2axisangle(observation["robot0_eef_quat"].copy()),
            observation["robot0_gripper_qpos"],
        ]
    )


@pytest.fixture(scope="module")
def pair(make_env, backstage):
    """The same episode in our env server and in the benchmark's stock environment, with its pictures."""
    from libero.libero.envs.env_wrapper import ControlEnv
    from rpent_robot_libero.server.scene import task_file

    ours = make_env(suite="libero_object", task=0, settle_steps=0)
    ours.reset(seed=0)
    ours.chunk_step(ACTIONS)
    scene = backstage(ours).scene
    stock = ControlEnv(task_file(scene.task), camera_heights=SIZE, camera_widths=SIZE)
    try:
        stock.seed(0)
        stock.reset()
        stock.set_init_state(scene.initial_states[scene.task.initial_state(0)])
        for action in ACTIONS:
            observation = stock.step(action)[0]
    finally:
        stock.close()
    return ours, observation


@pytest.fixture(scope="module")
def request_parts(pair):
    """What a checkpoint of LeRobot's layout is asked with."""
    found = fit(LEROBOT, LIBERO)
    assert found.layout.name == "lerobot"
    adapter = Adapter(LEROBOT, LIBERO, found.layout)
    seen = pair[0].observe(list(adapter.cameras()), size=SIZE)
    fields = state_fields(seen, adapter.state_fields())
    return adapter.request_parts({"images": seen.images, "state": fields})


def test_the_state_is_the_benchmarks(pair, request_parts):
    """Up to one physics step (2 ms): the benchmark's poses are those before the last one."""
    np.testing.assert_allclose(request_parts[1]["observation.state"], robosuite_state(pair[1]), atol=2e-3)


@pytest.mark.parametrize(
    ("name", "camera"),
    [
        ("observation.images.image", "agentview_image"),
        ("observation.images.image2", "robot0_eye_in_hand_image"),
    ],
)
def test_the_pictures_are_the_benchmarks_turned_by_180_degrees(pair, request_parts, name, camera):
    ours = request_parts[0][name].astype(int)
    benchmark = pair[1][camera][::-1, ::-1].astype(int)
    assert np.abs(ours - benchmark).mean() < 1.0
    assert np.abs(ours - benchmark[:, ::-1]).mean() > 5.0
