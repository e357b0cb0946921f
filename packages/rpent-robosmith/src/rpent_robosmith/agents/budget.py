"""What a run's model may cost, held before each request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import RpentError

if TYPE_CHECKING:
    from rpent_robosmith.reports import Usage

SMALLEST_REPLY = 256
"""Tokens; with fewer left, nothing worth having fits into a reply."""


class BudgetSpentError(RpentError):
    """The run's budget for its model is used up: tokens, money, or the run's time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelBudget:
    """Limits of the whole run; None means no limit."""

    tokens: int | None = None
    """Input plus output."""
    cost_usd: float | None = None

    def require(self, spent: Usage) -> None:
        """Refuse a request that there is no budget for.

        Raises:
            BudgetSpentError: A limit is reached.
        """
        tokens = spent.input_tokens + spent.output_tokens
        if self.tokens is not None and tokens + SMALLEST_REPLY > self.tokens:
            raise BudgetSpentError(
                f"The model's budget of {self.tokens} tokens is used up ({tokens} spent).",
                hint="Give more with `--model-tokens`.",
            )
        if self.cost_usd is not None and (spent.cost_usd or 0.0) >= self.cost_usd:
            raise BudgetSpentError(
                f"The model's budget of {self.cost_usd:g} USD is used up ({spent.cost_usd:.4f} spent).",
                hint="Give more with `--model-cost`.",
            )

    def reply_tokens(self, spent: Usage, usual: int) -> int:
        """Return how long a reply may be: the usual length, or what is left."""
        if self.tokens is None:
            return usual
        return max(SMALLEST_REPLY, min(usual, self.tokens - spent.input_tokens - spent.output_tokens))
