"""What is said: by the model, and by the user in the middle of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rpent.testing.fake_robot.robot import solution
from rpent.testing.models import Call, Reply, Request, Tokens

from .scenario import (
    FAR,
    FINISH,
    LOOK,
    LOOKED,
    MOVE,
    SLOW,
    SPOKEN,
    STOPPED,
    Scenario,
    ended,
    finished,
    hears,
    made,
    nudged,
    turn,
)


def speak_while_moving(interrupt: bool) -> Callable[[Any, Any], None]:
    """Return an act: the user speaks during the first motion."""

    def act(drive: Any, event: Any) -> None:
        if event.type == "tool_progress" and drive.once("spoken"):
            drive.send("Look before you move.", interrupt=interrupt)

    return act


def hears_of_the_cut(request: Request) -> None:
    """Assert that the model is told to go on: that its reply was cut off, or the reminder of `finish`."""
    assert "cut" in request.last.text or "without calling `finish`" in request.last.text


def sees_two_pictures(request: Request) -> None:
    """Assert that the model sees the opening picture and the one it asked for."""
    assert len(request.pictures) == 2


DIALOGUE = [
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
        last=sees_two_pictures,
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
        "calls_behind_finish",
        [Reply(calls=[LOOK, FINISH, MOVE])] * 2,
        [*turn(1, LOOKED), *finished(1)[1:]],
        replies=1,
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
        "interrupt_before_other_calls",
        [Reply(calls=[MOVE, LOOK, MOVE]), Reply(text="Right.", calls=[LOOK]), Reply(calls=[FINISH])],
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
        "interrupt_while_the_model_is_silent",
        [
            Reply(calls=[LOOK]),
            Reply(text="I will move now.", delay_s=60, calls=[MOVE]),
            Reply(text="Right.", calls=[LOOK], expect=hears("Look before you move.")),
            Reply(calls=[FINISH]),
        ],
        [*turn(1, LOOKED), ("turn", 2), *SPOKEN, *turn(3, LOOKED, text="Right."), *finished(4)],
        speak_at=1,
        interrupt=True,
        aborted=1,
        # A turn of Claude Code begins with the reply, of which nothing came.
        unlike={
            "claude-code": {
                "events": [*turn(1, LOOKED), *SPOKEN, *turn(2, LOOKED, text="Right."), *finished(3)]
            }
        },
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
        "a_reply_that_is_cut_off",
        [
            Reply(text="I think and think", stop="length"),
            Reply(calls=[LOOK], expect=hears_of_the_cut),
            Reply(calls=[FINISH]),
        ],
        [*nudged(1, "I think and think"), *turn(2, LOOKED), *finished(3)],
        notices=("cut off before a tool call",),
        # Codex does not tell what a reply cost that was cut off.
        unlike={"codex": {"aborted": 1}},
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
        "no_call_once",
        [
            Reply(text="Hm."),
            Reply(calls=[LOOK], expect=hears("without calling `finish`")),
            Reply(calls=[FINISH]),
        ],
        [*nudged(1, "Hm."), *turn(2, LOOKED), *finished(3)],
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
        "cached_and_large_usage_is_counted",
        [Reply(calls=[LOOK], usage=Tokens(input=5000, output=40, cached=4000)), Reply(calls=[FINISH])],
        [*turn(1, LOOKED), *finished(2)],
    ),
]
