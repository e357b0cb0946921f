"""What is taken for a number, a vector, a list of names: anything else is refused in a sentence, whatever it is."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from rpent_manipulation.env import guardrails
from rpent_manipulation.env.guardrails import GuardrailError
from rpent_manipulation.env.methods import EpisodeMethods
from rpent_manipulation.env.targets import Limits, parse_until

DIGITS = 10**400
JUNK = [None, float("nan"), float("inf"), DIGITS, "x", b"x", [], [[1]], {"a": 1}, np.zeros((2, 2)), True]


@pytest.mark.parametrize("value", JUNK, ids=repr)
def test_junk_is_no_number_no_vector_and_no_action(value):
    for check in (
        lambda: guardrails.number(value, 0.0, 2.0, "`it`"),
        lambda: guardrails.count(value, 0, 2, "`it`"),
        lambda: guardrails.vector(value, 3, "`it`"),
        lambda: (
            guardrails.vector([value, 0, 0], 3, "`it`")
            if value is not True
            else guardrails.vector(1, 3, "`it`")
        ),
        lambda: guardrails.actions(value, 3),
        lambda: guardrails.actions([[0, 0, value]], 2),
    ):
        with pytest.raises(GuardrailError):
            check()


def test_a_number_too_large_for_a_float_is_told_as_that():
    with pytest.raises(GuardrailError, match="between 0 and 2, not a number of hundreds of digits"):
        guardrails.number(DIGITS, 0.0, 2.0, "`it`")


@pytest.mark.parametrize(
    "value", [None, "wrist", {"wrist": 1}, [None], ["wrist", 5], [["wrist"]], 7], ids=repr
)
def test_a_list_of_names_holds_strings(value):
    with pytest.raises(GuardrailError, match="must be a list of names"):
        guardrails.names(value, 4, "`cameras`")


def test_a_list_of_names_has_an_end():
    assert guardrails.names(("a", "b"), 2, "`cameras`") == ["a", "b"]
    with pytest.raises(GuardrailError, match="at most 2 names, not 3"):
        guardrails.names(["a", "b", "c"], 2, "`cameras`")


@pytest.mark.parametrize("value", [None, 0, 1, "true", [], np.zeros(2)], ids=repr)
def test_true_and_false_are_themselves(value):
    with pytest.raises(GuardrailError, match="must be true or false"):
        guardrails.truth(value, "`depth`")
    assert guardrails.truth(True, "`depth`") is True


@pytest.mark.parametrize("camera", [None, 5, b"wrist", ["wrist"], {}], ids=repr)
def test_a_camera_is_named_by_a_string(camera):
    class Methods(EpisodeMethods):
        camera_names: ClassVar[dict[str, str]] = {"wrist": "robot0_eye_in_hand"}

    assert Methods().simulated("wrist") == "robot0_eye_in_hand"
    with pytest.raises(GuardrailError, match="named by a string"):
        Methods().simulated(camera)


@pytest.mark.parametrize(
    ("until", "what"),
    [
        ({"max_steps": 0}, "`until.max_steps`"),
        ({"stall_steps": 2.5}, "`until.stall_steps`"),
        ({"position_tolerance_m": float("nan")}, "`until.position_tolerance_m`"),
        ({"contact_force_n": "much"}, "`until.contact_force_n`"),
        ({"gripper_settled": 1}, "`until.gripper_settled`"),
        ({"forever": True}, "`forever`"),
        ({3: True}, "`3`"),
        ([], "`until`"),
    ],
)
def test_stop_conditions_are_what_they_can_be(until, what):
    with pytest.raises(GuardrailError, match=what):
        parse_until(until)


def test_what_no_stop_condition_says_is_the_default():
    assert parse_until(None) == parse_until({"max_steps": None}) == Limits()
    assert parse_until({"gripper_settled": True, "base_tolerance_m": 0.1}) == Limits(
        gripper_settled=True, base_tolerance_m=0.1
    )
