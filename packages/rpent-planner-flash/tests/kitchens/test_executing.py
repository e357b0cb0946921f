"""In a room: the control that a machine has, the equal that is meant, and what has to be looked for first."""

from __future__ import annotations

from typing import Any

import pytest
from rpent_planner_flash.config import FlashConfig
from rpent_planner_flash.planner import FlashPlanner


def run(session: Any, **options: Any) -> str:
    FlashPlanner(FlashConfig(**options)).run(session)
    assert session.finished is not None
    return str(session.finished["status"])


def microwave(fixture: Any, **parts: str) -> list[Any]:
    found = [fixture("microwave", (1.0, 0.0, 1.2), (0.3, 0.5, 0.3))]
    return found + [
        fixture(f"{p.replace('_', ' ')} of microwave", (0.8, 0.2, 1.2), works=w) for p, w in parts.items()
    ]


def test_the_control_that_is_named_is_pressed(room: Any, fixture: Any) -> None:
    session = room(
        "Press the stop button on the microwave.", microwave(fixture, start_button="", stop_button="press")
    )
    assert run(session) == "success"
    assert session.names() == ["press", "finish"]
    assert session.calls[-2][1]["segment_id"] == "2"


@pytest.mark.parametrize(
    ("control", "tool"), [("power_button", "press"), ("lever", "press"), ("knob", "turn_knob on")]
)
def test_a_machine_is_turned_on_by_the_control_that_it_has(
    room: Any, fixture: Any, control: str, tool: str
) -> None:
    session = room("Turn on the microwave.", microwave(fixture, **{control: tool}))
    assert run(session) == "success"
    assert session.names() == [tool.split(maxsplit=1)[0], "finish"]


def test_a_press_that_fails_is_tried_otherwise(room: Any, fixture: Any) -> None:
    things = microwave(fixture, start_button="press")
    things[1].fails = 2
    session = room("Press the start button on the microwave.", things)
    assert run(session) == "success"
    assert [arguments["attempt"] for name, arguments in session.calls if name == "press"] == [0, 1, 2]


def test_what_the_tool_did_is_not_success_where_the_episode_goes_on(room: Any, fixture: Any) -> None:
    session = room("Press the start button on the microwave.", microwave(fixture, start_button=""))
    assert run(session, max_attempts=2) == "failure"
    assert session.names() == ["press", "retract", "press", "retract", "finish"]


def test_what_was_put_down_is_not_success_where_the_episode_says_otherwise(room: Any, fixture: Any) -> None:
    things = [fixture("apple", (0.7, 0.0, 0.9)), fixture("bowl", (0.7, 0.3, 0.9), (0.2, 0.2, 0.1))]
    session = room("Put the apple in the bowl.", things)
    assert run(session) == "failure"
    assert "does not count it as solved" in session.finished["summary"]


def test_the_drawer_before_the_robot_on_the_side_that_is_named(room: Any, fixture: Any) -> None:
    places = [(0.7, y, z) for y in (0.9, 0.35, -0.35, -0.9) for z in (0.8, 0.3)]
    things = [fixture("drawer", place) for place in places]
    things[4].works = "open_drawer"  # the upper one of the nearer two on the right
    session = room("Open the right drawer.", things)
    assert run(session) == "success"
    assert session.names() == ["open_drawer", "finish"]


def test_both_leaves_of_double_doors(room: Any, fixture: Any) -> None:
    things = [
        fixture(f"{side} door of cabinet", (0.7, y, 1.5)) for side, y in (("left", 0.2), ("right", -0.2))
    ]
    things[1].works = "open_door"
    session = room("Open the cabinet doors.", [*things, fixture("cabinet", (0.8, 0.0, 1.5))])
    assert run(session) == "success"
    assert [a["segment_id"] for name, a in session.calls if name == "open_door"] == ["0", "1"]


def test_what_is_behind_the_robot_is_looked_for_and_driven_to(room: Any, fixture: Any) -> None:
    session = room("Navigate to the fridge.", [fixture("fridge", (-1.8, 0.3, 1.0), works="navigate_to")])
    assert run(session) == "success"
    assert set(session.names()) == {"turn_base", "navigate_to", "finish"}


def test_a_part_that_is_too_far_to_be_seen_is_driven_to(room: Any, fixture: Any) -> None:
    things = [fixture("stove", (1.9, 0.0, 0.9)), fixture("front left knob of stove", (2.05, 0.1, 0.9))]
    things[1].works = "turn_knob on"
    session = room("Turn on the front left burner of the stove.", things)
    assert run(session) == "success"
    assert session.names() == ["navigate_to", "turn_knob", "finish"]


def test_another_camera_sees_what_the_usual_ones_do_not(room: Any, fixture: Any) -> None:
    things = [fixture("top rack of dishwasher", (0.8, 0.0, 0.4), works="close_drawer", only="behind")]
    session = room("Fully slide the top dishwasher rack in.", things)
    assert run(session) == "success"
    assert session.names() == ["close_drawer", "finish"]


def test_pick_and_place_with_a_target_elsewhere_in_the_room(room: Any, fixture: Any) -> None:
    apple = fixture("apple", (0.7, 0.0, 0.9))
    sink = fixture("sink", (-0.7, 0.0, 0.9), (0.5, 0.4, 0.2), works="retract")
    session = room("Pick the apple from the counter and place it in the sink.", [apple, sink])
    assert run(session) == "success"
    assert session.names()[0] == "grasp"
    assert session.names()[-3:] == ["place", "retract", "finish"]
    assert apple.position == sink.position


def test_what_stands_on_the_same_counter_is_not_placed_before_it_was_let_go(room: Any, fixture: Any) -> None:
    mug = fixture("mug", (0.7, 0.0, 0.95), (0.06, 0.06, 0.1), fails=1)
    counter = fixture("counter", (0.8, 0.0, 0.89), (0.6, 2.0, 0.02), works="retract")
    session = room("Pick the mug from under the shelf and place it on the counter.", [mug, counter])
    assert run(session) == "success"
    assert session.names() == ["grasp", "grasp", "place", "retract", "finish"]


def test_nothing_like_it_in_the_room(room: Any, fixture: Any) -> None:
    session = room("Turn on the blender by pressing the power button.", microwave(fixture, start_button=""))
    assert run(session) == "failure"
    assert "nowhere to be seen" in session.finished["summary"]
    assert session.names()[-1] == "finish"
