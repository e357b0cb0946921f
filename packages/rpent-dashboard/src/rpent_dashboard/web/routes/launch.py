"""`/api/launch`: what a session can be opened with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from rpent_dashboard.hosting.errors import ConflictError

if TYPE_CHECKING:
    from rpent_dashboard.reading.library import Library
    from rpent_dashboard.web.surroundings import Surroundings

MAX_MODELS = 20


def models_used(library: Library | None) -> list[str]:
    """Return the language models of earlier runs, the last used first."""
    rows = library.rows() if library else ()
    return list(dict.fromkeys(row.model for row in rows if row.model))[:MAX_MODELS]


def router(surroundings: Surroundings) -> APIRouter:
    """Return the route."""
    routes = APIRouter()

    @routes.get("/api/launch")
    def launch() -> dict[str, Any]:
        if surroundings.host is None:
            raise ConflictError("This dashboard shows runs and starts none.")
        return {**surroundings.host.catalogue.launch(), "models": models_used(surroundings.library)}

    return routes
