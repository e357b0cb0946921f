"""What may happen to a planner, and what comes of it: one table for all of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rpent.run import Limits
from rpent.testing.fake_robot.robot import solution
from rpent.testing.models import ALWAYS, Call, Fault, Reply, Request, Tokens

Events = list[tuple[Any, ...]]

LOOK_ARGUMENTS = {"size": 64}
LOOK = Call("look", LOOK_ARGUMENTS)
FAR = {"xyz": [0.25, 0.25, 0.3]}
MOVE = Call("move_to", FAR)
DONE = {"status": "failure", "summary": "Enough."}
FINISH = Call("finish", DONE)
SLOW = {"step_time_s": 0.05}


@dataclass(frozen=True)
class Scenario:
    """A script, what happens meanwhile, and what is expected of every planner alike."""

    id: str
    script: Sequence[Reply]
    events: Events
    """What `normalised` gives: the turns, what is said, calls and how they went, and the end."""
    reason: str = "finished"
    status: str | None = "failure"
    exit_code: int = 1
    limits: Limits = field(default_factory=Limits)
    tight_s: bool = False
    """Whether the time limit is as short as the planner's start allows."""
    robot: dict[str, Any] = field(default_factory=dict)
    owned_env: bool = False
    """Whether the env server is a process of the run's own, which can die and be brought back."""
    act: Callable[[Any, Any], None] | None = None
    """Called with the drive and every event."""
    speak_at: int | None = None
    """The reply during whose stream the user says "Look before you move."."""
    interrupt: bool = False
    """Whether they interrupt it."""
    aborted: int = 0
    """How many replies are not heard to their end, so that their usage may not be known."""
    retries: int = 0
    """How many notices say that a request is tried again."""
    notices: tuple[str, ...] = ()
    """Words of other notices, each in one of them."""
    detail: str = ""
    """Words of the outcome's sentence."""
    replies: int | None = None
    """How many replies were asked for, where it is not the script's number."""
    last: Callable[[Request], object] = lambda request: None
    """Looks at the last request."""
    unlike: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Where an SDK leaves a planner no choice: other values of these fields, by case."""

    def of(self, case: str) -> Scenario:
        """Return what is expected of one planner."""
        return replace(self, **self.unlike.get(case, {}))


def turn(number: int, *calls: tuple[Any, ...], text: str | None = None) -> Events:
    """Return a turn's events: what is said, and each call with its end."""
    said = [("text", number, text)] if text else []
    return [("turn", number), *said, *(event for call in calls for event in made(number, *call))]


def made(number: int, name: str, arguments: Any = None, how: str = "ok", error: str | None = None) -> Events:
    """Return the two events of a call."""
    return [("called", number, name, arguments or {}), ("returned", name, how, error)]


def finished(number: int, status: str = "failure", **said: Any) -> Events:
    """Return the events of a last turn that calls `finish`."""
    return [
        *turn(number, **said),
        ("called", number, "finish", {**DONE, "status": status}),
        ("ended", "finished", status),
        ("returned", "finish", "ok", None),
    ]


def ended(reason: str) -> tuple[Any, ...]:
    """Return the end of a session that the planner did not finish."""
    return ("ended", reason, None)


LOOKED = ("look", LOOK_ARGUMENTS)
SPOKEN = [("user", "user", "Look before you move.", True)]
STOPPED = [("turn", 1), ("called", 1, "move_to", FAR), *SPOKEN, ("returned", "move_to", "cancelled", None)]
"""A motion that the user stops."""


def speak_while_moving(interrupt: bool) -> Callable[[Any, Any], None]:
    """Return an act: the user speaks during the first motion."""

    def act(drive: Any, event: Any) -> None:
        if event.type == "tool_progress" and drive.once("spoken"):
            drive.send("Look before you move.", interrupt=interrupt)

    return act


def kill_env(drive: Any, event: Any) -> None:
    """Kill the env server when the first motion is called for."""
    if event.type == "tool_called" and event.name == "move_to" and drive.once("killed"):
        os.kill(drive.services[-1].pid, signal.SIGKILL)


def kill_env_always(drive: Any, event: Any) -> None:
    """Kill the env server at every motion."""
    if event.type == "tool_called" and event.name == "move_to":
        os.kill(drive.services[-1].pid, signal.SIGKILL)


def hears(*texts: str) -> Callable[[Request], None]:
    """Return a look at the last request: the model has been told these things."""

    def look(request: Request) -> None:
        for text in texts:
            assert text in request.text, f"the model did not hear: {text}"

    return look


def hears_of_bad_json(request: Request) -> None:
    """Assert that the model hears that its arguments could not be parsed, in whoever's words."""
    (result,) = request.results
    assert "JSON" in result.text or "parsing" in result.text, result.text


def hears_of_the_cut(request: Request) -> None:
    """Assert that the model is told to go on: that its reply was cut off, or the reminder of `finish`."""
    assert "cut" in request.last.text or "without calling `finish`" in request.last.text


def nudged(number: int, text: str) -> Events:
    """Return a turn without a call, and the reminder after it."""
    return [*turn(number, text=text), ("user", "nudge", None, False)]


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
WRONG_XYZ = "The arguments of `move_to` do not fit"
LOOK_THEN_FINISH = [*turn(1, LOOKED), *finished(2)]


def faulty(id_: str, fault: Fault, **expected: Any) -> Scenario:
    """Return a scenario in which one request fails, and the run goes on as if it had not."""
    script = [Reply(calls=[LOOK]), Reply(text="Again.", calls=[LOOK], fault=fault), Reply(calls=[FINISH])]
    events = [*turn(1, LOOKED), *turn(2, LOOKED, text="Again."), *finished(3)]
    return Scenario(id_, script, events, **{"retries": fault.times, **expected})


SCENARIOS = [
    Scenario(
        "finish",
        [
            Reply(thinking="What is there?", text="I look first.", calls=[LOOK]),
            Reply(text="Enough seen.", calls=[FINISH]),
        ],
        [
            ("turn", 1),
            ("thinking", 1, "What is there?"),
            ("text", 1, "I look first."),
            *made(1, *LOOKED),
            *finished(2, text="Enough seen."),
        ],
        last=lambda request: len(request.pictures) == 2,
    ),
    Scenario(
        "turn_limit",
        [Reply(text=f"Look {n}.", calls=[LOOK]) for n in range(1, 6)],
        [*turn(1, LOOKED, text="Look 1."), *turn(2, LOOKED, text="Look 2."), ended("turn_limit")],
        reason="turn_limit",
        status=None,
        limits=Limits(max_turns=2),
        replies=2,
        detail="2 turns",
    ),
    Scenario(
        "time_limit_during_a_motion",
        [Reply(calls=[MOVE])] * 2,
        [
            ("turn", 1),
            ("called", 1, "move_to", FAR),
            ended("time_limit"),
            ("returned", "move_to", "cancelled", None),
        ],
        reason="time_limit",
        status=None,
        tight_s=True,
        robot={"step_time_s": 2.0},
        replies=1,
        detail="time limit",
    ),
    Scenario(
        "cost_limit",
        [Reply(text="Look 1.", calls=[LOOK]), Reply(text="Look 2.", calls=[LOOK]), Reply(calls=[LOOK])],
        [*turn(1, LOOKED, text="Look 1."), *turn(2, text="Look 2."), ended("cost_limit")],
        reason="cost_limit",
        status=None,
        limits=Limits(cost_limit_usd=0.3),
        replies=2,
        detail="0.3 USD",
    ),
    Scenario(
        "token_limit",
        [Reply(text="Look 1.", calls=[LOOK]), Reply(text="Look 2.", calls=[LOOK]), Reply(calls=[LOOK])],
        [*turn(1, LOOKED, text="Look 1."), *turn(2, text="Look 2."), ended("cost_limit")],
        reason="cost_limit",
        status=None,
        limits=Limits(token_limit=200),
        replies=2,
        detail="200 tokens",
    ),
    Scenario(
        "step_limit",
        [Reply(calls=[MOVE])] * 2,
        [*turn(1, ("move_to", FAR)), ended("step_limit")],
        reason="step_limit",
        status=None,
        limits=Limits(max_env_steps=5),
        replies=1,
        detail="5 environment steps",
    ),
    Scenario(
        "tool_call_limit",
        [Reply(calls=[LOOK, LOOK, LOOK])] * 2,
        [*turn(1, LOOKED, LOOKED), ended("turn_limit")],
        reason="turn_limit",
        status=None,
        limits=Limits(max_tool_calls=2),
        replies=1,
        detail="2 tool calls",
    ),
    Scenario(
        "calls_behind_finish",
        [Reply(calls=[LOOK, FINISH, MOVE])] * 2,
        [*turn(1, LOOKED), *finished(1)[1:]],
        replies=1,
    ),
    Scenario(
        "interrupt_before_other_calls",
        [Reply(calls=[MOVE, LOOK, MOVE]), Reply(text="Right.", calls=[LOOK]), Reply(calls=[FINISH])],
        [*STOPPED, *turn(2, LOOKED, text="Right."), *finished(3)],
        robot=SLOW,
        act=speak_while_moving(interrupt=True),
        last=hears("Look before you move."),
    ),
    Scenario(
        "message_instead_of_a_reminder",
        [
            Reply(text="I wonder what to do now.", slow_s=0.2),
            Reply(text="Right.", calls=[LOOK], expect=hears("Look before you move.")),
            Reply(calls=[FINISH]),
        ],
        [
            ("turn", 1),
            ("user", "user", "Look before you move.", False),
            ("text", 1, "I wonder what to do now."),
            *turn(2, LOOKED, text="Right."),
            *finished(3),
        ],
        speak_at=0,
    ),
    Scenario(
        "interrupt_during_a_motion",
        [Reply(calls=[MOVE]), Reply(text="Right.", calls=[LOOK]), Reply(calls=[FINISH])],
        [*STOPPED, *turn(2, LOOKED, text="Right."), *finished(3)],
        robot=SLOW,
        act=speak_while_moving(interrupt=True),
        last=hears("Look before you move."),
    ),
    Scenario(
        "message_during_a_motion",
        [
            Reply(calls=[MOVE]),
            Reply(text="Right.", calls=[LOOK], expect=hears("Look before you move.")),
            Reply(calls=[FINISH]),
        ],
        [
            ("turn", 1),
            ("called", 1, "move_to", FAR),
            ("user", "user", "Look before you move.", False),
            ("returned", "move_to", "ok", None),
            *turn(2, LOOKED, text="Right."),
            *finished(3),
        ],
        robot=SLOW,
        act=speak_while_moving(interrupt=False),
    ),
    Scenario(
        "interrupt_while_the_model_speaks",
        [
            Reply(calls=[LOOK]),
            Reply(text="I will move now, slowly " * 20, slow_s=0.1, calls=[MOVE]),
            Reply(text="Right.", calls=[LOOK], expect=hears("Look before you move.")),
            Reply(calls=[FINISH]),
        ],
        [
            *turn(1, LOOKED),
            ("turn", 2),
            *SPOKEN,
            ("text", 2, ...),
            *turn(3, LOOKED, text="Right."),
            *finished(4),
        ],
        speak_at=1,
        interrupt=True,
        aborted=1,
    ),
    Scenario(
        "message_while_the_model_speaks",
        [
            Reply(calls=[LOOK]),
            Reply(text="I look once more, slowly.", slow_s=0.2, calls=[LOOK]),
            Reply(text="Right.", calls=[LOOK], expect=hears("Look before you move.")),
            Reply(calls=[FINISH]),
        ],
        [
            *turn(1, LOOKED),
            ("turn", 2),
            ("user", "user", "Look before you move.", False),
            ("text", 2, "I look once more, slowly."),
            *made(2, *LOOKED),
            *turn(3, LOOKED, text="Right."),
            *finished(4),
        ],
        speak_at=1,
    ),
    Scenario(
        "a_reply_that_is_cut_off",
        [
            Reply(text="I think and think", stop="length"),
            Reply(calls=[LOOK], expect=hears_of_the_cut),
            Reply(calls=[FINISH]),
        ],
        [*nudged(1, "I think and think"), *turn(2, LOOKED), *finished(3)],
        # Codex does not tell what a reply cost that was cut off.
        unlike={"codex": {"aborted": 1}},
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
        "parallel_calls",
        [Reply(calls=[MOVE, LOOK, Call("set_gripper", {"gripper": "close"})]), Reply(calls=[FINISH])],
        [*turn(1, ("move_to", FAR), LOOKED, ("set_gripper", {"gripper": "close"})), *finished(2)],
        robot={"step_time_s": 0.01},
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
    faulty("server_error_once", Fault(status=500)),
    faulty("rate_limit_twice", Fault(status=429, retry_after=0.1, times=2)),
    faulty("dropped_stream", Fault(drop_after=4)),
    faulty("stream_that_ends_early", Fault(drop_after=4, clean=True)),
    faulty("overloaded_in_the_stream", Fault(kind="overloaded", in_stream=True)),
    Scenario(
        "server_error_for_good",
        [Reply(calls=[LOOK]), Reply(calls=[LOOK], fault=Fault(status=500, times=ALWAYS))],
        [*turn(1, LOOKED), ended("infrastructure")],
        reason="infrastructure",
        status=None,
        exit_code=3,
        retries=3,
        replies=1,
        detail="overloaded or failing",
    ),
    Scenario(
        "no_credit",
        [Reply(calls=[LOOK]), Reply(calls=[LOOK], fault=Fault(kind="credit", times=ALWAYS))],
        [*turn(1, LOOKED), ended("infrastructure")],
        reason="infrastructure",
        status=None,
        exit_code=3,
        replies=1,
        detail="no credit",
    ),
    Scenario(
        "refusal",
        [Reply(calls=[LOOK]), Reply(text="I will not do that.", stop="refusal")],
        [*turn(1, LOOKED), *turn(2, text="I will not do that."), ended("finished")],
        status=None,
        detail="The model refused",
        # Codex drops the words of a refusal.
        unlike={"codex": {"events": [*turn(1, LOOKED), ended("finished")]}},
    ),
    Scenario(
        "no_call_again_and_again",
        [Reply(text=f"Hm {n}.") for n in range(1, 6)],
        [*nudged(1, "Hm 1."), *nudged(2, "Hm 2."), *turn(3, text="Hm 3."), ended("finished")],
        status=None,
        replies=3,
        detail="without calling `finish`",
    ),
    Scenario(
        "no_call_once",
        [
            Reply(text="Hm."),
            Reply(calls=[LOOK], expect=hears("without calling `finish`")),
            Reply(calls=[FINISH]),
        ],
        [*nudged(1, "Hm."), *turn(2, LOOKED), *finished(3)],
    ),
    faulty(
        "context_too_long_once",
        Fault(kind="context"),
        retries=0,
        notices=("too long",),
    ),
    Scenario(
        "context_too_long_for_good",
        [Reply(calls=[LOOK]), Reply(calls=[LOOK], fault=Fault(kind="context", times=ALWAYS))],
        [*turn(1, LOOKED), ended("infrastructure")],
        reason="infrastructure",
        status=None,
        exit_code=3,
        replies=1,
        detail="too long for `test-model`",
    ),
    Scenario(
        "the_task_is_solved",
        [Reply(calls=[Call(name, arguments)]) for name, arguments in solution()],
        [
            *(
                event
                for n, (name, arguments) in enumerate(solution()[:-1], 1)
                for event in turn(n, (name, arguments))
            ),
            ("turn", 8),
            ("called", 8, "finish", solution()[-1][1]),
            ("ended", "finished", "success"),
            ("returned", "finish", "ok", None),
        ],
        status="success",
        exit_code=0,
    ),
    Scenario(
        "cached_and_large_usage_is_counted",
        [Reply(calls=[LOOK], usage=Tokens(input=5000, output=40, cached=4000)), Reply(calls=[FINISH])],
        LOOK_THEN_FINISH,
    ),
]
