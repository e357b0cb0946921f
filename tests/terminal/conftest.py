"""The fake robot, installed for child processes, and `rpent run --interactive` over a local model server."""

from __future__ import annotations

import os

import pytest
from rpent._version import __version__
from rpent.testing.models import ModelServer

from .keyboard import Keyboard

ROBOT = """
from rpent.api import hookimpl

PLUGIN_API = 1


@hookimpl
def rpent_robots():
    from rpent.testing.fake_robot.robot import SPEC

    yield SPEC
"""
STRIPPED = ("CLAUDE", "ANTHROPIC", "OPENAI", "CODEX", "MCP_", "RPENT_")


@pytest.fixture
def start(plugin_site, tmp_path):
    """Return a function that starts (or, with `resume`, goes on with) an interactive run over a scripted model."""
    plugin_site.add(
        "rpent-robot-fake",
        entry_points={"rpent.robots": {"fake": "fake_plugin"}},
        modules={"fake_plugin.py": ROBOT},
        version=__version__,  # what its env server, which is core's, says of itself
    )
    opened = []

    def start_(script, *options, planner="api", step_time_s=0.0, resume=None, term="xterm-256color"):
        server = ModelServer(script, models=("test-model",), key="test-key")
        server.__enter__()
        opened.append(server)
        env = {name: value for name, value in os.environ.items() if not name.startswith(STRIPPED)}
        env |= {"HOME": str(tmp_path), "OPENAI_API_KEY": "test-key", "ANTHROPIC_API_KEY": "test-key"}
        model, url = {
            "api": ("openai-chat:test-model", f"{server.url}/v1"),
            "claude_code": ("test-model", server.url),
            "codex": ("test-model", f"{server.url}/v1"),
        }[planner]
        command = ["run", "--robot", "fake", "--step-time-s", str(step_time_s), "--no-video"]
        command = ["resume", resume] if resume else [*command, "--planner", planner]
        command += ["--model", model, "--base-url", url]
        keyboard = Keyboard([*command, "--interactive", *options], env=env, cwd=tmp_path, term=term)
        opened.append(keyboard)
        return keyboard, server

    yield start_
    for thing in reversed(opened):
        thing.__exit__(None, None, None)
