"""Which server Claude Code talks to, as whom, and for which model."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpent.planners.faults import model_error

from rpent_planner_claude_code.config import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.planners.faults import Fault, ModelError

    from rpent_planner_claude_code.config import ClaudeCodeConfig

PLANNER = "claude_code"
PLUGIN = "rpent-planner-claude-code"
SDK = "claude-agent-sdk"

ANTHROPIC_URL = "https://api.anthropic.com"
API_KEY, AUTH_TOKEN, LOGIN_TOKEN = "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"
KEYS = (API_KEY, AUTH_TOKEN, LOGIN_TOKEN)
"""Variables that may hold a key; the first that is set counts."""
ALIASES = frozenset({"default", "best", "sonnet", "opus", "haiku", "opusplan"})
"""Names that Claude Code itself translates."""
_NO_KEY = "none"
"""What a server gets that asks for no key; Claude Code starts with none."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model server, the model and the key."""

    model: str
    base_url: str
    """Empty: Anthropic's own."""
    key_variable: str
    key: str = field(repr=False)

    @property
    def is_alias(self) -> bool:
        """Whether the model is a name that only Claude Code understands."""
        return self.model.partition("[")[0] in ALIASES

    @property
    def with_login(self) -> bool:
        """Whether a subscription pays, through the token of `claude setup-token`."""
        return self.key_variable == LOGIN_TOKEN

    @property
    def environment(self) -> dict[str, str]:
        """What Claude Code reads of it."""
        address = {"ANTHROPIC_BASE_URL": self.base_url} if self.base_url else {}
        return {self.key_variable: self.key, **address}

    def error(self, fault: Fault, detail: str = "") -> ModelError:
        """Return the error for a fault of this server."""
        return model_error(
            fault,
            planner=PLANNER,
            model=self.model,
            base_url=self.base_url,
            key_variable=self.key_variable,
            detail=detail,
        )


def find_endpoint(config: ClaudeCodeConfig, environment: Mapping[str, str] | None = None) -> Endpoint:
    """Return what the options and the environment say.

    Raises:
        ModelError: Anthropic's own server is meant and there is no key for it.
    """
    values = os.environ if environment is None else environment
    base_url = (config.base_url or values.get("ANTHROPIC_BASE_URL") or "").rstrip("/")
    base_url = "" if base_url == ANTHROPIC_URL else base_url
    variable = next((name for name in KEYS if values.get(name)), "")
    if not variable and not base_url:
        raise _no_key(config.model or DEFAULT_MODEL)
    return Endpoint(
        model=config.model or DEFAULT_MODEL,
        base_url=base_url,
        key_variable=variable or API_KEY,
        key=values[variable] if variable else _NO_KEY,
    )


def _no_key(model: str) -> ModelError:
    error = model_error("key", planner=PLANNER, model=model, key_variable=API_KEY)
    error.hint = f"export {API_KEY}=... (or {LOGIN_TOKEN}, from `claude setup-token`)"
    return error
