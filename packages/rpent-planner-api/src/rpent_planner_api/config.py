"""Options of `--planner api`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, field_validator
from rpent.planners.config import ModelConfig

Effort = Literal["none", "minimal", "low", "medium", "high"]


class ApiConfig(ModelConfig):
    """Which model, and how it is asked."""

    planner: ClassVar[str] = "api"
    """Whom errors name; a subclass for something else than a planner leaves it empty."""

    model: str | None = Field(
        default=None,
        description="Provider and model: anthropic:NAME, openai:NAME, openai-chat:NAME (with --base-url for a local "
        "server), google:NAME, …",
    )
    key_variable: str | None = Field(
        default=None,
        description="Environment variable that holds the key, where it is not the provider's usual one.",
    )
    max_tokens: int = Field(default=8192, ge=16, description="Tokens of one reply of the model at most.")
    reasoning_effort: Effort | None = Field(
        default=None, description="How long the model thinks; its own default when left out."
    )
    temperature: float | None = Field(default=None, ge=0, le=2, description="Sampling temperature.")
    max_pictures: int = Field(
        default=16,
        ge=1,
        description="Pictures in the conversation at most; the oldest make room, half of them at once.",
    )
    history_messages: int = Field(
        default=160, ge=4, description="Messages in the conversation at most; the oldest half makes room."
    )
    history_tokens: int | None = Field(
        default=None,
        ge=1000,
        description="Tokens of the conversation at most, for servers that cut it silently; then the oldest half goes.",
    )
    reply_timeout_s: float = Field(
        default=300.0,
        gt=0,
        description="Seconds of silence from the model server that count as a dropped reply.",
    )

    @field_validator("key_variable")
    @classmethod
    def _is_a_name(cls, value: str | None) -> str | None:
        if value is not None and not (value.isidentifier() and value.isascii()):
            raise ValueError("this is the name of a variable, such as `MY_SERVER_KEY`, not the key itself")
        return value
