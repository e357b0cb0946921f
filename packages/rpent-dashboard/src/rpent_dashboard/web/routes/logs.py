"""The logs of a run's services, as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Query
from sse_starlette.sse import EventSourceResponse

from rpent_dashboard.reading.files import log_of
from rpent_dashboard.reading.stream import log_stream
from rpent_dashboard.reading.tail import last_lines
from rpent_dashboard.web.routes.runs import MAX_OFFSET, resumed

if TYPE_CHECKING:
    from rpent_dashboard.web.surroundings import Surroundings


def router(surroundings: Surroundings) -> APIRouter:
    """Return the route of logs."""
    routes = APIRouter()
    library = surroundings.library

    @routes.get("/api/runs/{key}/logs/{service}/stream")
    async def stream(
        key: str,
        service: str,
        tail: Annotated[int, Query(ge=0, le=5000)] = 200,
        start: Annotated[int | None, Query(ge=0, le=MAX_OFFSET, alias="from")] = None,
        last_event_id: Annotated[str, Header()] = "",
    ) -> EventSourceResponse:
        run = library.run(key)
        log = log_of(run, service)
        offset = last_lines(log, tail) if start is None else start
        offset = resumed(last_event_id, offset)
        return EventSourceResponse(log_stream(library.watcher, run, log, offset), sep="\n")

    return routes
