"""A person at a terminal: the task edited, messages, Esc, commands; with each planner."""

from __future__ import annotations

import fcntl
import json
import os
import struct
import termios

import pytest
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent.testing.fake_robot.robot import solution
from rpent.testing.models import Call, Reply

ENTER, ESC, CTRL_C, CTRL_D = "\r", "\x1b", "\x03", "\x04"
FAR = [Call("move_to", {"xyz": [0.3, 0.3, 0.3]})]
PLANNERS = [
    "api",
    pytest.param("claude_code", marks=pytest.mark.sdk),
    pytest.param("codex", marks=pytest.mark.sdk),
]


def finish(status="success"):
    return Reply(calls=[Call("finish", {"status": status, "summary": "Done."})])


def events(tmp_path):
    (run,) = (tmp_path / "runs").iterdir()
    return list(read_events(run / "events.jsonl"))


def manifest(tmp_path):
    (run,) = (tmp_path / "runs").iterdir()
    return json.loads((run / "run.json").read_text())


def told(request):
    return json.dumps(request.body)


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_task_is_edited_and_the_planner_steered(start, tmp_path, planner):
    script = [Reply(text="I look.", calls=[Call("look", {})]), Reply(text="What next?"), finish()]
    keyboard, server = start(script, planner=planner)
    keyboard.expect("Task: put the red cube on the pad.")
    keyboard.expect("the task waits for Enter")
    keyboard.type(" Gently!" + ENTER)
    keyboard.expect("task     Task: put the red cube on the pad. Gently!")
    keyboard.expect("The planner waits for you.")
    keyboard.expect("What next?")
    keyboard.type("/status" + ENTER)
    keyboard.expect("turns      2 of 100")
    keyboard.type("Finish now." + ENTER)
    assert keyboard.leave() == 1
    assert "put the red cube on the pad. Gently!" in told(server.requests[0])
    assert "Finish now." not in told(server.requests[1])
    assert "Finish now." in told(server.requests[2])
    prompts = next(event for event in events(tmp_path) if isinstance(event, ev.PromptsRendered))
    assert prompts.user == "Task: put the red cube on the pad. Gently!"
    assert manifest(tmp_path)["outcome"]["planner_status"] == "success"


@pytest.mark.parametrize("planner", PLANNERS)
def test_esc_stops_a_motion_and_the_planner_waits(start, tmp_path, planner):
    keyboard, server = start([Reply(calls=FAR), finish("stuck")], planner=planner, step_time_s=0.3)
    keyboard.expect("Task: put")
    keyboard.type(ENTER)
    keyboard.expect("→ move_to")
    keyboard.type(ESC)
    keyboard.expect("The planner waits for you.")
    assert len(server.requests) == 1
    keyboard.type("Stop there, it is enough." + ENTER)
    assert keyboard.leave() == 1
    assert "Stop there, it is enough." in told(server.requests[1])
    returned = next(event for event in events(tmp_path) if isinstance(event, ev.ToolReturned))
    assert returned.cancelled


@pytest.mark.parametrize("planner", PLANNERS)
def test_esc_stops_a_reply_that_is_being_written(start, planner):
    long = Reply(text="word " * 400, slow_s=0.1)
    keyboard, server = start([long, finish("stuck")], planner=planner)
    keyboard.expect("Task: put")
    keyboard.type(ENTER)
    keyboard.expect("planner thinks")
    while not server.requests:
        keyboard.expect("")
    keyboard.type(ESC)
    keyboard.expect("The planner waits for you.")
    keyboard.type("Shorter." + ENTER)
    assert keyboard.leave() == 1
    assert "Shorter." in told(server.requests[1])


def test_a_message_during_a_motion_goes_along_with_its_result(start):
    keyboard, server = start([Reply(calls=FAR), finish("stuck")], step_time_s=0.05)
    keyboard.expect("Task: put")
    keyboard.type(ENTER)
    keyboard.expect("→ move_to")
    keyboard.type("Mind the edge." + ENTER)
    keyboard.expect("you      Mind the edge.")
    assert keyboard.leave() == 1
    assert "Mind the edge." in told(server.requests[1])
    assert "cancelled" not in told(server.requests[1])


def test_help_unknown_commands_and_a_solved_task(start, tmp_path):
    keyboard, _ = start([Reply(calls=[Call(name, arguments)]) for name, arguments in solution()])
    keyboard.expect("Task: put")
    keyboard.expect("services: ready")
    keyboard.type("\x15/help" + ENTER)
    keyboard.expect("Esc stops the motion")
    keyboard.type("\x15/stauts" + ENTER)
    keyboard.expect("There is no command `/stauts`; did you mean `/status`?")
    keyboard.type("\x15Solve it." + ENTER)
    assert keyboard.leave() == 0
    assert "benchmark: success" in keyboard.seen
    assert manifest(tmp_path)["outcome"]["benchmark_success"] is True


@pytest.mark.parametrize("keys", [CTRL_C, "\x15" + CTRL_D, "\x15/quit" + ENTER])
def test_quitting_while_the_task_is_edited(start, tmp_path, keys):
    keyboard, server = start([finish()])
    keyboard.expect("Task: put")
    keyboard.type(keys)
    assert keyboard.leave() == 130
    assert server.requests == []
    assert manifest(tmp_path)["outcome"]["reason"] == "interrupted"


@pytest.mark.parametrize("keys", [CTRL_C, "/quit" + ENTER])
def test_quitting_during_a_motion_and_going_on_later(start, tmp_path, keys):
    keyboard, _ = start([Reply(text="I move.", calls=FAR)], step_time_s=0.3)
    keyboard.expect("Task: put")
    keyboard.type(" Softly." + ENTER)
    keyboard.expect("→ move_to")
    keyboard.type(keys)
    assert keyboard.leave() == 130
    assert manifest(tmp_path)["outcome"]["reason"] == "interrupted"

    keyboard, server = start([Reply(text="Where was I?"), finish("stuck")], resume="latest")
    keyboard.expect("The planner waits for you.")
    keyboard.type("Finish, please." + ENTER)
    assert keyboard.leave() == 1
    assert "put the red cube on the pad. Softly." in told(server.requests[0])
    assert "I move." in told(server.requests[0])
    assert "Finish, please." in told(server.requests[1])
    assert manifest(tmp_path)["outcome"]["planner_status"] == "stuck"


def test_the_terminal_is_left_as_it_was(start):
    """Nothing that a shell would suffer from: all settings are as before, the cursor is shown."""
    keyboard, _ = start([finish("stuck")])
    before = termios.tcgetattr(keyboard.fd)
    keyboard.expect("Task: put")
    assert termios.tcgetattr(keyboard.fd) != before
    keyboard.type(ENTER)
    keyboard.leave()
    assert termios.tcgetattr(keyboard.fd) == before
    assert keyboard.raw.rfind("\x1b[?25h") > keyboard.raw.rfind("\x1b[?25l")


def test_keys_that_are_no_text_do_not_end_up_in_the_task(start, tmp_path):
    """Ctrl-Z puts the run into the background, where a shell is there to do so; some bytes are no UTF-8."""
    keyboard, server = start([finish()])
    keyboard.expect("Task: put")
    keyboard.type("\x1a")
    os.write(keyboard.fd, b" \xff")
    keyboard.type(ENTER)
    assert keyboard.leave() == 1
    prompts = next(event for event in events(tmp_path) if isinstance(event, ev.PromptsRendered))
    assert prompts.user == "Task: put the red cube on the pad. \ufffd"
    assert "\\ufffd" in told(server.requests[0])


@pytest.mark.parametrize("size", [(1, 2), (5, 20)])
def test_a_tiny_window(start, size):
    keyboard, _ = start([Reply(text="More than a narrow window holds. " * 20), finish()])
    fcntl.ioctl(keyboard.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    keyboard.expect("toolkit: ready")
    keyboard.type(ENTER)
    keyboard.expect("planner waits")
    keyboard.type("Go on." + ENTER)
    assert keyboard.leave() == 1


def test_a_terminal_without_a_cursor_is_refused(start):
    keyboard, server = start([finish()], term="dumb")
    assert keyboard.leave() == 2
    assert "`TERM` is `dumb`" in keyboard.seen
    assert server.requests == []
