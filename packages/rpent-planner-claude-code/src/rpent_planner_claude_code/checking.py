"""Can Claude Code work? SDK, binary, key, price, address and model, before a simulator starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.planners.faults import ModelError
from rpent.planners.prices import require_price
from rpent.planners.probe import probe_model

from rpent_planner_claude_code.binary import require_binary
from rpent_planner_claude_code.endpoint import ANTHROPIC_URL, API_KEY, PLANNER, find_endpoint

if TYPE_CHECKING:
    from rpent.session.limits import Limits

    from rpent_planner_claude_code.config import ClaudeCodeConfig
    from rpent_planner_claude_code.endpoint import Endpoint


def check_claude_code(config: ClaudeCodeConfig, limits: Limits) -> None:
    """Raise what would keep Claude Code from working.

    Raises:
        ModelError: The SDK, its binary, the key, the address, the model or the price is missing or wrong.
    """
    require_binary()
    endpoint = find_endpoint(config)
    if endpoint.base_url or not endpoint.is_alias:
        require_price(limits, planner=PLANNER, model=endpoint.model, config=config)
    if config.check:
        _probe(endpoint)


def _probe(endpoint: Endpoint) -> None:
    """Ask the server; not for a subscription, whose token answers no questions."""
    if endpoint.with_login:
        return
    try:
        probe_model(
            wire="anthropic",
            base_url=endpoint.base_url or ANTHROPIC_URL,
            key=endpoint.key,
            model=endpoint.model.partition("[")[0],
            planner=PLANNER,
            key_variable=endpoint.key_variable,
            bearer=endpoint.key_variable != API_KEY,
            route="/v1/messages" if endpoint.base_url else "",
            otherwise="Take a server of Anthropic's Messages, or `--planner api` with `--model openai-chat:NAME`.",
        )
    except ModelError as error:
        if not (endpoint.is_alias and error.fault == "model"):  # no server knows Claude Code's own names
            raise
