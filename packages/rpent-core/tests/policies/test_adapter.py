"""A robot's pictures and state as a checkpoint wants them, and its answer as the robot's actions."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent.policies.adapter import Adapter
from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart
from rpent.policies.signature import CameraInput, Signature

ROBOT = Embodiment(
    robot="arm",
    cameras={"front": "", "wrist": ""},
    camera_size=32,
    state={"position": 3, "quaternion": 4, "width": 1},
    action={"delta": ActionField(length=2), "gripper": ActionField(length=1)},
    control_rate_hz=20.0,
)
LAYOUT = Layout(
    name="field",
    cameras={
        "image": CameraView(camera="front", flip="horizontal"),
        "image2": CameraView(camera="wrist", flip="rotate180", height=48, width=48),
    },
    state={
        "state": (
            StatePart(field="position", start=1),
            StatePart(field="quaternion", convert="axis_angle"),
            StatePart(field="width", scale=2.0, offset=-1.0),
        )
    },
    action=(
        ActionPart(field="gripper", scale=-2.0, offset=1.0, binary=True),
        ActionPart(field="delta", scale=0.5),
    ),
)
SIGNATURE = Signature(
    family="act",
    cameras={"image": CameraInput(), "image2": CameraInput()},
    state={"state": 6},
    action={"action": 3},
)


def observation(**changes):
    pictures = np.random.default_rng(0).integers(0, 255, (2, 32, 32, 3), np.uint8)
    return {
        "images": {"front": pictures[0], "wrist": pictures[1]},
        "state": {
            "position": np.array([1.0, 2.0, 3.0]),
            "quaternion": np.array([0.0, 0.0, np.sin(0.3), np.cos(0.3)]),
            "width": np.array([0.25]),
        },
    } | changes


@pytest.fixture
def adapter():
    return Adapter(SIGNATURE, ROBOT, LAYOUT)


def test_it_says_what_it_needs(adapter):
    assert adapter.cameras() == {"front": (32, 32), "wrist": (48, 48)}
    assert adapter.state_fields() == {"position": 3, "quaternion": 4, "width": 1}


def test_pictures_and_state_in_the_checkpoints_names(adapter):
    seen = observation()
    images, state = adapter.request_parts(seen)
    np.testing.assert_array_equal(images["image"], seen["images"]["front"][:, ::-1])
    assert images["image2"].shape == (48, 48, 3)
    np.testing.assert_allclose(state["state"], [2, 3, 0, 0, 0.6, -0.5], atol=1e-6)
    assert state["state"].dtype == np.float32


def test_the_arrays_belong_to_the_policy(adapter):
    """What came over a transport is read-only; a policy may write into what it gets."""
    seen = observation()
    for value in (*seen["images"].values(), *seen["state"].values()):
        value.setflags(write=False)
    images, state = adapter.request_parts(seen)
    for value in (*images.values(), *state.values()):
        value[...] = 0
        assert value.flags.c_contiguous


def test_actions_are_reordered_scaled_and_decided(adapter):
    chunk = np.array([[0.0, 1.0, -1.0], [0.9, 0.2, 0.4]])
    np.testing.assert_allclose(adapter.robot_actions(chunk), [[0.5, -0.5, 1.0], [0.1, 0.2, -1.0]])


def test_named_parts_are_taken_by_name():
    layout = LAYOUT.model_copy(
        update={
            "action": (ActionPart(field="delta", source="move"), ActionPart(field="gripper", source="close"))
        }
    )
    signature = SIGNATURE.model_copy(update={"action": {"close": 1, "move": 2}})
    actions = Adapter(signature, ROBOT, layout).robot_actions(np.array([[9.0, 1.0, 2.0]]))
    np.testing.assert_array_equal(actions, [[1.0, 2.0, 9.0]])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"images": {}}, "lacks the camera `front`"),
        ({"images": {"front": np.zeros((32, 32), np.uint8)}}, "`front` is uint8 (32, 32)"),
        ({"images": {"front": np.zeros((32, 32, 3))}}, "`front` is float64 (32, 32, 3)"),
        ({"images": {"front": np.zeros((0, 32, 3), np.uint8)}}, "`front` is uint8 (0, 32, 3)"),
        ({"state": {}}, "lacks the state field `position`"),
        ({"state": {"position": np.zeros(2)}}, "`position` has shape (2,); it is a vector of 3"),
    ],
)
def test_an_observation_that_is_not_the_robots_is_refused(adapter, changes, told):
    with pytest.raises(PolicyError) as error:
        adapter.request_parts(observation(**changes))
    assert told in str(error.value)


def test_padding_keeps_the_aspect_ratio():
    layout = LAYOUT.model_copy(
        update={"cameras": {"image": CameraView(camera="front", height=24, width=24, resize="pad")}}
    )
    signature = SIGNATURE.model_copy(update={"cameras": {"image": CameraInput()}})
    wide = np.full((16, 32, 3), 200, np.uint8)
    images, _ = Adapter(signature, ROBOT, layout).request_parts(observation(images={"front": wide}))
    assert (images["image"][6:18] == 200).all()
    assert (images["image"][:6] == 0).all()
    assert (images["image"][18:] == 0).all()
