"""Fixtures: nothing of the developer's shell, each wire in turn, a stage for planners."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .stage import WIRES, Stage


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the developer's shell; the test server's key; pauses between attempts too short to notice."""
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC", "OPENAI", "GOOGLE", "GEMINI", "GROQ", "MISTRAL", "OLLAMA", "VLLM")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    monkeypatch.setattr("rpent.planners.retries.FIRST_PAUSE_S", 0.01)


@pytest.fixture(params=list(WIRES))
def provider(request: pytest.FixtureRequest) -> str:
    """Each wire in turn."""
    return str(request.param)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Servers and sessions of one test."""
    made = Stage(tmp_path)
    with made.stack:
        yield made
