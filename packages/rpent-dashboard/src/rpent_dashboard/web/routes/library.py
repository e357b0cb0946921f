"""`/api/runs`: the library, and when it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from sse_starlette.sse import EventSourceResponse
from starlette.responses import Response  # noqa: TC002  (FastAPI reads the annotations)

from rpent_dashboard.reading import query
from rpent_dashboard.reading.stream import RETRY, message
from rpent_dashboard.web.answers import json_answer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from rpent_dashboard.reading.library import Library
    from rpent_dashboard.web.surroundings import Surroundings


def router(surroundings: Surroundings) -> APIRouter:
    """Return the routes of the library."""
    routes = APIRouter()
    library = surroundings.library

    @routes.get("/api/runs")
    def runs(
        request: Request,
        *,
        q: Annotated[str, Query(max_length=500)] = "",
        sort: query.Sort = "created",
        order: query.Order = "desc",
        offset: Annotated[int, Query(ge=0, le=10**7)] = 0,
        limit: Annotated[int, Query(ge=0, le=1000)] = 100,
    ) -> Response:
        given = {name: request.query_params.getlist(name) for name in query.FILTERS}
        filters = {name: [value for value in values if value] for name, values in given.items()}
        asked = query.Query(q=q, filters=filters, sort=sort, order=order)
        return json_answer(library.page(asked, offset, limit))

    @routes.get("/api/library/stream")
    async def stream() -> EventSourceResponse:
        return EventSourceResponse(_changes(library), sep="\n")

    return routes


async def _changes(library: Library) -> AsyncIterator[bytes]:
    yield RETRY
    async for _ in library.changes():
        yield message("changed")
