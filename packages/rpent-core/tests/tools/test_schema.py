"""Tools from annotations and docstrings."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

import pytest
from pydantic import Field
from rpent.tools import ToolResult, bound_tools, tool
from rpent.tools.docstring import parse_docstring
from rpent.tools.tool import build_tool


class Side(Enum):
    LEFT = "left"
    RIGHT = "right"


class Tools:
    @tool
    def move_to(
        self,
        xyz: tuple[float, float, float],
        speed: Annotated[float, Field(gt=0, le=1)] = 0.5,
        yaw_rad: float | None = None,
        gripper: Literal["open", "close", "hold"] = "hold",
        side: Side = Side.LEFT,
    ) -> ToolResult:
        """Move the hand.

        In a straight line, in the world frame.

        Args:
            xyz: Target, metres.
            speed: Fraction of the
                largest speed.
            yaw_rad (optional): Rotation about the vertical.
            gripper: What the fingers do.
            side: Which hand.

        Returns:
            Where it ended.
        """
        return ToolResult(data={"xyz": xyz, "speed": speed, "yaw": yaw_rad, "side": side})


def made():
    return build_tool(Tools().move_to)


def test_name_and_description_come_from_the_method():
    built = made()
    assert built.name == "move_to"
    assert built.description == (
        "Move the hand.\n\nIn a straight line, in the world frame.\n\nReturns: Where it ended."
    )


def test_schema_says_types_limits_and_meanings():
    schema = made().schema
    assert schema["required"] == ["xyz"]
    assert schema["additionalProperties"] is False
    speed = schema["properties"]["speed"]
    assert (speed["exclusiveMinimum"], speed["maximum"], speed["default"]) == (0, 1, 0.5)
    assert speed["description"] == "Fraction of the largest speed."
    assert schema["properties"]["xyz"]["minItems"] == 3
    assert schema["properties"]["gripper"]["enum"] == ["open", "close", "hold"]


def test_an_optional_number_is_shown_as_a_number():
    yaw = made().schema["properties"]["yaw_rad"]
    assert yaw == {"type": "number", "description": "Rotation about the vertical."}


def test_titles_cost_no_tokens():
    assert "title" not in str(made().schema)


def test_a_parameter_called_title_survives():
    class Titled:
        @tool
        def write(self, title: str) -> ToolResult:
            """Write.

            Args:
                title: A heading.
            """
            return ToolResult(data={})

    assert "title" in build_tool(Titled().write).schema["properties"]


def test_conversion_gives_what_the_annotations_promise():
    arguments = made().convert({"xyz": [1, 2, 3], "side": "right"})
    assert arguments == {"xyz": (1.0, 2.0, 3.0), "side": Side.RIGHT}


def test_a_parameter_without_annotation_is_a_definition_error():
    class Wrong:
        @tool
        def go(self, where) -> ToolResult:
            """Go."""

    with pytest.raises(TypeError, match="`where` has no annotation"):
        build_tool(Wrong().go)


def test_a_tool_without_docstring_is_a_definition_error():
    class Silent:
        @tool
        def go(self) -> ToolResult:
            return ToolResult(data={})

    with pytest.raises(TypeError, match="no docstring"):
        build_tool(Silent().go)


def test_overriding_without_the_decorator_takes_a_tool_away(tool_context):
    class Less(Tools):
        move_to = None

    assert bound_tools(Less(), tool_context()) == []


def test_a_tool_without_its_service_is_not_offered(tool_context):
    class Needs:
        @tool(needs="vla")
        def pick(self) -> ToolResult:
            """Pick."""

        @tool(needs="perceptor")
        def segment(self) -> ToolResult:
            """Segment."""

    assert bound_tools(Needs(), tool_context()) == []
    offered = bound_tools(Needs(), tool_context(channels={"vla": object()}, perceptor=object()))
    assert [one.name for one in offered] == ["pick", "segment"]


def test_docstring_sections_end_where_text_starts_again():
    parsed = parse_docstring("Do it.\n\nArgs:\n    a: First.\n\nMore text.\n")
    assert parsed.description == "Do it.\n\nMore text."
    assert parsed.arguments == {"a": "First."}
