"""The list of models, in the form of the API that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def is_anthropic(headers: Mapping[str, str]) -> bool:
    """Return whether a client speaks to Anthropic's API."""
    return "anthropic-version" in headers or "x-api-key" in headers


def model(name: str, *, anthropic: bool) -> dict[str, Any]:
    """Return one model."""
    if anthropic:
        return {"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
    return {"id": name, "object": "model", "created": 1767225600, "owned_by": "rpent"}


def models(names: Sequence[str], *, anthropic: bool) -> dict[str, Any]:
    """Return all models."""
    data = [model(name, anthropic=anthropic) for name in names]
    if anthropic:
        ends = {"first_id": names[0], "last_id": names[-1]} if names else {"first_id": None, "last_id": None}
        return {"data": data, "has_more": False, **ends}
    return {"object": "list", "data": data}
