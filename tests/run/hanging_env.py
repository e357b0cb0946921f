"""The fake robot's env server, whose `servo` never answers while the file `RPENT_TEST_HANG` is there.

`RPENT_TEST_LIMIT_S` is the method's time limit.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from rpent.testing.fake_robot import server
from rpent.testing.fake_robot.config import FakeEnvConfig


def create(config: FakeEnvConfig):
    """Make the facade."""
    facade = server.create(config)
    servo = facade.methods["servo"]

    def handler(call, **params):
        trap = Path(os.environ["RPENT_TEST_HANG"])
        if trap.exists():
            if trap.read_text() == "once":
                trap.unlink()
            while not trap.with_name("released").exists():
                time.sleep(0.05)
        return servo.handler(call, **params)

    # The dispatcher reads a handler's parameters; they are those of the real one.
    handler.__wrapped__ = servo.handler
    limit_s = float(os.environ["RPENT_TEST_LIMIT_S"])
    methods = {**facade.methods, "servo": replace(servo, handler=handler, timeout_s=limit_s)}
    return replace(facade, methods=methods)
