"""Calls that go wrong: by the model, by the tool, by the env server."""

from __future__ import annotations

import os
import signal
from typing import Any

from rpent.testing.models import Call, Reply, Request

from .scenario import (
    DONE,
    FAR,
    FINISH,
    LOOK,
    LOOK_ARGUMENTS,
    LOOKED,
    MOVE,
    Scenario,
    ended,
    finished,
    hears,
    turn,
)


def hears_of_bad_json(request: Request) -> None:
    """Assert that the model hears that its arguments could not be parsed, in whoever's words."""
    (result,) = request.results
    assert "JSON" in result.text or "parsing" in result.text, result.text


def kill_env(drive: Any, event: Any) -> None:
    """Kill the env server when the first motion is called for."""
    if event.type == "tool_called" and event.name == "move_to" and drive.once("killed"):
        os.kill(drive.services[-1].pid, signal.SIGKILL)


def kill_env_always(drive: Any, event: Any) -> None:
    """Kill the env server at every motion."""
    if event.type == "tool_called" and event.name == "move_to":
        os.kill(drive.services[-1].pid, signal.SIGKILL)


def stop_env(drive: Any, event: Any) -> None:
    """Stop an env server that is not the run's own, at the first motion."""
    if event.type == "tool_called" and event.name == "move_to":
        drive.env.shutdown()


CRASHED = (
    "The service `env` crashed and was restarted; the world is as it was after step 0. "
    "`move_to` had no effect; call it again."
)
RECOVERED = [
    ("called", 1, "move_to", FAR),
    ("recovered", "env", 0),
    ("returned", "move_to", "failed", CRASHED),
]

TOOLS = [
    Scenario(
        "parallel_calls",
        [Reply(calls=[MOVE, LOOK, Call("set_gripper", {"gripper": "close"})]), Reply(calls=[FINISH])],
        [*turn(1, ("move_to", FAR), LOOKED, ("set_gripper", {"gripper": "close"})), *finished(2)],
        robot={"step_time_s": 0.01},
    ),
    Scenario(
        "ids_that_repeat",
        [
            Reply(calls=[Call("look", LOOK_ARGUMENTS, id="call_0"), Call("move_to", FAR, id="call_1")]),
            Reply(calls=[Call("look", LOOK_ARGUMENTS, id="call_0")]),
            Reply(calls=[Call("finish", DONE, id="call_0")]),
        ],
        [*turn(1, LOOKED, ("move_to", FAR)), *turn(2, LOOKED), *finished(3)],
    ),
    Scenario(
        "wrong_arguments",
        [Reply(calls=[Call("move_to", {"xyz": "far", "speed": 3})]), Reply(calls=[FINISH])],
        [*turn(1, ("move_to", {"xyz": "far", "speed": 3}, "refused", ...)), *finished(2)],
        last=hears("`speed`"),
    ),
    Scenario(
        "malformed_json",
        [Reply(text="I move.", calls=[Call("move_to", '{"xyz": [0.1, 0')]), Reply(calls=[FINISH])],
        [*turn(1, ("move_to", ..., "refused", ...), text="I move."), *finished(2)],
        last=hears_of_bad_json,
    ),
    Scenario(
        "no_such_tool",
        [Reply(calls=[Call("mov_to", FAR)]), Reply(calls=[FINISH])],
        [
            *turn(1, ("mov_to", FAR, "refused", "There is no tool `mov_to`; did you mean `move_to`?")),
            *finished(2),
        ],
        last=hears("mov_to"),
    ),
    Scenario(
        "a_tool_says_no",
        [Reply(calls=[Call("ask", {"question": "where?"})]), Reply(calls=[FINISH])],
        [*turn(1, ("ask", {"question": "where?"}, "failed", "Nobody answers: where?")), *finished(2)],
        last=hears("Nobody answers: where?", "Go on alone."),
    ),
    Scenario(
        "a_tool_has_a_bug",
        [Reply(calls=[Call("weigh")]), Reply(calls=[FINISH])],
        [
            *turn(
                1,
                (
                    "weigh",
                    {},
                    "failed",
                    "`weigh` has a bug (ZeroDivisionError); your arguments were accepted.",
                ),
            ),
            *finished(2),
        ],
        last=hears("ZeroDivisionError"),
    ),
    Scenario(
        "the_env_server_crashes",
        [Reply(calls=[MOVE]), Reply(calls=[MOVE]), Reply(calls=[FINISH])],
        [("turn", 1), *RECOVERED, *turn(2, ("move_to", FAR)), *finished(3)],
        owned_env=True,
        act=kill_env,
        last=hears("crashed and was restarted"),
    ),
    Scenario(
        "the_env_server_crashes_again_and_again",
        [Reply(calls=[MOVE])] * 6,
        [
            *(
                event
                for number in (1, 2, 3)
                for event in (
                    ("turn", number),
                    ("called", number, "move_to", FAR),
                    ("recovered", "env", 0),
                    ("returned", "move_to", "failed", CRASHED),
                )
            ),
            ("turn", 4),
            ("called", 4, "move_to", FAR),
            ended("infrastructure"),
            ("returned", "move_to", "failed", ...),
        ],
        reason="infrastructure",
        status=None,
        exit_code=3,
        owned_env=True,
        act=kill_env_always,
        replies=4,
    ),
    Scenario(
        "an_env_server_that_is_not_ours_is_gone",
        [Reply(calls=[MOVE])] * 2,
        [
            ("turn", 1),
            ("called", 1, "move_to", FAR),
            ended("infrastructure"),
            ("returned", "move_to", "failed", ...),
        ],
        reason="infrastructure",
        status=None,
        exit_code=3,
        act=stop_env,
        replies=1,
        detail="It cannot be brought back by this run",
    ),
]
