"""`rpent mcp` over the fake robot, as a child process, and what it recorded."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events

DROPPED = ("CLAUDE", "ANTHROPIC", "OPENAI", "CODEX", "MCP_", "RPENT_")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def fake_robot(plugin_site):
    """The fake robot is installed."""
    plugin_site.add_fake_robot()


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


class Recorded:
    """The one run of a test, as it stands in its directory."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs

    @property
    def path(self) -> Path:
        return next(path for path in self.runs.iterdir() if path.is_dir())

    def manifest(self) -> dict[str, Any]:
        return RunDirectory(self.path).read_manifest()

    def outcome(self) -> dict[str, Any]:
        """The outcome, once it is written."""
        deadline = time.monotonic() + 20
        while not (outcome := self.manifest().get("outcome")) and time.monotonic() < deadline:
            time.sleep(0.05)
        return outcome

    def events(self, *kinds: str) -> list[Any]:
        return [event for event in read_events(self.path / "events.jsonl") if event.type in kinds]


@pytest.fixture
def recorded(tmp_path) -> Recorded:
    """The run of this test."""
    return Recorded(tmp_path / "runs")
