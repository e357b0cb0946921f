"""Masks survive the wire bit by bit, and what does not fit the picture is refused."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from rpent.errors import ToolError
from rpent_perception_sam3.masks import box_of, decode, encode


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (120, 200), (256, 256)])
def test_a_mask_comes_back_as_it_was(shape):
    mask = np.random.default_rng(1).random(shape) > 0.5
    assert (decode(encode(mask), shape) == mask).all()


def test_a_mask_is_small_and_has_one_bit_a_pixel():
    mask = np.zeros((256, 256), dtype=bool)
    mask[40:90, 100:180] = True
    data = encode(mask)
    assert Image.open(io.BytesIO(data)).mode == "1"
    assert len(data) < 1000


def test_another_size_than_the_picture_is_refused():
    data = encode(np.ones((10, 20), dtype=bool))
    with pytest.raises(ToolError, match="10×20"):
        decode(data, (20, 10))


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 40])
def test_what_is_no_picture_is_refused(data):
    with pytest.raises(ToolError, match="no PNG"):
        decode(data, (10, 10))


def test_a_truncated_mask_is_refused():
    data = encode(np.random.default_rng(2).random((64, 64)) > 0.5)
    with pytest.raises(ToolError):
        decode(data[: len(data) // 2], (64, 64))


def test_grey_pictures_are_no_masks():
    buffer = io.BytesIO()
    Image.fromarray(np.zeros((10, 10), dtype=np.uint8)).save(buffer, "PNG")
    with pytest.raises(ToolError, match="mode L"):
        decode(buffer.getvalue(), (10, 10))


def test_a_box_is_tight_and_inclusive():
    mask = np.zeros((10, 10), dtype=bool)
    assert box_of(mask) is None
    mask[2, 7] = mask[5, 3] = True
    assert box_of(mask) == (2, 3, 5, 7)
