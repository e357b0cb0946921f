"""What a policy server takes as a question, and from a policy as an answer."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent.policies.signature import Signature
from rpent.policies.validation import check_pictures, check_seed, check_text, check_vectors, checked_chunk

SIZES = {"front": (4, 6), "wrist": (None, None)}
PICTURES = {"front": np.zeros((4, 6, 3), np.uint8), "wrist": np.zeros((2, 2, 3), np.uint8)}
LENGTHS = {"pose": 3, "gripper": 1}
STATE = {"pose": [0.0, 1, 2], "gripper": np.float32([0.5])}
SIGNATURE = Signature(family="x", action={"move": 3, "gripper": 1}, chunk_length=5)
CHUNK = np.zeros((5, 4), np.float32)


def changed(array, value):
    array = array.copy()
    array[-1, -1] = value
    return array


def test_the_good_ones_pass():
    check_pictures(PICTURES, SIZES)
    vectors = check_vectors(STATE, LENGTHS)
    assert {name: vector.tolist() for name, vector in vectors.items()} == {
        "pose": [0, 1, 2],
        "gripper": [0.5],
    }
    assert checked_chunk(CHUNK, SIGNATURE, backend="x").dtype == np.float64
    check_text("", "run-1")
    check_seed(-3)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"front": None}, "lacks `front`"),
        ({"top": np.zeros((4, 6, 3), np.uint8)}, "has `top`, which the policy does not take"),
        ({"front": np.zeros((4, 6, 3), np.float32)}, "`front` is float32"),
        ({"front": np.zeros((6, 4, 3), np.uint8)}, "(6, 4, 3); it should be uint8 of shape (4, 6, 3)"),
        ({"front": np.zeros((3, 4, 6), np.uint8)}, "`front`"),
        ({"front": np.zeros((4, 6), np.uint8)}, "`front`"),
        ({"wrist": np.zeros((4, 6, 4), np.uint8)}, "(4, 6, 4); it should be uint8 of shape (H, W, 3)"),
        ({"wrist": np.zeros((0, 6, 3), np.uint8)}, "`wrist`"),
        ({"front": [[1, 2, 3]]}, "is a `list`, not an array"),
    ],
)
def test_wrong_pictures_are_named(change, names):
    images = {name: value for name, value in {**PICTURES, **change}.items() if value is not None}
    with pytest.raises(PolicyError) as caught:
        check_pictures(images, SIZES)
    assert names in caught.value.message


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"pose": None}, "lacks `pose`"),
        ({"speed": [1.0]}, "has `speed`, which the policy does not take"),
        ({"pose": [0.0, 1.0]}, "`pose` has shape (2,); it should have (3,)"),
        ({"pose": [[0.0, 1.0, 2.0]]}, "`pose` has shape (1, 3)"),
        ({"pose": [0.0, np.nan, 2.0]}, "`pose` has NaN or infinity"),
        ({"gripper": [np.inf]}, "`gripper` has NaN or infinity"),
        ({"gripper": 0.5}, "`gripper` has shape ()"),
        ({"pose": ["a", "b", "c"]}, "`pose` is not a vector of numbers"),
        ({"pose": [[0.0], [1.0, 2.0]]}, "`pose` is not a vector of numbers"),
        ({"pose": ["1", "2", "3"]}, "`pose` is not a vector of numbers"),
        ({"pose": {"x": 1}}, "`pose` is not a vector of numbers"),
    ],
)
def test_wrong_states_are_named(change, names):
    state = {name: value for name, value in {**STATE, **change}.items() if value is not None}
    with pytest.raises(PolicyError) as caught:
        check_vectors(state, LENGTHS)
    assert names in caught.value.message


@pytest.mark.parametrize("images", [None, [], "front", 3])
def test_what_is_no_mapping_is_refused(images):
    with pytest.raises(PolicyError, match="not a mapping"):
        check_pictures(images, SIZES)


@pytest.mark.parametrize(
    ("chunk", "says"),
    [
        (CHUNK[:4], r"shape \(4, 4\); its checkpoint says \(5, 4\)"),
        (CHUNK[:, :3], r"shape \(5, 3\)"),
        (CHUNK[None], r"shape \(1, 5, 4\)"),
        (CHUNK[:0], r"shape \(0, 4\)"),
        (CHUNK[0], r"shape \(4,\)"),
        (changed(CHUNK, np.nan), "NaN or infinity in 1 of 20 numbers"),
        (changed(CHUNK, -np.inf), "NaN or infinity in 1 of 20 numbers"),
        ("left", "no array of numbers"),
        (None, "no array of numbers"),
        ([[1.0], [1.0, 2.0]], "no array of numbers"),
        (CHUNK.astype(complex), "no array of numbers"),
    ],
)
def test_wrong_answers_are_named(chunk, says):
    with pytest.raises(PolicyError, match=says):
        checked_chunk(chunk, SIGNATURE, backend="x")


def test_a_length_that_nobody_knows_is_any():
    signature = SIGNATURE.model_copy(update={"chunk_length": None})
    assert checked_chunk(CHUNK[:2], signature, backend="x").shape == (2, 4)


def test_an_answer_is_a_copy():
    chunk = np.zeros((5, 4))
    assert not np.shares_memory(checked_chunk(chunk, SIGNATURE, backend="x"), chunk)


@pytest.mark.parametrize(
    ("instruction", "episode"),
    [(None, "a"), (["go"], "a"), ("x" * 2001, "a"), ("go", ""), ("go", 3), ("go", "x" * 201)],
)
def test_wrong_texts_are_refused(instruction, episode):
    with pytest.raises(PolicyError):
        check_text(instruction, episode)


@pytest.mark.parametrize("seed", [None, "1", 1.5, True])
def test_wrong_seeds_are_refused(seed):
    with pytest.raises(PolicyError):
        check_seed(seed)
