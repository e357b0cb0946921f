"""The options as pydantic-ai's model settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from rpent_planner_api.models import model_name

if TYPE_CHECKING:
    from pydantic_ai.settings import ModelSettings

    from rpent_planner_api.config import ApiConfig

_OPENAI = ("openai", "openai-chat", "openai-responses")


def model_settings(config: ApiConfig) -> ModelSettings:
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
        if model_name(config).provider in _OPENAI:
            # Sent as it is, since nothing is known of a local model's abilities.
            settings["openai_reasoning_effort"] = config.reasoning_effort
        else:
            settings["thinking"] = False if config.reasoning_effort == "none" else config.reasoning_effort
    return cast("ModelSettings", settings)
