"""A dashboard with routes that do something, and requests as no client library would send them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi import APIRouter
from pydantic import BaseModel
from rpent_dashboard.web import serving
from sse_starlette import EventSourceResponse


@dataclass
class Answer:
    """What came back, taken apart by hand."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def exchange(port: int, request: bytes, *, timeout_s: float = 20) -> Answer:
    """Send bytes and read until the server closes; status 0 where it answers nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as connection:
        with contextlib.suppress(ConnectionError):  # refused before everything was sent: the answer is there
            connection.sendall(request)
        return parsed(received(connection))


def received(connection: socket.socket) -> bytes:
    """Read until the server closes."""
    data = b""
    while True:
        try:
            chunk = connection.recv(65536)
        except ConnectionError:
            return data
        if not chunk:
            return data
        data += chunk


def parsed(data: bytes) -> Answer:
    """Take an answer apart."""
    if not data:
        return Answer()
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Answer(int(first.split()[1]), headers, body)


class Note(BaseModel):
    """What `/api/test/note` takes."""

    text: str
    times: int = 1


class Sabotage:
    """Routes that a test can ask for, and what reached them."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.ended = 0
        self.router = APIRouter()
        self.router.add_api_route("/api/test/note", self.note, methods=["POST"])
        self.router.add_api_route("/api/test/note", self.forget, methods=["DELETE"])
        self.router.add_api_route("/api/test/bug", self.bug)
        self.router.add_api_route("/api/test/ticks", self.ticks)
        self.router.add_api_route("/api/test/flood", self.flood)

    def note(self, note: Note) -> dict[str, bool]:
        """Change something."""
        self.notes.append(note)
        return {"done": True}

    def forget(self) -> dict[str, bool]:
        """Change something without a body."""
        self.notes.clear()
        return {"done": True}

    def bug(self) -> None:
        """Fail as nobody expects."""
        raise ZeroDivisionError("a secret of the server")

    def ticks(self) -> EventSourceResponse:
        """Stream without end."""
        return EventSourceResponse(self._events(0.05, "tick"))

    def flood(self) -> EventSourceResponse:
        """Stream more than a client reads that does not read."""
        return EventSourceResponse(self._events(0, "x" * 65536))

    async def _events(self, pause_s: float, data: str) -> Any:
        try:
            while True:
                yield {"event": "tick", "data": data}
                await asyncio.sleep(pause_s)
        finally:
            self.ended += 1


@pytest.fixture
def sabotage(monkeypatch: pytest.MonkeyPatch) -> Sabotage:
    """Add the routes to the dashboards of this test."""
    added = Sabotage()
    create_app = serving.create_app

    def with_routes(surroundings: Any) -> Any:
        app = create_app(surroundings)
        app.include_router(added.router)
        return app

    monkeypatch.setattr(serving, "create_app", with_routes)
    return added


@pytest.fixture
def served(sabotage: Sabotage, serve_with: Callable[..., Any]) -> Any:
    """A dashboard with the routes."""
    return serve_with()


@pytest.fixture
def raw(served: Any) -> Callable[..., Answer]:
    """Send a request byte by byte: `raw("GET /x HTTP/1.1", "Name: value", body=b"")`.

    `Host`, the cookie and the CSRF header are right unless the test says otherwise (`host=None` leaves one out).
    """

    def send(first: str, *lines: str, body: bytes = b"", login: bool = True, host: str | None = "") -> Answer:
        head = [first]
        if host is not None:
            head.append(f"Host: {host or f'127.0.0.1:{served.port}'}")
        if login:
            head += [f"Cookie: {served.cookie}", f"X-RPent-CSRF: {served.csrf}"]
        head += [*lines, "Connection: close"]
        text = "\r\n".join(head) + "\r\n\r\n"
        return exchange(served.port, text.encode("latin-1") + body)

    return send


@pytest.fixture
def connect(served: Any) -> Any:
    """Open a bare connection: `with connect() as connection`."""

    def opened() -> socket.socket:
        return socket.create_connection(("127.0.0.1", served.port), timeout=20)

    return opened


@pytest.fixture
def answer_on() -> Callable[[socket.socket], Answer]:
    """Read what comes on a bare connection until the server closes it."""
    return lambda connection: parsed(received(connection))
