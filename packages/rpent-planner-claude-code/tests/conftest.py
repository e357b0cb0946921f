"""Fixtures: nothing of the developer's shell, and a stage for the real Claude Code."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .stage import Stage

FOREIGN = (
    "CLAUDE",
    "ANTHROPIC",
    "OPENAI",
    "MCP_",
    "AWS_",
    "GOOGLE_",
    "OTEL_",
    "HTTP",
    "NO_PROXY",
    "no_proxy",
)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the developer's shell; the test server's key; a home and temporary files of the test's own."""
    for name in list(os.environ):
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Servers and sessions of one test."""
    made = Stage(tmp_path)
    with made.stack:
        yield made
