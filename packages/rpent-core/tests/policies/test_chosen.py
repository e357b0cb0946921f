"""What a checkpoint's reader stumbles over becomes one sentence."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from rpent.errors import PolicyError
from rpent.policies.api import CameraInput, PolicyConfig, Signature
from rpent.policies.chosen import ChosenPolicy, read_signature
from rpent.specs import PolicySpec

CONFIG = PolicyConfig(checkpoint="/somewhere")


def of_a_damaged_file(config):
    return Signature(family="act", state={"pose\n": -1}, chunk_length=config.checkpoint)


def of_another_kind(config):
    raise TypeError("first line\nsecond line")


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (of_a_damaged_file, r"\(`state.pose\n?.*`: Input should be greater than or equal to 0\)"),
        (of_another_kind, r"\(TypeError: first line\)"),
    ],
)
def test_a_reader_that_fails_is_told_in_one_sentence(reader, said):
    spec = PolicySpec(
        name="broken",
        summary="",
        policy="x:load",
        config="x:Config",
        signature=f"{__name__}:{reader.__name__}",
    )
    with pytest.raises(PolicyError, match=rf"`/somewhere` cannot be read by the policy `broken` {said}\.$"):
        read_signature(spec, CONFIG)


@pytest.mark.parametrize(
    "values",
    [
        {"chunk_length": 0},
        {"chunk_length": 10**30},
        {"execute_steps": -1},
        {"observation_steps": 0},
        {"state": {"pose": -1}},
        {"action": {"move": 10**30}},
        {"control_rate_hz": float("nan")},
        {"control_rate_hz": 0.0},
    ],
)
def test_a_signature_with_impossible_numbers_is_refused(values):
    with pytest.raises(ValidationError):
        Signature(family="act", **values)


@pytest.mark.parametrize("pixels", [0, -1, 10**9])
def test_a_picture_of_impossible_size_is_refused(pixels):
    with pytest.raises(ValidationError):
        CameraInput(height=pixels, width=1)


def of_eight_actions(config):
    return Signature(family="act", chunk_length=8)


def test_more_steps_than_an_answer_has_are_refused_before_anything_is_started():
    spec = PolicySpec(
        name="short", summary="", policy="x:load", config="x:Config", signature=f"{__name__}:of_eight_actions"
    )

    def check(steps):
        config = PolicyConfig(checkpoint="/somewhere", execute_steps=steps)
        ChosenPolicy(spec=spec, config=config, values={}).check()

    check(8)
    check(None)
    with pytest.raises(PolicyError, match="`execute_steps` is 9, but the policy answers with 8 actions"):
        check(9)
