"""Arguments: one readable sentence for whatever is wrong with them."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
import pytest
from pydantic import Field
from rpent.errors import ToolError
from rpent.session.validation import checked_arguments, parse_arguments
from rpent.tools import ToolResult, tool
from rpent.tools.tool import build_tool


class Tools:
    @tool
    def move(
        self,
        xyz: tuple[float, float, float],
        *,
        speed: Annotated[float, Field(gt=0, le=1)] = 0.5,
        mode: Literal["fast", "slow"] = "slow",
        point: tuple[int, int] | None = None,
        names: list[str] | str | None = None,
        count: int = 1,
        force: bool = False,
    ) -> ToolResult:
        """Move.

        Args:
            xyz: Target.
            speed: Speed.
            mode: Mode.
            point: Point.
            names: Names.
            count: Count.
            force: Force.
        """


MOVE = build_tool(Tools().move)
OK = {"xyz": [0, 0, 0]}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "`xyz` is missing."),
        ({"xyz": "far"}, '`xyz` is "far"; it must be a list.'),
        ({"xyz": [0, 0]}, "it must be a list of at least 3 values."),
        ({"xyz": [0, 0, 0, 0]}, "it must be a list of at most 3 values."),
        ({"xyz": [0, "up", 0]}, '`xyz[1]` is "up"; it must be a number.'),
        ({"xyz": [0, None, 0]}, "`xyz[1]` is null; it must be a number."),
        ({**OK, "speed": 0}, "`speed` is 0; it must be above 0."),
        ({**OK, "speed": 2}, "`speed` is 2; it must be at most 1."),
        ({**OK, "speed": True}, "`speed` is true; it must be a number."),
        ({**OK, "mode": "quick"}, '`mode` is "quick"; it must be one of "fast", "slow".'),
        ({**OK, "sped": 1}, "there is no argument `sped`; did you mean `speed`?"),
        ({**OK, "count": 1.5}, "`count` is 1.5; it must be a whole number."),
        ({**OK, "force": "yes"}, '`force` is "yes"; it must be true or false.'),
        ({**OK, "names": 3}, "`names` is 3; it must be a list or a text."),
        ({"xyz": [0, math.nan, 0]}, "`xyz[1]` must be a finite number"),
        ({**OK, "speed": math.inf}, "`speed` must be a finite number"),
        ({"xyz": np.array([0, np.nan, 0])}, "finite number"),
        ({"xyz": None}, "`xyz` is null; it must be a list."),
    ],
)
def test_what_is_wrong_is_said(arguments, says):
    with pytest.raises(ToolError) as caught:
        checked_arguments(MOVE, arguments)
    assert says in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({}, "xyz"),
        ({"xyz": [0, "up", 0]}, "xyz[1]"),
        ({"xyz": [0, math.nan, 0]}, "xyz[1]"),
        ({**OK, "sped": 1}, "sped"),
        ({**OK, "a.b": 1}, "a.b"),
    ],
)
def test_a_form_learns_which_argument_is_wrong(arguments, argument):
    with pytest.raises(ToolError) as caught:
        checked_arguments(MOVE, arguments)
    assert caught.value.argument == argument
    assert f"`{argument}`" in caught.value.message


def test_good_arguments_are_converted():
    assert checked_arguments(MOVE, {"xyz": [1, 2, 3], "point": [4, 5], "count": 2.0}) == {
        "xyz": (1.0, 2.0, 3.0),
        "point": (4, 5),
        "count": 2,
    }
    assert checked_arguments(MOVE, {"xyz": np.array([1.0, 2, 3])})["xyz"] == (1.0, 2.0, 3.0)


def test_an_explicit_null_counts_as_left_out():
    assert checked_arguments(MOVE, {**OK, "point": None, "speed": None}) == {"xyz": (0.0, 0.0, 0.0)}


def test_text_is_parsed_and_nan_in_it_is_refused():
    assert parse_arguments('{"a": 1}') == {"a": 1}
    assert parse_arguments("") == {}
    for text in ("{", "[1]", "3"):
        with pytest.raises(ToolError):
            parse_arguments(text)
    with pytest.raises(ToolError, match="finite"):
        checked_arguments(MOVE, parse_arguments('{"xyz": [0, NaN, 0]}'))


def test_huge_integers_and_deep_nesting_are_sentences():
    with pytest.raises(ToolError):
        checked_arguments(MOVE, {**OK, "speed": 10**400})
    with pytest.raises(ToolError):
        parse_arguments("[" * 100_000)


@pytest.mark.parametrize("arguments", [{"text": ["x" * 1_000_001]}, '{"text": "' + "x" * 1_000_001 + '"}'])
def test_endless_arguments_are_refused(arguments):
    with pytest.raises(ToolError, match="at most 1000000 are accepted"):
        parse_arguments(arguments)
