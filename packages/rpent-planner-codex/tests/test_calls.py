"""Which calls reach the session, when, and in which order."""

from __future__ import annotations

import threading

import pytest
from rpent_planner_codex.calls import BrokenOffError, ResponseCalls, raw_call

TOOLS = {"look", "move_to"}


def item(name, arguments="{}", namespace="mcp__robot", kind="function_call", call_id="c1"):
    arguments_of = "input" if kind == "custom_tool_call" else "arguments"
    return {"type": kind, "name": name, "namespace": namespace, "call_id": call_id, arguments_of: arguments}


@pytest.mark.parametrize(
    ("raw", "name", "arrives"),
    [
        (item("look"), "look", True),
        (item("look", ""), "look", True),
        (item("look", '{"a'), "look", False),
        (item("look", "[1]"), "look", False),
        (item("look", "null"), "look", False),
        (item("nope"), "nope", False),
        (item("look", namespace=None), "functions.look", False),
        (item("mcp__robot__look", namespace=None), "mcp__robot__look", False),
        (item("exec", "text(1)", "functions", "custom_tool_call"), "functions.exec", False),
        (item("look", "{}", "mcp__robot", "custom_tool_call"), "functions.look", False),
        (item("exec_command", '{"cmd": "ls"}', None), "exec_command", False),
    ],
)
def test_a_call_is_named_so_that_only_what_codex_makes_is_carried_out(raw, name, arrives):
    call = raw_call(raw, TOOLS)
    assert (call.name, call.arrives) == (name, arrives)


@pytest.mark.parametrize(
    "raw",
    [{"type": "message", "role": "user"}, item("list_mcp_resources", namespace=None), {"type": "reasoning"}],
)
def test_other_items_are_no_calls(raw):
    assert raw_call(raw, TOOLS) is None


class Submitted:
    def __init__(self):
        self.made = []

    def __call__(self, calls, replies):
        for call in calls:
            self.made.append(call.call_id)
            replies[call.call_id].set_result(call.call_id)


@pytest.fixture
def submitted():
    return Submitted()


@pytest.fixture
def calls(submitted):
    return ResponseCalls(submitted)


def add(calls, *ids):
    for call_id in ids:
        calls.add(raw_call(item("look", call_id=call_id), TOOLS))


def test_calls_are_made_when_the_response_is_whole_in_its_order(calls, submitted):
    add(calls, "a", "b")
    assert submitted.made == []
    found = []
    waiter = threading.Thread(
        target=lambda: found.append(calls.wait_for("b", announced_s=5, whole_s=5).result())
    )
    waiter.start()
    calls.release()
    waiter.join(5)
    assert submitted.made == ["a", "b"]
    assert found == ["b"]


def test_the_last_reply_that_is_fetched_ends_the_response(calls):
    add(calls, "a", "b")
    calls.release()
    assert not calls.fetched("b")
    assert calls.fetched("a")
    assert not calls.fetched("a")


def test_a_call_of_a_response_that_broke_off_is_refused(calls, submitted):
    add(calls, "a")
    with pytest.raises(BrokenOffError):
        calls.wait_for("a", announced_s=1, whole_s=0.05)
    calls.release()
    assert submitted.made == []


def test_a_dropped_response_leaves_no_call(calls, submitted):
    add(calls, "a")
    calls.drop()
    with pytest.raises(BrokenOffError):
        calls.wait_for("a", announced_s=1, whole_s=5)
    calls.release()
    assert submitted.made == []


def test_a_call_that_was_not_announced_is_never_made_twice(calls, submitted):
    assert calls.wait_for("late", announced_s=0.05, whole_s=1) is None
    add(calls, "late")
    calls.release()
    assert submitted.made == []


def test_ids_may_come_again(calls, submitted):
    add(calls, "a")
    calls.drop()
    add(calls, "a")
    calls.release()
    first = calls.wait_for("a", announced_s=1, whole_s=1)
    assert calls.fetched("a")
    calls.begin()
    add(calls, "a")
    calls.release()
    assert calls.wait_for("a", announced_s=1, whole_s=1) is not first
    assert submitted.made == ["a", "a"]


def test_nobody_waits_after_the_end(calls):
    add(calls, "a")
    calls.close()
    assert calls.wait_for("a", announced_s=5, whole_s=5) is None
