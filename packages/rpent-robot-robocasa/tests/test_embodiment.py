"""The layouts in which checkpoints see RoboCasa, without the simulator."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.policies.adapter import Adapter
from rpent.policies.embodiment import Embodiment
from rpent.policies.fit import fit
from rpent.policies.signature import CameraInput, Signature
from rpent_robot_robocasa.embodiment import ROBOCASA

CAMERAS = ("robot0_agentview_left", "robot0_agentview_right", "robot0_eye_in_hand")
STATE = {
    "base_position": 3,
    "base_rotation": 4,
    "end_effector_position_relative": 3,
    "end_effector_rotation_relative": 4,
    "gripper_qpos": 2,
}
ACTION = {
    "base_motion": 4,
    "control_mode": 1,
    "end_effector_position": 3,
    "end_effector_rotation": 3,
    "gripper_close": 1,
}


def named(prefix):
    """A checkpoint with the benchmark's names, its action in another order than the robot's."""
    keys = {"rldx": ("", "", ""), "gr00t": ("video.", "state.", "action.")}[prefix]
    return Signature(
        family="x",
        cameras={keys[0] + name: CameraInput() for name in CAMERAS},
        state={keys[1] + name: length for name, length in STATE.items()},
        action={keys[2] + name: length for name, length in ACTION.items()},
    )


LEROBOT = Signature(
    family="act",
    cameras={f"observation.images.{name}": CameraInput(height=128, width=128) for name in CAMERAS},
    state={"observation.state": 16},
    action={"action": 12},
)
CHECKPOINTS = {"rldx": named("rldx"), "gr00t": named("gr00t"), "lerobot": LEROBOT}
OBSERVATION = {
    "images": {
        name: np.full((256, 256, 3), shade, np.uint8)
        for name, shade in (("agentview_left", 10), ("agentview_right", 20), ("wrist", 30))
    },
    "state": {
        "base_position": [1, 2, 3],
        "base_quaternion": [4, 5, 6, 7],
        "base_to_eef_position": [8, 9, 10],
        "base_to_eef_quaternion": [11, 12, 13, 14],
        "gripper_qpos": [15, 16],
    },
}


@pytest.fixture(params=list(CHECKPOINTS))
def checkpoint(request):
    return request.param, CHECKPOINTS[request.param]


@pytest.fixture
def adapter(checkpoint):
    found = fit(checkpoint[1], ROBOCASA)
    assert found.ok, found.differences
    assert found.layout.name == checkpoint[0]
    return Adapter(checkpoint[1], ROBOCASA, found.layout)


def test_the_embodiment_travels_as_plain_data():
    assert Embodiment.model_validate(ROBOCASA.model_dump(mode="json")) == ROBOCASA
    assert sum(field.length for field in ROBOCASA.action.values()) == 12


def test_pictures_and_state_are_in_the_datasets_order(adapter, checkpoint):
    pictures, state = adapter.request_parts(OBSERVATION)
    side = 128 if checkpoint[0] == "lerobot" else 256
    assert [picture.shape for picture in pictures.values()] == [(side, side, 3)] * 3
    assert [int(picture[0, 0, 0]) for picture in pictures.values()] == [10, 20, 30]
    np.testing.assert_array_equal(np.concatenate(list(state.values())), np.arange(1, 17))


def test_an_action_becomes_the_simulators_own_twelve_numbers(adapter):
    policy = np.array([[0.1, 0.2, 0.3, 0.4, 0.9, 1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 0.49]])
    (action,) = adapter.robot_actions(policy)
    assert action.tolist() == [1.0, 2.0, 3.0, -1.0, -2.0, -3.0, -1.0, 0.1, 0.2, 0.3, 0.4, 1.0]


@pytest.mark.parametrize(("value", "sent"), [(-1, -1), (0, -1), (np.nextafter(0.5, 0), -1), (0.5, 1), (1, 1)])
def test_grip_and_mode_turn_at_one_half(adapter, value, sent):
    policy = np.zeros((1, 12))
    policy[0, [4, 11]] = value
    assert adapter.robot_actions(policy)[0, [6, 11]].tolist() == [sent, sent]


def test_rldx_looks_again_after_eight_actions():
    assert fit(CHECKPOINTS["rldx"], ROBOCASA).layout.execute_steps == 8
