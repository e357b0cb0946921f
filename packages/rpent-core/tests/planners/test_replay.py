"""The planner that carries out a recipe again."""

from __future__ import annotations

import json
import threading
import time

import pytest
from rpent.errors import UsageError
from rpent.planners.replay import ReplayConfig, ReplayPlanner
from rpent.runs.events import read_events
from rpent.session import ToolReply
from rpent.testing import fake_session
from rpent.testing.fake_robot.robot import solution


def written(tmp_path, calls):
    path = tmp_path / "recipe.jsonl"
    path.write_text("".join(json.dumps(call) + "\n" for call in calls))
    return path


def test_a_missing_recipe_is_one_sentence(tmp_path):
    with pytest.raises(UsageError, match="There is no recipe"):
        ReplayPlanner(ReplayConfig(recipe=tmp_path / "absent.jsonl"))


@pytest.mark.parametrize(
    "text", ['{"n": 0, "na', "[1, 2]\n", "\x00\xff\n{}\n", '{"name": 1, "arguments": {}}\n']
)
def test_what_is_no_recipe_is_wrong_usage(tmp_path, text):
    path = tmp_path / "recipe.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"Line 1 of .* is not a recipe call"):
        ReplayPlanner(ReplayConfig(recipe=path))


def test_where_the_world_differs_is_noted(tmp_path):
    calls = [{"name": name, "arguments": arguments} for name, arguments in solution()]
    calls[0]["result"] = {"ok": False, "status": "stalled"}
    recipe = written(tmp_path, calls)
    with fake_session(tmp_path / "runs") as session:
        ReplayPlanner(ReplayConfig(recipe=recipe)).run(session)
        notices = [
            event.text for event in read_events(session.recorder.directory.events) if event.type == "notice"
        ]
    assert notices == ["Call 0 (`move_to`) ended with `ok` True; the recording has False."]
    assert session.ended.planner_status == "success"
    assert "1 call ended differently" in session.ended.detail


@pytest.mark.parametrize("status", ["done", ["success"], 5, None])
def test_a_claim_that_finish_would_refuse_is_not_made(tmp_path, status):
    recipe = written(tmp_path, [{"name": "finish", "arguments": {"status": status}}])
    with fake_session(tmp_path / "runs") as session:
        planner = ReplayPlanner(ReplayConfig(recipe=recipe))
        thread = threading.Thread(target=planner.run, args=(session,), daemon=True)
        thread.start()
        thread.join(20)
        assert not thread.is_alive(), "it calls `finish` again and again"
        assert session.ended.planner_status == "stuck"


def test_a_call_that_was_cancelled_is_left_out(tmp_path):
    calls = [
        {"name": "move_to", "arguments": {"xyz": [0.3, 0.3, 0.3]}, "ok": False, "cancelled": True},
        {"name": "move_to", "arguments": {"xyz": [0.1, 0.0, 0.3]}},
    ]
    with fake_session(tmp_path / "runs") as session:
        ReplayPlanner(ReplayConfig(recipe=written(tmp_path, calls))).run(session)
        called = [
            event for event in read_events(session.recorder.directory.events) if event.type == "tool_called"
        ]
    assert [event.arguments.get("xyz") for event in called] == [[0.1, 0.0, 0.3], None]
    assert session.ended.planner_status == "stuck", "the recording has no `finish`"


class Crashing:
    """A session whose second call is undone by a crash, twice."""

    prior_calls = 0
    interrupts = 0
    interactive = False

    def __init__(self):
        self.called = []

    def begin_turn(self):
        return 1

    def notice(self, text, **_):
        raise AssertionError(text)

    def user_messages(self):
        return []

    def call(self, name, arguments):
        self.called.append(arguments.get("xyz", name))
        undone = self.called.count([0.2, 0.0, 0.3]) in {1, 2} and self.called[-1] == [0.2, 0.0, 0.3]
        return ToolReply(ok=not undone, undone=undone, ended=name == "finish")


def test_a_call_that_a_crash_has_undone_is_made_again(tmp_path):
    calls = [{"name": "move_to", "arguments": {"xyz": [x, 0.0, 0.3]}} for x in (0.1, 0.2, 0.3)]
    session = Crashing()
    ReplayPlanner(ReplayConfig(recipe=written(tmp_path, calls))).run(session)
    first, second, third = ([x, 0.0, 0.3] for x in (0.1, 0.2, 0.3))
    assert session.called == [first, second, second, second, third, "finish"]


class Numbered:
    """A session whose `segment` numbers what it finds from 7 on, unlike the recording."""

    prior_calls = 0
    interrupts = 0
    interactive = False

    def __init__(self):
        self.calls = []

    def begin_turn(self):
        pass

    def notice(self, text, level="info"):
        pass

    def user_messages(self):
        return []

    def call(self, name, arguments):
        self.calls.append((name, arguments))
        data = {"candidates": [{"id": "s7.0"}, {"id": "s7.1"}]} if name == "segment" else {}
        return ToolReply(ok=True, data=data, ended=name == "finish")


def test_ids_of_found_things_are_those_of_this_run(tmp_path):
    found = {"candidates": [{"id": "s1.0"}, {"id": "s1.1"}]}
    calls = [
        {"name": "segment", "arguments": {"prompt": "bowl"}, "result": found},
        {"name": "grasp", "arguments": {"segment_id": "s1.1", "target": "s1.1 is a text"}},
    ]
    session = Numbered()
    ReplayPlanner(ReplayConfig(recipe=written(tmp_path, calls))).run(session)
    assert session.calls[1] == ("grasp", {"segment_id": "s7.1", "target": "s1.1 is a text"})


def test_a_call_that_the_user_interrupted_is_made_again(tmp_path):
    """Once they have spoken; what they did by hand meanwhile stays in the record as theirs."""
    calls = [
        {"name": "move_to", "arguments": {"xyz": [0.3, 0.3, 0.3]}},
        {"name": "set_gripper", "arguments": {"gripper": "close"}},
    ]
    planner = ReplayPlanner(ReplayConfig(recipe=written(tmp_path, calls)))
    with fake_session(tmp_path / "runs", interactive=True, step_time_s=0.02) as session:
        thread = threading.Thread(target=planner.run, args=(session,))
        thread.start()

        def seen(kind):
            return [event for event in read_events(session.recorder.directory.events) if event.type == kind]

        def until(condition):
            deadline = time.monotonic() + 20
            while not condition():
                assert time.monotonic() < deadline
                time.sleep(0.01)

        until(lambda: seen("tool_called"))
        session.interrupt()
        until(lambda: session.awaiting)
        assert session.user_call("move_to", {"xyz": [0.0, 0.0, 0.3]}).data["ok"]
        session.send("Go on.")
        thread.join(20)
        returned = [(event.name, event.origin, event.cancelled) for event in seen("tool_returned")]
        assert returned == [
            ("move_to", "planner", True),
            ("move_to", "user", False),
            ("move_to", "planner", False),
            ("set_gripper", "planner", False),
            ("finish", "planner", False),
        ]
        assert [event.text for event in seen("notice")] == [
            "A replay cannot read messages; it goes on with the recipe."
        ]
