"""What one reply of a model cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rpent.planners.prices import cost_usd, own_prices
from rpent.session.usage import Usage

from rpent_planner_api.models import model_name

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

    from rpent_planner_api.config import ApiConfig


def usage_of(response: ModelResponse, config: ApiConfig) -> Usage:
    """Return a reply's tokens and their price: the user's prices, else what the provider says, else the listed ones."""
    usage, name = response.usage, model_name(config)
    spent = Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=usage.details.get("reasoning_tokens", 0),
        model=response.model_name or name.name,
    )
    cost = cost_usd(spent, name.name, config, name.price_provider)
    if usage.cost is not None and own_prices(config) is None:
        cost = float(usage.cost)
    return replace(spent, cost_usd=cost)
