"""A person beside the planner: messages, interrupts, calls of tools."""

from __future__ import annotations

import threading
import time

import pytest
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent_dashboard.hosting.control import MAX_CALLS
from rpent_dashboard.hosting.errors import ConflictError, FieldError, NotFoundError
from rpent_dashboard.hosting.steering import Steerer

from .conftest import manual, scripted

FAR = ("move_to", {"xyz": [0.3, 0.3, 0.3]})
STUCK = ("finish", {"status": "stuck"})
PRIMITIVES = ("move_to",)


def events(stage):
    (run,) = (path.parent for path in stage.folder.glob("*/run.json"))
    return list(read_events(run / "events.jsonl"))


def test_nobody_hears_a_message_before_a_task_runs(stage):
    s = stage(scripted())
    assert s.state["activity"] == "none"
    for act in (lambda: s.control.message("Hello"), s.control.interrupt, lambda: s.control.call("look", {})):
        with pytest.raises(ConflictError):
            act()
    assert s.control.tools() == []


def test_an_interrupt_stops_a_motion_and_the_planner_waits(stage):
    s = stage(scripted(FAR, STUCK, step_time_s=0.3), primitives=PRIMITIVES)
    s.control.queue({})
    s.wait_for("busy")
    s.wait(lambda _: any(isinstance(event, ev.ToolCalled) for event in events(s)))
    began = time.monotonic()
    s.control.interrupt()
    state = s.wait_for("awaiting")
    assert time.monotonic() - began < 2
    assert (state["holds"], state["can_call"]) == (False, True)
    s.control.message("Give up.")
    s.wait_idle()
    returned = [event for event in events(s) if isinstance(event, ev.ToolReturned)]
    assert returned[0].cancelled
    assert s.tasks("status", "detail") == [("ended", "")]


def test_a_planner_holds_the_robot(stage):
    s = stage(scripted(FAR, STUCK, step_time_s=0.3), primitives=PRIMITIVES)
    s.control.queue({})
    state = s.wait_for("busy")
    assert (state["holds"], state["can_call"]) == (True, False)
    with pytest.raises(ConflictError, match="holds the robot"):
        s.control.call("move_to", {"xyz": [0, 0, 0.2]})
    assert not any(isinstance(event, ev.ToolReturned) and event.origin == "user" for event in events(s))


def test_only_tools_of_the_allow_list(stage):
    s = stage(scripted(FAR, STUCK, step_time_s=0.3), primitives=PRIMITIVES)
    s.control.queue({})
    s.wait_for("busy")
    s.control.interrupt()
    s.wait_for("awaiting")
    assert [(tool["name"], tool["primitive"]) for tool in s.control.tools()] == [
        ("move_to", True),
        ("finish", False),
    ]
    with pytest.raises(NotFoundError, match="not among the tools"):
        s.control.call("set_gripper", {"gripper": "open"})
    done = s.control.call("move_to", {"xyz": [0.0, 0.0, 0.25]})
    assert done["ok"]
    assert done["data"]["observation"]["eef_position"] == pytest.approx([0.0, 0.0, 0.25], abs=0.01)


def test_whoever_plans_by_hand_has_every_tool(stage):
    s = stage(manual(), primitives=PRIMITIVES)
    s.control.queue({})
    s.wait_for("awaiting")
    tools = {tool["name"]: tool["primitive"] for tool in s.control.tools()}
    assert tools["move_to"]
    assert not tools["set_gripper"]
    assert s.control.call("set_gripper", {"gripper": "close"})["ok"]
    s.control.message("I shall grasp it later.")
    s.wait(lambda _: any(isinstance(event, ev.MessagesDelivered) for event in events(s)))
    assert s.wait_for("awaiting")["pending_messages"] == 0
    assert s.control.call("finish", {"status": "stuck", "summary": "Enough."})["ok"]
    s.wait_idle()
    assert s.tasks("status", "outcome", "detail") == [("ended", "failure", "Enough.")]
    assert {event.origin for event in events(s) if isinstance(event, ev.ToolReturned)} == {"user"}


def test_bad_arguments_are_refused_and_nothing_is_executed(stage):
    s = stage(manual())
    s.control.queue({})
    s.wait_for("awaiting")
    for arguments, field in (
        ({"xyz": [0, 0]}, "xyz"),
        ({}, "xyz"),
        ({"xyz": [0, 0, "up"]}, "xyz[2]"),
        ({"xyz": [0, 0, 0.2], "speed": 1}, "speed"),
    ):
        with pytest.raises(FieldError) as caught:
            s.control.call("move_to", arguments)
        assert caught.value.field == field
    assert not any(isinstance(event, ev.ToolCalled) for event in events(s))


def test_a_long_call_of_the_person_is_interrupted(stage):
    s = stage(manual(step_time_s=0.3))
    s.control.queue({})
    s.wait_for("awaiting")
    answers = []
    call = threading.Thread(target=lambda: answers.append(s.control.call(*FAR)))
    call.start()
    state = s.wait_for("busy")
    assert (state["holds"], state["can_call"]) == (False, True)
    s.control.interrupt()
    call.join(10)
    s.wait_for("awaiting")
    assert answers
    (returned,) = (event for event in events(s) if isinstance(event, ev.ToolReturned))
    assert returned.cancelled


def test_a_message_before_the_session_begins_is_kept_for_it(stage):
    s = stage(manual())
    s.control.queue({})
    s.wait(lambda state: state["current"])
    s.control.message("First of all: gently.")
    s.wait(lambda _: any(isinstance(event, ev.MessagesDelivered) for event in events(s)))
    (message,) = (event for event in events(s) if isinstance(event, ev.UserMessage))
    assert message.text == "First of all: gently."


def test_a_command_that_is_typed_as_a_message(stage):
    s = stage(manual())
    s.control.queue({})
    s.wait_for("awaiting")
    s.control.message("/rpent-task 1 seed=3")
    assert s.tasks("values", "status")[1] == ({"task": 1, "seed": 3}, "queued")
    with pytest.raises(FieldError, match="did you mean `/rpent-task`"):
        s.control.message("/rpent-taks 1")
    with pytest.raises(FieldError, match="empty"):
        s.control.message("  ")
    s.control.message("/stop")
    s.wait(lambda state: state["tasks"][0]["status"] == "interrupted")
    assert not any(
        isinstance(event, ev.UserMessage)
        for event in read_events(s.folder / s.state["tasks"][0]["run"].partition("~")[2] / "events.jsonl")
    )


def test_calls_do_not_pile_up(stage):
    s = stage(manual(step_time_s=0.3))
    s.control.queue({})
    s.wait_for("awaiting")
    control = s.control
    calls = [threading.Thread(target=control.call, args=FAR) for _ in range(MAX_CALLS)]
    for call in calls:
        call.start()
    s.wait_for("busy")
    while control._calls._value:
        time.sleep(0.01)
    with pytest.raises(ConflictError, match="wait already"):
        control.call("look", {})
    control.interrupt()
    for call in calls:
        call.join(20)
        assert not call.is_alive()
    assert control.call("look", {})["ok"]


class Quick:
    """A session whose planner took the message, and waits again, before `send` returns."""

    ended = None

    def __init__(self, steerer):
        self._steerer = steerer

    def send(self, text):
        for event in (ev.UserMessage(text=text), ev.MessagesDelivered(count=1), ev.AwaitingUser(turn=0)):
            self._steerer.on_event(event)


def test_a_planner_that_waits_again_at_once_is_seen_to_wait():
    steerer = Steerer(on_change=lambda: None, on_event=lambda _: None)
    steerer.attach(Quick(steerer))
    steerer.on_event(ev.AwaitingUser(turn=0))
    steerer.send("Well done.")
    assert (steerer.activity, steerer.can_call, steerer.pending) == ("awaiting", True, 0)
