"""What a policy was told to take."""

from __future__ import annotations

import pytest
from rpent_manipulation.primitives.seized import thing_named


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("pick up the alphabet soup and place it in the basket", "alphabet soup"),
        ("Pick the akita black bowl between the plate and the ramekin", "akita black bowl"),
        ("grasp a bottle of milk.", "bottle of milk"),
        ("put the bowl on the stove", "bowl"),
        ("turn on the stove", ""),
        ("", ""),
    ],
)
def test_the_thing_is_named_by_the_instruction(prompt, name):
    assert thing_named(prompt) == name
