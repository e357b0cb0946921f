"""What a response cost: the user's prices, the listed ones, or not known."""

import pytest
from rpent.planners.config import ModelConfig
from rpent.planners.faults import ModelError
from rpent.planners.prices import cost_usd, price_known, require_price
from rpent.session.limits import Limits
from rpent.session.usage import Usage

USAGE = Usage(input_tokens=2_000_000, output_tokens=500_000)


def test_the_users_prices():
    config = ModelConfig(input_usd_per_mtok=1.5, output_usd_per_mtok=4)
    assert cost_usd(USAGE, "no-such-model", config) == pytest.approx(5.0)
    assert cost_usd(USAGE, "no-such-model", ModelConfig(input_usd_per_mtok=0)) == 0.0


def test_a_price_that_nobody_knows():
    assert cost_usd(USAGE, "no-such-model", ModelConfig()) is None
    assert not price_known("no-such-model", ModelConfig())


def test_a_cost_limit_needs_a_price():
    with pytest.raises(ModelError) as caught:
        require_price(Limits(cost_limit_usd=1), planner="api", model="no-such-model", config=ModelConfig())
    assert caught.value.fault == "price"
    assert "--input-usd-per-mtok" in caught.value.hint
    require_price(Limits(), planner="api", model="no-such-model", config=ModelConfig())
    config = ModelConfig(input_usd_per_mtok=1, output_usd_per_mtok=1)
    require_price(Limits(cost_limit_usd=1), planner="api", model="no-such-model", config=config)


def test_listed_prices_know_cached_tokens():
    pytest.importorskip("genai_prices")
    cached = Usage(input_tokens=1_000_000, cache_read_tokens=900_000)
    full, less = (cost_usd(usage, "claude-opus-4-5", ModelConfig(), "anthropic") for usage in (USAGE, cached))
    assert full == pytest.approx(2 * 5 + 0.5 * 25)
    assert less == pytest.approx(0.1 * 5 + 0.9 * 0.5)
