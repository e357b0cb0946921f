"""The options as pydantic-ai's model settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from rpent_planner_api.models import model_name

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

    from rpent_planner_api.config import ApiConfig, Effort

_OPENAI = ("openai", "openai-chat", "openai-responses")
_SHARES: dict[str, float] = {"minimal": 0.0, "low": 0.25, "medium": 0.5, "high": 0.75}
"""Of a reply's tokens, for Claude models that are given their thinking as a number of tokens."""
_SMALLEST_BUDGET = 1024
"""The least that Anthropic's API accepts as `budget_tokens`."""


def model_settings(config: ApiConfig, model: Model) -> ModelSettings:
    """Return the settings of a request. The client does not retry by itself: each retry is to be recorded."""
    settings: dict[str, Any] = {
        "max_tokens": config.max_tokens,
        "max_retries": 0,
        "timeout": config.reply_timeout_s,
        "cache": True,
    }
    if config.temperature is not None:
        settings["temperature"] = config.temperature
    if config.reasoning_effort is not None:
        settings |= _thinking(config, model, config.reasoning_effort)
    return cast("ModelSettings", settings)


def _thinking(config: ApiConfig, model: Model, effort: Effort) -> dict[str, Any]:
    profile: Any = model.profile
    if model_name(config).provider in _OPENAI:
        # Sent as it is, since nothing is known of a local model's abilities.
        return {"openai_reasoning_effort": effort}
    if effort == "none":
        return {"thinking": False}
    if model.system == "anthropic" and not profile.get("anthropic_supports_adaptive_thinking", False):
        budget = max(_SMALLEST_BUDGET, int(config.max_tokens * _SHARES[effort]))
        if not profile.get("supports_thinking", False) or budget >= config.max_tokens:
            return {}
        return {"anthropic_thinking": {"type": "enabled", "budget_tokens": budget}}
    return {"thinking": effort}
