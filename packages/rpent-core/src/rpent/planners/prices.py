"""What a model response cost: the user's prices, else the listed ones, else not known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rpent.planners.faults import model_error
from rpent.session.usage import Usage

if TYPE_CHECKING:
    from rpent.planners.config import ModelConfig
    from rpent.session.limits import Limits

_MTOK = 1_000_000


def cost_usd(usage: Usage, model: str, config: ModelConfig, provider: str | None = None) -> float | None:
    """Return the cost of one model response.

    Args:
        usage: Its tokens; `input_tokens` counts cached ones too. With prices of the user's own, cached tokens cost
            as much as others.
        model: Name of the model, as its provider has it.
        config: May hold prices.
        provider: Provider's id in genai-prices (`anthropic`, `openai`); found from the name when None.

    Returns:
        US dollars, or None when no price is known.
    """
    own = own_prices(config)
    if own is not None:
        return (usage.input_tokens * own.input_usd + usage.output_tokens * own.output_usd) / _MTOK
    return _listed(usage, model, provider)


def priced(usage: Usage, model: str, config: ModelConfig, provider: str | None = None) -> Usage:
    """Return the usage of one model response with its cost; the arguments are those of `cost_usd`."""
    return replace(usage, cost_usd=cost_usd(usage, model, config, provider))


def price_known(model: str, config: ModelConfig, provider: str | None = None) -> bool:
    """Return whether `cost_usd` has an answer for the model."""
    return cost_usd(Usage(input_tokens=1, output_tokens=1), model, config, provider) is not None


def require_price(
    limits: Limits, *, planner: str, model: str, config: ModelConfig, provider: str | None = None
) -> None:
    """Refuse a cost limit that could not be held.

    Raises:
        ModelError: A cost limit is set and the price of the model is not known.
    """
    if limits.cost_limit_usd is not None and not price_known(model, config, provider):
        raise model_error("price", planner=planner, model=model)


@dataclass(frozen=True, slots=True)
class _Prices:
    input_usd: float
    output_usd: float


def own_prices(config: ModelConfig) -> _Prices | None:
    """Return the prices that the user gave, per million tokens; one alone leaves the other at nothing."""
    if config.input_usd_per_mtok is None and config.output_usd_per_mtok is None:
        return None
    return _Prices(config.input_usd_per_mtok or 0.0, config.output_usd_per_mtok or 0.0)


def _listed(usage: Usage, model: str, provider: str | None) -> float | None:
    try:
        import genai_prices  # noqa: PLC0415  (a planner's distribution brings it)
    except ImportError:
        return None
    counts = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens or None,
        cache_write_tokens=usage.cache_write_tokens or None,
    )
    try:
        return float(genai_prices.calc_price(counts, model, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None
