"""The options of the planner `codex`."""

from __future__ import annotations

import os
from typing import Literal

from pydantic import Field, model_validator
from rpent.planners.config import ModelConfig

Upstream = Literal["responses", "chat", "anthropic"]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class CodexConfig(ModelConfig):
    """Which model Codex runs, where it is, and what is paid with."""

    model: str | None = Field(
        default_factory=lambda: os.environ.get("CODEX_MODEL") or None,
        description="The language model; from `CODEX_MODEL`, else the default of the bundled Codex.",
    )
    base_url: str | None = Field(
        default=None,
        description="Address of the model server, with its version (`http://localhost:11434/v1`); OpenAI's when"
        " left out. With `--upstream anthropic` without the version.",
    )
    upstream: Upstream = Field(
        default="responses",
        description="What the model server speaks. Codex speaks `responses` only; `chat` (chat completions) and"
        " `anthropic` go through a LiteLLM proxy that the run starts (extra `proxy`).",
    )
    reasoning_effort: Effort | None = Field(
        default=None, description="How much the model thinks; the model's own default when left out."
    )
    login: bool = Field(
        default=False, description="Pay with the account that `codex login` stored, instead of a key."
    )
    context_window: int | None = Field(
        default=None,
        ge=4096,
        description="Tokens of the model's context, for a model that Codex does not know; it summarises the"
        " conversation at 90 %.",
    )

    @model_validator(mode="after")
    def _login_is_openais(self) -> CodexConfig:
        if self.login and (self.base_url or self.upstream != "responses"):
            raise ValueError("`--login` is for OpenAI's own models; leave out `--base-url` and `--upstream`.")
        return self
