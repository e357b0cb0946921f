"""Fixtures of RoboSmith's tests: benches of real worker processes."""

from __future__ import annotations

import sys

import pytest
from rpent.testing.environments import python_for
from rpent_robosmith.work.bench import ProcessBench


@pytest.fixture(scope="session")
def bench() -> ProcessBench:
    """Runs jobs with the tests' own interpreter: Gymnasium, without torch and Stable-Baselines3."""
    return ProcessBench(python=sys.executable)


@pytest.fixture(scope="session")
def robosmith_python() -> str:
    """The interpreter of the managed environment `robosmith`; skips (or fails, when strict) where it is not built."""
    return python_for("robosmith")


@pytest.fixture(scope="session")
def robosmith_bench(robosmith_python: str) -> ProcessBench:
    """Runs jobs in the managed environment `robosmith`; for tests marked `models`."""
    return ProcessBench(python=robosmith_python)
