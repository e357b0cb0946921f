"""Recorded runs of the fake robot: real runs, without a simulator to install."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from rpent.run import RunRequest, execute
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Record a run that solves its task, or only begins to; returns its directory. The same run is made once.

    A run needs a transport to its env server, which this distribution leaves to the user.
    """
    if not any(find_spec(f"rpent_transport_{name}") for name in ("zmq", "http")):
        pytest.skip("No transport is installed.")
    made: dict[tuple[int, int], Path] = {}

    def run(seed: int = 0, *, solved: bool = True) -> Path:
        key = (seed, solved)
        if key not in made:
            calls = (
                solution(seed=seed) if solved else [*solution(seed=seed)[:2], ("finish", {"status": "stuck"})]
            )
            request = RunRequest(
                robot="fake",
                planner="scripted",
                planner_config={"calls": calls},
                robot_config={"seed": seed},
                output_dir=tmp_path_factory.mktemp("runs"),
                progress="quiet",
                record_video=False,
            )
            made[key] = execute(request, registry=FakeRegistry()).run_dir
        return made[key]

    return run
