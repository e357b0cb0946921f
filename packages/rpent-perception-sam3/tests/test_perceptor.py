"""The agent's side: what it sends, and what it makes of a server that answers nothing or nonsense."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from rpent.errors import ToolError
from rpent.perception import PerceptorContext
from rpent_perception_sam3.masks import encode
from rpent_perception_sam3.perceptor import Sam3Perceptor

WHOLE = encode(np.ones((120, 200), dtype=bool))


def _png_that_says(side):
    """Return a PNG that says that it has so many rows and columns."""
    head = b"IHDR" + struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)) + WHOLE[33:]
    )


class Answering:
    """A channel that gives one answer and keeps what it was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = None

    def call(self, method, /, **params):
        assert method == "segment"
        self.asked = params
        return self.answer


def perceptor(answer):
    channel = Answering(answer)
    return Sam3Perceptor(PerceptorContext(channels={"perception": channel})), channel


def nothing():
    return {"masks": [], "scores": [], "boxes": []}


def test_a_point_is_sent_as_row_and_column(seen):
    asker, channel = perceptor(nothing())
    assert list(asker.segment(seen, "front", point=(np.int64(100), np.int64(7)))) == []
    assert channel.asked["point"] == [100, 7]
    assert all(type(value) is int for value in channel.asked["point"])
    assert channel.asked["prompt"] is None
    assert channel.asked["image"] is not None


def test_a_blank_prompt_finds_nothing_and_asks_nobody(seen):
    asker, channel = perceptor(nothing())
    assert list(asker.segment(seen, "front", prompt="  ")) == []
    assert channel.asked is None


def test_what_is_found_is_named_by_the_prompt(seen):
    mask = np.zeros((120, 200), dtype=bool)
    mask[3:9, 20:41] = True
    asker, _ = perceptor({"masks": [encode(mask)], "scores": [0.71234], "boxes": [[0, 0, 1, 1]]})
    (segment,) = asker.segment(seen, "front", prompt=" black bowl ")
    assert segment.label == "black bowl"
    assert segment.box == (3, 20, 8, 40)
    assert segment.score == 0.712
    assert (segment.mask == mask).all()


def test_an_empty_mask_is_nothing(seen):
    asker, _ = perceptor(
        {"masks": [encode(np.zeros((120, 200), dtype=bool))], "scores": [0.9], "boxes": [[]]}
    )
    assert list(asker.segment(seen, "front", prompt="bowl")) == []


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        {"masks": [b"x"], "scores": []},
        {"masks": [b"x"], "scores": [1.0]},
        {"masks": [encode(np.ones((2, 2), dtype=bool))], "scores": [1.0]},
        {"masks": ["x"], "scores": [1.0]},
        {"masks": [None], "scores": [1.0]},
        {"masks": [WHOLE], "scores": [float("nan")]},
        {"masks": [WHOLE], "scores": ["high"]},
        {"masks": [WHOLE], "scores": [1e300]},
        {"masks": [_png_that_says(2**31 - 1)], "scores": [1.0]},
        {"masks": [_png_that_says(14_000)], "scores": [1.0]},
    ],
)
def test_nonsense_is_a_readable_error(seen, answer):
    asker, _ = perceptor(answer)
    with pytest.raises(ToolError, match="perception server"):
        asker.segment(seen, "front", prompt="bowl")


def test_more_than_was_asked_for_is_not_read(seen):
    asker, _ = perceptor({"masks": [WHOLE, WHOLE, b"x"], "scores": [0.9, 0.8, 0.7]})
    assert len(asker.segment(seen, "front", prompt="bowl", max_candidates=2)) == 2


def test_a_camera_without_a_picture_is_named(seen):
    asker, _ = perceptor(nothing())
    with pytest.raises(ToolError, match="`wrist`"):
        asker.segment(seen, "wrist", prompt="bowl")
