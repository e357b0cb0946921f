"""A model server for the real Codex, and an environment with nothing of the developer's in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from rpent.testing.models import ModelServer
from rpent_planner_codex.config import CodexConfig
from rpent_planner_codex.planner import CodexPlanner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PREFIXES = ("CODEX", "OPENAI", "ANTHROPIC", "CLAUDE", "MCP_", "LITELLM", "RPENT")


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    for name in list(os.environ):
        if name.startswith(PREFIXES):
            monkeypatch.delenv(name)
    home = tmp_path / "user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CODEX_HOME", str(home / ".codex"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModelServer]]:
    """Start model servers; the key of the last is in the environment."""
    servers: list[ModelServer] = []

    def serve_(script, **options) -> ModelServer:
        server = ModelServer(script, **options)
        server.start()
        servers.append(server)
        if server.key:
            monkeypatch.setenv("OPENAI_API_KEY", server.key)
        return server

    yield serve_
    for server in servers:
        server.close()


@pytest.fixture
def planner_for() -> Callable[..., CodexPlanner]:
    """Make a planner for a model server."""

    def planner(server: ModelServer, **options) -> CodexPlanner:
        options = {"model": server.models[0] if server.models else "test-model", **options}
        return CodexPlanner(CodexConfig(base_url=f"{server.url}/v1", **options))

    return planner
