"""`/api/me`: who asks, and what this dashboard is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from rpent import __version__
from rpent.encodable import encodable

if TYPE_CHECKING:
    from rpent_dashboard.web.surroundings import Surroundings


def router(surroundings: Surroundings) -> APIRouter:
    """Return the route."""
    routes = APIRouter()
    settings = surroundings.settings

    @routes.get("/api/me")
    async def me(request: Request) -> dict[str, Any]:
        return {
            "version": __version__,
            "csrf": settings.access.csrf_of(request.state.session),
            "output_dir": encodable(surroundings.output_dir.resolve().name),
            "loopback": settings.loopback,
            "hosting": surroundings.host is not None,
            "one_session": surroundings.host is not None and surroundings.host.one_session,
        }

    return routes
