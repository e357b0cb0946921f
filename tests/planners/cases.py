"""The planners of the matrix: each with its real client, pointed at a local model server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from rpent.testing.models import ModelServer

KEY = "test-key"
PRICES = {"input_usd_per_mtok": 1000.0, "output_usd_per_mtok": 5000.0}
"""A reply of 100 tokens in and 20 out costs 0.20 USD."""


@dataclass(frozen=True)
class Case:
    """One planner over one wire."""

    id: str
    planner: str
    wire: str
    options: Callable[[ModelServer], dict[str, Any]]
    vendor: bool = False
    """Whether it starts a vendor's binary: seconds of start-up, and words of its own on some mistakes."""
    own_tools: frozenset[str] = frozenset()
    """Tools that the vendor adds and that cannot be switched off; they reach nothing beyond the robot's server."""

    @property
    def start_s(self) -> float:
        """How long until the first tool call, generously."""
        return 5.0 if self.vendor else 1.5


def _api(provider: str, path: str) -> Callable[[ModelServer], dict[str, Any]]:
    return lambda server: {"model": f"{provider}:test-model", "base_url": f"{server.url}{path}"}


CASES = [
    Case("api-chat", "api", "chat", _api("openai-chat", "/v1")),
    Case("api-responses", "api", "responses", _api("openai", "/v1")),
    Case("api-anthropic", "api", "anthropic", _api("anthropic", "")),
    Case(
        "claude-code",
        "claude_code",
        "anthropic",
        lambda server: {"model": "test-model", "base_url": server.url},
        vendor=True,
    ),
    Case(
        "codex",
        "codex",
        "responses",
        lambda server: {"model": "test-model", "base_url": f"{server.url}/v1"},
        vendor=True,
        own_tools=frozenset({"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"}),
    ),
]

PARAMS = [pytest.param(case, id=case.id, marks=[pytest.mark.sdk] if case.vendor else []) for case in CASES]
