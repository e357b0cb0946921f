"""The code of generated wrappers, by itself: pictures, vectors, chunks, units, discrete actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image
from rpent.policies import orientation
from rpent.policies.pictures import resized as resized_by_core
from rpent_robosmith.compatibility.report import ActionLink, Mapping, ObservationLink, Source, Statistics
from rpent_robosmith.worker.wrapper.adapter import Wrapper
from rpent_robosmith.worker.wrapper.error import WrapperError
from rpent_robosmith.worker.wrapper.orientation import CONVERSIONS
from rpent_robosmith.worker.wrapper.pictures import resized


def wrapper(policy: Any, *links: ObservationLink, action: ActionLink, **more: Any) -> Wrapper:
    mapping = Mapping(observation=links, action=action, **more).model_dump(mode="json")
    return Wrapper(policy, mapping)


def state(size: int = 3, **more: Any) -> ObservationLink:
    sources = more.pop("sources", (Source(key="s"),))
    return ObservationLink(
        policy="state", kind="vector", sources=sources, shape=(size,), dtype="float32", **more
    )


def vector_action(given: int = 2, **more: Any) -> ActionLink:
    taken = more.pop("taken", given)
    return ActionLink(
        kind="vector",
        sources=("action",),
        targets={"action": taken},
        policy_size=given,
        size=taken,
        shape=(taken,),
        **more,
    )


def picture(rows: int, columns: int, channels: int = 3) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(0).integers(0, 256, (rows, columns, channels), dtype=np.uint8)


@pytest.mark.parametrize("size", [(32, 24), (48, 64), (100, 130), (64, 30)])
def test_pictures_are_resized_as_by_pillow(size):
    given = picture(48, 64)
    expected = np.asarray(Image.fromarray(given).resize(size[::-1], Image.Resampling.BILINEAR))
    np.testing.assert_allclose(resized(given, *size).astype(int), expected.astype(int), atol=1)


def test_padding_keeps_the_aspect_ratio_as_core_does():
    link = ObservationLink(
        policy="p",
        kind="image",
        sources=(Source(key="c"),),
        shape=(40, 40, 3),
        dtype="uint8",
        resize="pad",
    )
    made = wrapper(None, link, action=vector_action()).inputs({"c": picture(48, 64)})["p"]
    expected = resized_by_core(picture(48, 64), 40, 40, pad=True)
    np.testing.assert_allclose(made.astype(int), expected.astype(int), atol=1)
    assert not made[:4].any()


def test_a_picture_gets_the_policys_layout_range_and_statistics():
    link = ObservationLink(
        policy="p",
        kind="image",
        sources=(Source(key="c"),),
        shape=(4, 5, 3),
        dtype="float32",
        channels_first=True,
        unit_range=True,
        flip="rotate180",
        normalize=Statistics(mode="mean_std", mean=(0.5, 0.5, 0.5), std=(0.1, 0.2, 0.4)),
    )
    given = picture(4, 5)
    made = wrapper(None, link, action=vector_action()).inputs({"c": given})["p"]
    assert (made.shape, made.dtype) == ((3, 4, 5), np.float32)
    assert made[2, 0, 0] == pytest.approx((given[3, 4, 2] / 255 - 0.5) / 0.4, abs=1e-5)


def test_a_picture_with_channels_first_and_an_alpha_channel():
    link = ObservationLink(
        policy="p",
        kind="image",
        sources=(Source(key="c"),),
        shape=(4, 5, 3),
        dtype="uint8",
        source_channels_first=True,
    )
    given = picture(4, 5, 4)
    made = wrapper(None, link, action=vector_action()).inputs({"c": given.transpose(2, 0, 1)})["p"]
    np.testing.assert_array_equal(made, given[..., :3])


def test_parts_are_joined_sorted_scaled_and_normalised():
    link = state(
        3,
        sources=(Source(key="a"), Source(key="b", start=1, stop=2, scale=2.0, offset=1.0)),
        order=(2, 0, 1),
        scale=(1.0, 10.0, 1.0),
        normalize=Statistics(mode="min_max", low=(0.0, 0.0, 0.0), high=(10.0, 100.0, 4.0)),
    )
    made = wrapper(None, link, action=vector_action()).inputs({"a": [1.0, 2.0], "b": [9.0, 3.0, 9.0]})
    np.testing.assert_allclose(made["state"], [2 * 7 / 10 - 1, 2 * 10 / 100 - 1, 2 * 2 / 4 - 1], rtol=1e-6)


@pytest.mark.parametrize("name", orientation.CONVERSIONS)
def test_orientations_are_cores(name):
    quaternion = np.array([0.1, -0.7, 0.3, 0.5])
    length, convert = orientation.CONVERSIONS[name]
    made = CONVERSIONS[name](quaternion)
    assert made.shape == (length,)
    np.testing.assert_allclose(made, convert(quaternion), atol=1e-12)


def test_a_chunk_is_carried_out_as_far_as_it_is_meant():
    asked = []

    def policy(inputs, instruction):
        asked.append(instruction)
        return np.arange(8.0).reshape(4, 2) + 100 * len(asked)

    made = wrapper(
        policy, state(), action=vector_action(chunk_length=4, execute_steps=3), default_instruction="go"
    )
    rows = [made.act({"s": np.zeros(3)}).tolist() for _ in range(4)]
    assert rows == [[100, 101], [102, 103], [104, 105], [200, 201]]
    assert asked == ["go", "go"]
    made.reset()
    assert made.act({"s": np.zeros(3)}, "stop").tolist() == [300, 301]
    assert asked[-1] == "stop"


@pytest.mark.parametrize("answer", [(2,), (1, 2), (1, 1, 2)])
def test_single_actions_come_in_several_shapes(answer):
    made = wrapper(lambda *_: np.ones(answer), state(), action=vector_action())
    assert made.act({"s": np.zeros(3)}).shape == (2,)


def test_actions_are_sorted_scaled_rounded_and_clipped():
    action = vector_action(
        3,
        order=(2, 0, 1),
        scale=(1.0, 10.0, 1.0),
        offset=(0.0, 0.5, 0.0),
        binary=(False, False, True),
        low=(-1.0, -5.0, -1.0),
        high=(1.0, 5.0, 1.0),
    )
    made = wrapper(lambda *_: np.array([0.1, -0.2, 7.0]), state(), action=action)
    np.testing.assert_allclose(made.act({"s": np.zeros(3)}), [1.0, 1.5, -1.0])
    assert made.clipped == 1


def test_normalised_answers_are_brought_back():
    action = vector_action(normalize=Statistics(mode="mean_std", mean=(1.0, 2.0), std=(2.0, 4.0)))
    made = wrapper(lambda *_: np.array([1.0, -1.0]), state(), action=action)
    np.testing.assert_allclose(made.act({"s": np.zeros(3)}), [3.0, -2.0], atol=1e-6)


@pytest.mark.parametrize(("answer", "expected"), [(1, 1), (np.array([2]), 2), (np.array([0.1, 0.9, 0.0]), 1)])
def test_discrete_actions_are_whole_numbers(answer, expected):
    action = ActionLink(
        kind="discrete", policy_kind="discrete", targets={"action": 1}, policy_size=1, size=1, n=3
    )
    made = wrapper(lambda *_: answer, state(), action=action).act({"s": np.zeros(3)})
    assert (made, type(made)) == (expected, int)


def test_an_action_that_is_not_there_is_refused():
    action = ActionLink(
        kind="discrete", policy_kind="discrete", targets={"action": 1}, policy_size=1, size=1, n=3
    )
    with pytest.raises(WrapperError, match="3 actions from 0"):
        wrapper(lambda *_: 3, state(), action=action).act({"s": np.zeros(3)})


def test_several_parts_of_an_action_are_a_dict():
    action = ActionLink(
        kind="vector", sources=("a", "b"), targets={"arm": 2, "hand": 1}, policy_size=3, size=3, shape=(3,)
    )
    made = wrapper(lambda *_: {"a": np.array([1.0]), "b": np.array([2.0, 3.0])}, state(), action=action)
    parts = made.act({"s": np.zeros(3)})
    assert {name: part.tolist() for name, part in parts.items()} == {"arm": [1.0, 2.0], "hand": [3.0]}


@pytest.mark.parametrize(
    ("link", "action", "what"),
    [
        (state(sources=()), vector_action(), "`state` has no source"),
        (state(), vector_action(2, taken=3), "nothing pads"),
        (state(), vector_action(2, taken=1), "nothing cuts"),
        (state(), vector_action(policy_kind="discrete"), "discrete actions"),
    ],
)
def test_an_incomplete_mapping_is_refused_at_once(link, action, what):
    with pytest.raises(WrapperError, match=what):
        wrapper(None, link, action=action)


@pytest.mark.parametrize(
    "answer", [np.zeros(5), np.zeros((0, 2)), np.array([np.nan, 0.0]), np.zeros((2, 2, 2))]
)
def test_a_bad_answer_is_no_action(answer):
    with pytest.raises(WrapperError):
        wrapper(lambda *_: answer, state(), action=vector_action()).act({"s": np.zeros(3)})


@pytest.mark.parametrize("observation", [{}, {"s": np.zeros(4)}, {"t": np.zeros(3)}])
def test_another_observation_is_a_sentence(observation):
    with pytest.raises(WrapperError, match=r"lacks|numbers"):
        wrapper(lambda *_: np.zeros(2), state(), action=vector_action()).act(observation)
