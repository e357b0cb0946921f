"""Servers of the fake robot that hang while the file `RPENT_TEST_HANG` is there: env and policy.

`RPENT_TEST_LIMIT_S` is the time limit of the methods that do.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from rpent.rpc.facade import Facade, Method
from rpent.testing.fake_robot import server
from rpent.testing.fake_robot.config import FakeConfig, FakeEnvConfig


def spring_trap():
    """Hang, if the trap is set."""
    trap = Path(os.environ["RPENT_TEST_HANG"])
    if trap.exists():
        if trap.read_text() == "once":
            trap.unlink()
        while not trap.with_name("released").exists():
            time.sleep(0.05)


def create(config: FakeEnvConfig):
    """Make the env's facade."""
    facade = server.create(config)
    servo = facade.methods["servo"]

    def handler(call, **params):
        spring_trap()
        return servo.handler(call, **params)

    # The dispatcher reads a handler's parameters; they are those of the real one.
    handler.__wrapped__ = servo.handler
    limit_s = float(os.environ["RPENT_TEST_LIMIT_S"])
    methods = {**facade.methods, "servo": replace(servo, handler=handler, timeout_s=limit_s)}
    return replace(facade, methods=methods)


def create_policy(config: FakeConfig):
    """Make the policy's facade."""

    def describe(call):
        spring_trap()
        return {"action_dim": 4}

    method = Method(handler=describe, timeout_s=float(os.environ["RPENT_TEST_LIMIT_S"]))
    return Facade(name="fake/vla", version="1.0", methods={"describe": method})
