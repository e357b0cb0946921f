"""Filtering, searching and sorting the rows of the library, and counting what one can filter by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpent_dashboard.reading.rows import Row

FACETS = ("robot", "suite", "task", "planner", "model", "outcome")
"""What is counted."""
FILTERS = (*FACETS, "session")
"""What can be filtered by."""
_SEARCHED = (
    "name",
    "robot",
    "suite",
    "task",
    "instruction",
    "planner",
    "model",
    "policy",
    "outcome",
    "detail",
)
_SORTS = {"created": "created", "cost": "cost_usd", "duration": "duration_s"}

Sort = Literal["created", "cost", "duration"]
Order = Literal["asc", "desc"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """What of the library is asked for."""

    q: str = ""
    """Words that all have to occur somewhere."""
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Name of a filter → accepted values; an empty value stands for none at all."""
    sort: Sort = "created"
    order: Order = "desc"


def matching(rows: Sequence[Row], query: Query, *, without: str = "") -> list[Row]:
    """Return the rows that fit, in the given order; `without` names a filter that is not applied."""
    words = query.q.casefold().split()
    filters = {name: set(values) for name, values in query.filters.items() if values and name != without}
    return [row for row in rows if _fits(row, filters) and _mentions(row, words)]


def ordered(rows: Sequence[Row], query: Query) -> list[Row]:
    """Return the rows sorted; those that lack the value come last."""
    name = _SORTS[query.sort]
    known = [row for row in rows if getattr(row, name) is not None]
    known.sort(key=lambda row: (getattr(row, name), row.name), reverse=query.order == "desc")
    return known + [row for row in rows if getattr(row, name) is None]


def facets(rows: Sequence[Row], query: Query) -> dict[str, list[dict[str, Any]]]:
    """Count, for each facet, the values among the rows that the other filters let through; the most frequent first."""
    fitting = matching(rows, query)
    counted = {}
    for name in FACETS:
        counting = matching(rows, query, without=name) if query.filters.get(name) else fitting
        counts = Counter(value for row in counting for value in _values(row, name) if value)
        found = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        counted[name] = [{"value": value, "count": count} for value, count in found]
    return counted


def _fits(row: Row, filters: Mapping[str, set[str]]) -> bool:
    return all(not accepted.isdisjoint(_values(row, name)) for name, accepted in filters.items())


def _values(row: Row, name: str) -> tuple[str, ...]:
    if name == "planner":
        return row.planners or ("",)
    return (getattr(row, name) or "",)


def _mentions(row: Row, words: Sequence[str]) -> bool:
    if not words:
        return True
    text = " ".join(str(getattr(row, name) or "") for name in _SEARCHED).casefold()
    return all(word in text for word in words)
