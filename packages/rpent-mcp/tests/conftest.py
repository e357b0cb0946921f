"""The fake robot, installed for child processes, and clients that start `rpent mcp`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from rpent._version import __version__

ROBOT = """
    from rpent.api import hookimpl

    PLUGIN_API = 1


    @hookimpl
    def rpent_robots():
        from rpent.testing.fake_robot.robot import SPEC

        yield SPEC
    """
DROPPED = ("CLAUDE", "ANTHROPIC", "OPENAI", "CODEX", "MCP_", "RPENT_")


@pytest.fixture
def fake_robot(plugin_site):
    """The fake robot is installed."""
    plugin_site.add(
        "rpent-robot-fake",
        entry_points={"rpent.robots": {"fake": "fake_plugin"}},
        modules={"fake_plugin.py": ROBOT},
        version=__version__,  # what its env server, which is core's, says of itself
    )


@pytest.fixture
def environment(fake_robot, tmp_path) -> dict[str, str]:
    """What a child process sees: its own home, and none of the developer's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    return {**kept, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def command(tmp_path) -> Callable[..., list[str]]:
    """The command line of `rpent mcp` over the fake robot."""

    def build(*options: str) -> list[str]:
        runs = ["--output-dir", str(tmp_path / "runs"), "--no-video"]
        return [sys.executable, "-m", "rpent", "mcp", "--robot", "fake", *runs, *options]

    return build


@pytest.fixture
def stdio(command, environment) -> Callable[..., StdioServerParameters]:
    """How a client starts `rpent mcp`."""

    def build(*options: str) -> StdioServerParameters:
        program, *arguments = command(*options)
        return StdioServerParameters(command=program, args=arguments, env=environment)

    return build


@pytest.fixture
def run_dir(tmp_path) -> Callable[[], Path]:
    """The one run directory."""
    return lambda: next(path for path in (tmp_path / "runs").iterdir() if path.is_dir())


def outcome_of(directory: Path) -> dict[str, Any]:
    """The outcome in run.json."""
    found: dict[str, Any] = json.loads((directory / "run.json").read_text())["outcome"]
    return found


def events_of(directory: Path) -> list[dict[str, Any]]:
    """The events."""
    return [json.loads(line) for line in (directory / "events.jsonl").read_text().splitlines()]
