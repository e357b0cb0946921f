"""`/api/launch/choices`: what a robot's field accepts, before there is a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from rpent.plugins.named import load_named

from rpent_dashboard.hosting.choices import choices_of
from rpent_dashboard.hosting.errors import ConflictError, FieldError

if TYPE_CHECKING:
    from rpent_dashboard.web.surroundings import Surroundings

MAX_VALUES = 4000
"""Characters of the other fields' values."""


def router(surroundings: Surroundings) -> APIRouter:
    """Return the route."""
    routes = APIRouter()

    @routes.get("/api/launch/choices")
    def choices(robot: str, field: str, values: str = "{}") -> list[dict[str, Any]]:
        if surroundings.host is None:
            raise ConflictError("This dashboard shows runs and starts none.")
        if robot not in surroundings.host.registry.names("robots"):
            raise FieldError(f"There is no robot `{robot[:40]}`.", field="robot")
        spec = surroundings.host.registry.get("robots", robot)
        model = load_named(spec.config, f"robot `{robot}`")
        if field not in model.model_fields:
            raise FieldError(f"The robot `{robot}` has no field `{field[:40]}`.", field="field")
        found = choices_of(spec.dashboard, model, field, _object(values))
        return [{"value": choice.value, "label": choice.label} for choice in found]

    return routes


def _object(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text[:MAX_VALUES])
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise FieldError("`values` is not a JSON object.", field="values")
    return values
