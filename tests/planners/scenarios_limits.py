"""Every budget of a session ends it in the same way."""

from __future__ import annotations

from rpent.run import Limits
from rpent.testing.models import Reply

from .scenario import FAR, FINISH, LOOK, LOOKED, MOVE, Scenario, ended, finished, turn

LIMITS = [
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
        "time_limit_while_the_model_is_silent",
        [Reply(calls=[LOOK]), Reply(calls=[LOOK], delay_s=60)],
        [*turn(1, LOOKED), ended("time_limit")],
        reason="time_limit",
        status=None,
        tight_s=True,
        aborted=1,
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
        "finish_in_the_reply_that_uses_up_the_cost_limit",
        [Reply(text="Look 1.", calls=[LOOK]), Reply(calls=[FINISH]), Reply(calls=[LOOK])],
        [*turn(1, LOOKED, text="Look 1."), *finished(2)],
        limits=Limits(cost_limit_usd=0.3),
        replies=2,
    ),
    Scenario(
        "no_call_in_the_reply_that_uses_up_the_cost_limit",
        [Reply(text="Look 1.", calls=[LOOK]), Reply(text="Hm."), Reply(calls=[LOOK])],
        [*turn(1, LOOKED, text="Look 1."), *turn(2, text="Hm."), ended("cost_limit")],
        reason="cost_limit",
        status=None,
        limits=Limits(cost_limit_usd=0.3),
        replies=2,
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
]
