"""`/api/runs/{key}`: one run: what it is, its events as they come, its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi import Path as PathPart
from sse_starlette.sse import EventSourceResponse
from starlette.responses import FileResponse, Response, StreamingResponse

from rpent_dashboard.reading.detail import detail_of
from rpent_dashboard.reading.files import FILES, file_of
from rpent_dashboard.reading.liveness import is_over
from rpent_dashboard.reading.single import whole_event
from rpent_dashboard.reading.stream import run_stream
from rpent_dashboard.web.answers import json_answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rpent_dashboard.web.surroundings import Surroundings

MAX_OFFSET = 2**53
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, alias="from")]
_BLOCK = 256_000


def router(surroundings: Surroundings) -> APIRouter:
    """Return the routes of a run."""
    routes = APIRouter(prefix="/api/runs/{key}")
    library = surroundings.library

    @routes.get("")
    def detail(key: str) -> Response:
        run = library.run(key)
        plugins = getattr(surroundings.host, "registry", None)
        found = detail_of(run, library.row(run), plugins)
        return json_answer({**found, "hosted": is_hosted(surroundings.host, key)})

    @routes.get("/stream")
    async def stream(
        key: str, start: Offset = 0, last_event_id: Annotated[str, Header()] = ""
    ) -> EventSourceResponse:
        run = library.run(key)
        return EventSourceResponse(run_stream(library.watcher, run, resumed(last_event_id, start)), sep="\n")

    @routes.get("/events/{offset}")
    def event(key: str, offset: Annotated[int, PathPart(ge=0, le=MAX_OFFSET)]) -> Response:
        return Response(whole_event(library.run(key), offset), media_type="application/json")

    @routes.get("/files/{name}")
    def file(key: str, name: str, download: bool = False) -> Response:
        run = library.run(key)
        path = file_of(run, name)
        headers = {"Cache-Control": "private, no-cache"}
        if download:
            headers["Content-Disposition"] = f'attachment; filename="{_ascii(run.name)}_{name}"'
        if is_over(run):
            return FileResponse(path, media_type=FILES[name], headers=headers)
        return _so_far(path, FILES[name], headers)

    return routes


def resumed(last_event_id: str, start: int) -> int:
    """Return where a stream goes on: what the browser had last, or what was asked for."""
    known = last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= len(str(MAX_OFFSET))
    return int(last_event_id) if known else start


def is_hosted(host: Any, key: str) -> bool:
    """Whether the dashboard itself executes the run at the moment."""
    state = host.state() if host is not None else None
    if not state or state["current"] is None:
        return False
    return any(task["id"] == state["current"] and task["run"] == key for task in state["tasks"])


def _ascii(name: str) -> str:
    return "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "_" for letter in name
    )


def _so_far(path: Path, media_type: str, headers: dict[str, str]) -> Response:
    """Return a file that is being written, up to what it holds now."""
    size = path.stat().st_size

    def blocks() -> Iterator[bytes]:
        left = size
        with path.open("rb") as file:
            while left > 0 and (block := file.read(min(_BLOCK, left))):
                left -= len(block)
                yield block

    return StreamingResponse(
        blocks(),
        media_type=media_type,
        headers={**headers, "Content-Length": str(size), "Accept-Ranges": "none"},
    )
