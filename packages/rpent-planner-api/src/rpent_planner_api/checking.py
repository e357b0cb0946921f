"""Can the model be asked? SDK, price, key, address and name, before a simulator starts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rpent.planners.prices import require_price
from rpent.planners.probe import probe_model
from rpent.planners.sdk import importing_sdk, require_sdk

from rpent_planner_api.models import PLANNER, PLUGIN, SDK, build_model, facts, key_variable, model_name

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from rpent.planners.probe import Wire
    from rpent.session.limits import Limits

    from rpent_planner_api.config import ApiConfig

HARNESS = "pydantic-ai-harness"
_WIRES: dict[str, Wire] = {
    "anthropic": "anthropic",
    "openai": "openai",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "ollama": "openai",
    "vllm": "openai",
    "litellm": "openai",
}
"""Providers whose servers list their models for nothing."""
_RESPONSES = {"openai": "/responses", "openai-responses": "/responses"}
"""What many servers do not have that speak chat completions."""
_SMALLEST_REPLY = 16
_TIMEOUT_S = 20.0


def check_model(config: ApiConfig, limits: Limits) -> None:
    """Raise what would keep the model from answering.

    Raises:
        ModelError: The SDK, the key, the address, the model or the price is missing or wrong.
        UsageError: There is no such provider.
    """
    for distribution in (SDK, HARNESS):
        require_sdk(distribution, planner=PLANNER, plugin=PLUGIN)
    model = build_model(config)
    wanted = model_name(config)
    require_price(
        limits, planner=config.planner, model=wanted.name, config=config, provider=wanted.price_provider
    )
    if not config.check:
        return
    wire = _WIRES.get(wanted.provider)
    if wire is None:
        asyncio.run(_ask_for_a_word(model, config))
        return
    route = _RESPONSES.get(wanted.provider, "") if config.base_url else ""
    client: Any = model.client  # type: ignore[attr-defined]
    probe_model(
        wire=wire,
        base_url=str(client.base_url).rstrip("/"),
        key=client.api_key,
        model=wanted.name,
        planner=config.planner,
        key_variable=key_variable(config),
        route=route,
        otherwise=f"Give `--model openai-chat:{wanted.name}`.",
    )


async def _ask_for_a_word(model: Model, config: ApiConfig) -> None:
    """Make the smallest request: providers without a free question are asked one that costs next to nothing."""
    with importing_sdk(SDK, planner=PLANNER, plugin=PLUGIN):
        from pydantic_ai.direct import model_request  # noqa: PLC0415
        from pydantic_ai.messages import ModelRequest  # noqa: PLC0415

        from rpent_planner_api.errors import as_model_error  # noqa: PLC0415
    try:
        async with model:
            await model_request(
                model,
                [ModelRequest.user_text_prompt("Say yes.")],
                model_settings={"max_tokens": _SMALLEST_REPLY, "max_retries": 0, "timeout": _TIMEOUT_S},
            )
    except Exception as error:
        fault = as_model_error(error, facts(config))
        if fault is None:
            raise
        if not fault.retryable or fault.fault == "unreachable":
            raise fault from error
