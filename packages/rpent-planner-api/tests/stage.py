"""Servers and planners of a test: the real clients of pydantic-ai against a local model server."""

from __future__ import annotations

from typing import Any

from rpent.session.session import Session
from rpent.testing import stage
from rpent.testing.models import Call, ModelServer, Reply
from rpent.testing.stage import Played, Script
from rpent_planner_api.config import ApiConfig
from rpent_planner_api.planner import ApiPlanner

__all__ = ["FINISH", "WIRES", "Played", "Stage", "config"]

WIRES = {"anthropic": "", "openai": "/v1", "openai-chat": "/v1"}
"""Provider → what follows the server's address."""
FINISH = Reply(calls=[Call("finish", {"status": "failure", "summary": "Enough."})])


def config(server: ModelServer, provider: str = "anthropic", **options: Any) -> ApiConfig:
    """Return the options that lead to a local server."""
    address = server.url + WIRES[provider]
    return ApiConfig(**({"model": f"{provider}:test-model", "base_url": address} | options))


class Stage(stage.Stage):
    """Starts this planner against scripts."""

    patience_s = 30.0

    def begin(
        self,
        script: Script,
        provider: str = "anthropic",
        options: dict[str, Any] | None = None,
        **session: Any,
    ) -> Played:
        """Start a planner against a script."""
        server = self.serve(script)
        return self.start(server, self.session(**session), config(server, provider, **(options or {})))

    def start(self, server: ModelServer, session: Session, options: ApiConfig) -> Played:
        """Start a planner on its own thread."""
        return self.perform(server, session, ApiPlanner(options))

    def play(self, script: Script, provider: str = "anthropic", **options: Any) -> Played:
        """Run a planner to its end."""
        return self.begin(script, provider, **options).join()
