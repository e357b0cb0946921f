"""Servers and planners of a test: the real Claude Code against a local model server."""

from __future__ import annotations

from typing import Any

from rpent.session.session import Session, SessionEndedError
from rpent.testing import stage
from rpent.testing.models import Call, ModelServer, Reply
from rpent.testing.stage import Played, Script
from rpent_planner_claude_code.config import ClaudeCodeConfig
from rpent_planner_claude_code.planner import ClaudeCodePlanner

__all__ = ["FAR", "FINISH", "LOOK", "Played", "Stage", "config"]

LOOK = Call("look", {"size": 64})
FAR = Call("move_to", {"xyz": [0.3, 0.3, 0.3]})
FINISH = Reply(calls=[Call("finish", {"status": "failure", "summary": "Enough."})])


def config(server: ModelServer, **options: Any) -> ClaudeCodeConfig:
    """Return the options that lead to a local server."""
    return ClaudeCodeConfig(**({"model": "test-model", "base_url": server.url} | options))


class Stage(stage.Stage):
    """Starts this planner against scripts."""

    passing = (SessionEndedError,)

    def begin(self, script: Script, options: dict[str, Any] | None = None, **session: Any) -> Played:
        """Start a planner against a script."""
        server = self.serve(script)
        return self.start(server, self.session(**session), config(server, **(options or {})))

    def start(self, server: ModelServer, session: Session, options: ClaudeCodeConfig) -> Played:
        """Start a planner on its own thread."""
        return self.perform(server, session, ClaudeCodePlanner(options))

    def play(self, script: Script, options: dict[str, Any] | None = None, **session: Any) -> Played:
        """Run a planner to its end."""
        return self.begin(script, options, **session).join()
