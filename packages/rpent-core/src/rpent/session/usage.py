"""What a run's model calls cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Usage of one model response, or the sum of many.

    `input_tokens` counts all input, cached or not; the cache fields say how much of it was cached.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    requests: int = 1
    cost_usd: float | None = None
    """None where the price is not known."""
    model: str = ""

    @property
    def tokens(self) -> int:
        """Input plus output."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        counts = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in fields(self)
            if field.name not in {"cost_usd", "model"}
        }
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(**counts, cost_usd=sum(costs) if costs else None, model=other.model or self.model)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


ZERO = Usage(requests=0)
