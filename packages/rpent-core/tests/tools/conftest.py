"""A tool context without services."""

from __future__ import annotations

import pytest
from rpent.cancel import CancelToken
from rpent.robot import TaskSetup, ToolContext


@pytest.fixture
def tool_context(tmp_path):
    def make(**changes):
        values = {
            "setup": TaskSetup(instruction="", tag="t", seed=0),
            "channels": {},
            "run_dir": tmp_path,
            "cancel": CancelToken,
            "progress": lambda _: None,
        }
        return ToolContext(**{**values, **changes})

    return make
