"""Faults of the model's provider."""

from __future__ import annotations

from typing import Any

from rpent.testing.models import ALWAYS, Fault, Reply

from .scenario import FINISH, LOOK, LOOKED, Scenario, ended, finished, turn

BLIND = Fault(status=400, message="This model does not support image input.", times=ALWAYS)


def faulty(id_: str, fault: Fault, **expected: Any) -> Scenario:
    """Return a scenario in which one request fails, and the run goes on as if it had not."""
    script = [Reply(calls=[LOOK]), Reply(text="Again.", calls=[LOOK], fault=fault), Reply(calls=[FINISH])]
    events = [*turn(1, LOOKED), *turn(2, LOOKED, text="Again."), *finished(3)]
    return Scenario(id_, script, events, **{"retries": fault.times, **expected})


FAULTS = [
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
        "no_pictures",
        [Reply(calls=[LOOK]), Reply(calls=[LOOK], fault=BLIND)],
        [*turn(1, LOOKED), ended("infrastructure")],
        reason="infrastructure",
        status=None,
        exit_code=3,
        replies=1,
        detail="`test-model` takes no pictures",
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
]
