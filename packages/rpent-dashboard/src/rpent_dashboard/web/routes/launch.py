"""`/api/launch`: what a session can be opened with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from rpent_dashboard.hosting.errors import ConflictError

if TYPE_CHECKING:
    from rpent_dashboard.web.surroundings import Surroundings


def router(surroundings: Surroundings) -> APIRouter:
    """Return the route."""
    routes = APIRouter()

    @routes.get("/api/launch")
    def launch() -> dict[str, Any]:
        if surroundings.host is None:
            raise ConflictError("This dashboard shows runs and starts none.")
        found: dict[str, Any] = surroundings.host.catalogue.launch()
        return found

    return routes
