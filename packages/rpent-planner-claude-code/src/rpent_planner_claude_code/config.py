"""Options of `--planner claude_code`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from rpent.planners.config import ModelConfig

DEFAULT_MODEL = "sonnet"

Effort = Literal["low", "medium", "high", "xhigh", "max"]


class ClaudeCodeConfig(ModelConfig):
    """Which model Claude Code asks, and how."""

    model: str | None = Field(
        default=None,
        description=f"A model of Anthropic's, by name or alias (sonnet, opus, haiku; {DEFAULT_MODEL} when left out); "
        "with --base-url: a model of that server.",
    )
    base_url: str | None = Field(
        default=None,
        description="Address of a server that speaks Anthropic's Messages, without /v1; from ANTHROPIC_BASE_URL, "
        "else Anthropic's own.",
    )
    thinking: bool = Field(default=True, description="Let the model think before it acts, where it can.")
    reasoning_effort: Effort | None = Field(
        default=None, description="How thoroughly the model works; its own default when left out."
    )
    max_tokens: int | None = Field(
        default=None,
        ge=256,
        description="Tokens of one reply of the model at most; what Claude Code knows of it when left out.",
    )
    context_window: int | None = Field(
        default=None,
        ge=8192,
        description="Tokens of the model's context, for a model that Claude Code does not know: it summarises the "
        "conversation before they are used up.",
    )
