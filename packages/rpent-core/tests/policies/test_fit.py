"""A checkpoint beside a robot."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from rpent.errors import PolicyError, UsageError
from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart
from rpent.policies.fit import fit, refusal
from rpent.policies.signature import CameraInput, Signature

ACTION = (ActionPart(field="delta"), ActionPart(field="gripper"))


def robot(**changes):
    values = {
        "robot": "arm",
        "cameras": {"front": "from the front", "wrist": "on the hand"},
        "state": {"position": 3, "quaternion": 4, "joints": 7},
        "action": {"delta": ActionField(length=3), "gripper": ActionField(length=1)},
        "control_rate_hz": 20.0,
        "layouts": (
            Layout(
                name="field",
                cameras={"image": CameraView(camera="front"), "image2": CameraView(camera="wrist")},
                state={
                    "state": (
                        StatePart(field="position"),
                        StatePart(field="quaternion", convert="axis_angle"),
                        StatePart(field="joints", start=5, length=1),
                    )
                },
                action=ACTION,
            ),
            Layout(
                name="parts",
                cameras={"front_view": CameraView(camera="front")},
                action=(
                    ActionPart(field="gripper", source="close"),
                    ActionPart(field="delta", source="move"),
                ),
                control_rate_hz=20.0,
            ),
        ),
    }
    return Embodiment(**(values | changes))


def signature(**changes):
    values = {
        "family": "act",
        "cameras": {"image": CameraInput(height=64, width=64)},
        "state": {"state": 7},
        "action": {"action": 4},
    }
    return Signature(**(values | changes))


@pytest.mark.parametrize(
    ("changes", "layout"),
    [
        ({}, "field"),
        ({"cameras": {}}, "field"),
        ({"cameras": {"front_view": CameraInput()}, "state": {}, "action": {"move": 3, "close": 1}}, "parts"),
        (
            {
                "cameras": {"wrist": CameraInput()},
                "state": {"joints": 7},
                "action": {"delta": 3, "gripper": 1},
            },
            "native",
        ),
        ({"robot": "arm", "control_rate_hz": 20.0}, "field"),
    ],
)
def test_the_layout_that_fits_is_found(changes, layout):
    found = fit(signature(**changes), robot())
    assert found.ok
    assert found.layout.name == layout


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"cameras": {"top": CameraInput()}},
            "camera `top`: the checkpoint wants it, the robot has `image`, `image2`",
        ),
        (
            {"state": {"state": 8}},
            "state `state`: the checkpoint wants 8 numbers, the robot gives 7 (position +",
        ),
        ({"state": {"other": 7}}, "state `other`: the checkpoint wants it, the robot has `state`"),
        (
            {"action": {"action": 7}},
            "action: the checkpoint gives 7 numbers, the robot takes 4 (delta + gripper)",
        ),
        ({"robot": "leg"}, "robot: the checkpoint is for `leg`, the robot is `arm`"),
        ({"control_rate_hz": 50.0}, "control rate: the checkpoint acts at 50 Hz, the robot at 20 Hz"),
    ],
)
def test_what_differs_is_said(changes, told):
    found = fit(signature(**changes), robot())
    assert not found.ok
    error = refusal(found)
    assert isinstance(error, PolicyError)
    assert "does not fit the robot `arm`; the nearest of its layouts is `field`" in str(error)
    assert told in error.hint


def test_a_layout_of_named_parts_wants_each_of_its_length():
    parts = {"cameras": {}, "state": {}}
    assert not fit(signature(action={"move": 1, "close": 3}, **parts), robot(), "parts").ok
    assert not fit(signature(action={"action": 4}, **parts), robot(), "parts").ok


def test_the_layout_that_a_checkpoint_was_trained_with_goes_first():
    bare = signature(cameras={}, state={}, action={"move": 3, "close": 1})
    assert fit(bare, robot()).layout.name == "field"
    assert fit(bare.model_copy(update={"layout": "parts"}), robot()).layout.name == "parts"


def test_an_unknown_layout_is_a_usage_error():
    with pytest.raises(UsageError, match=r"no layout `feild`; did you mean `field`\?"):
        fit(signature(), robot(), "feild")


@pytest.mark.parametrize(
    "layout",
    [
        Layout(name="x", cameras={"image": CameraView(camera="top")}, action=ACTION),
        Layout(name="x", state={"state": (StatePart(field="mood"),)}, action=ACTION),
        Layout(name="x", action=ACTION[:1]),
        Layout(name="x", action=(*ACTION, ActionPart(field="gripper"))),
    ],
)
def test_a_layout_that_is_not_of_the_robot_is_refused(layout):
    with pytest.raises(ValidationError, match="layout `x`"):
        robot(layouts=(layout,))
