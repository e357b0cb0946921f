"""What policies are shown, and what becomes of their actions, is what the benchmark's own wrapper shows and does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rpent.policies.adapter import Adapter
from rpent.policies.fit import fit
from rpent.policies.observe import state_fields
from rpent.policies.signature import CameraInput, Signature
from rpent_robot_robocasa.embodiment import ROBOCASA

pytestmark = pytest.mark.sim

TASK, SEED, STEPS = "PickPlaceCounterToSink", 3, 5
SCRIPT = Path(__file__).parents[1] / "inside" / "gym_wrapper.py"
CAMERAS = ("robot0_agentview_left", "robot0_agentview_right", "robot0_eye_in_hand")
STATE = {
    "end_effector_position_relative": 3,
    "end_effector_rotation_relative": 4,
    "gripper_qpos": 2,
    "base_position": 3,
    "base_rotation": 4,
}
ACTION = {
    "end_effector_position": 3,
    "end_effector_rotation": 3,
    "gripper_close": 1,
    "base_motion": 4,
    "control_mode": 1,
}
POLICY = Signature(
    family="rldx",
    cameras={name: CameraInput() for name in CAMERAS},
    state=STATE,
    action=ACTION,
    chunk_length=16,
)


@pytest.fixture(scope="module")
def actions():
    """A policy's actions: its grip and its mode are between 0 and 1."""
    generator = np.random.default_rng(0)
    chunk = generator.uniform(-1, 1, (STEPS, 12))
    chunk[:, [6, 11]] = generator.uniform(0, 1, (STEPS, 2))
    chunk[:2, [6, 11]] = 0.5, np.nextafter(0.5, 0)
    return chunk


@pytest.fixture(scope="module")
def theirs(run_in_kitchen, actions, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrapper")
    given, written = folder / "given.npz", folder / "written.npz"
    np.savez(given, actions=actions)
    said = run_in_kitchen(SCRIPT.read_text(), str(given), str(written), TASK, str(SEED))
    with np.load(written) as arrays:
        return dict(arrays) | said


@pytest.fixture(scope="module")
def ours(make_env, theirs, actions):
    env = make_env(task_name=TASK, seed=SEED)
    adapter = Adapter(POLICY, ROBOCASA, fit(POLICY, ROBOCASA).layout)
    cameras = adapter.cameras()

    def look():
        seen = env.observe(list(cameras), size=cameras)
        return adapter.request_parts(
            {"images": seen.images, "state": state_fields(seen, adapter.state_fields())}
        )

    about, start = env.describe(), look()
    joints = [env.step(action).joint_positions for action in adapter.robot_actions(actions)]
    return {"about": about, "start": start, "end": look(), "joints": joints}


def test_the_kitchen_is_the_same(ours, theirs):
    assert ours["about"]["instruction"] == theirs["said"]
    assert ours["about"]["layout"] == theirs["layout"]


def test_actions_lead_to_the_same_joints_bit_for_bit(ours, theirs):
    np.testing.assert_array_equal(ours["joints"], theirs["joints"])


@pytest.mark.parametrize("when", ["start", "end"])
def test_the_state_is_the_same_bit_for_bit(ours, theirs, when):
    vectors = ours[when][1]
    assert set(vectors) == set(STATE)
    for name, vector in vectors.items():
        expected = theirs[f"{when}/state.{name}"]
        assert vector.dtype == expected.dtype == np.float32
        np.testing.assert_array_equal(vector, expected, err_msg=name)


@pytest.mark.parametrize("when", ["start", "end"])
def test_the_pictures_are_the_same_the_same_way_up(ours, theirs, when):
    for name in CAMERAS:
        picture, expected = ours[when][0][name], theirs[f"{when}/video.{name}"]
        assert picture.shape == expected.shape == (256, 256, 3)
        assert picture.std() > 5, "it shows something"
        difference = np.abs(picture.astype(int) - expected)
        assert difference.mean() < 0.1, name
        assert np.abs(picture[::-1].astype(int) - expected).mean() > 5
