"""What a call may ask, judged before a model sees it. No torch."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.errors import ToolError
from rpent_perception_sam3.server.question import question

PICTURE = np.zeros((4, 6, 3), dtype=np.uint8)


def ask(image=PICTURE, prompt=None, point=None, min_score=0.2, max_candidates=8):
    return question(image, prompt, point, min_score, max_candidates)


def test_a_prompt_is_one_line():
    assert ask(prompt=" black\n bowl ").prompt == "black bowl"


def test_a_point_is_row_and_column():
    assert ask(point=[3, 5]).point == (3, 5)
    with pytest.raises(ToolError, match="4×6"):
        ask(point=[5, 3])


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"prompt": "bowl", "point": [1, 1]},
        {"prompt": ""},
        {"prompt": 3},
        {"point": [1]},
        {"point": [1.0, 2.0]},
        {"point": [-1, 0]},
        {"point": "11"},
        {"prompt": "bowl", "min_score": float("nan")},
        {"prompt": "bowl", "min_score": -0.1},
        {"prompt": "bowl", "max_candidates": 0},
        {"prompt": "bowl", "max_candidates": True},
        {"prompt": "bowl", "image": None},
        {"prompt": "bowl", "image": np.zeros((4, 6, 3))},
        {"prompt": "bowl", "image": np.zeros((4, 6), dtype=np.uint8)},
        {"prompt": "bowl", "image": np.zeros((3, 4, 6), dtype=np.uint8)},
        {"prompt": "bowl", "image": np.zeros((0, 6, 3), dtype=np.uint8)},
        {"prompt": "bowl", "image": np.zeros((1, 5000, 3), dtype=np.uint8)},
    ],
)
def test_other_values_are_refused(values):
    with pytest.raises(ToolError):
        ask(**values)


def test_equal_pictures_have_one_key_and_others_another():
    other = PICTURE.copy()
    other[0, 0, 0] = 1
    assert ask(prompt="a").key == ask(prompt="b", image=PICTURE.copy()).key
    assert ask(prompt="a").key != ask(prompt="a", image=other).key
    assert ask(prompt="a").key != ask(prompt="a", image=PICTURE.reshape(6, 4, 3)).key


def test_the_models_get_a_picture_that_may_be_written_to():
    readonly = PICTURE.copy()
    readonly.setflags(write=False)
    assert ask(prompt="a", image=readonly).image.flags.writeable
