"""One HTTP exchange with a local model server: reading the body, writing JSON and streams."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class Exchange:
    """What a server's log keeps of an exchange."""

    method: str
    path: str
    status: int | None = None
    note: str = ""
    headers: dict[str, str] = field(default_factory=dict, repr=False)


class HTTPExchange(BaseHTTPRequestHandler):
    """Reads whole bodies and writes whole or chunked answers; a client that goes away is noted, not raised."""

    protocol_version = "HTTP/1.1"
    exchange: Exchange

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
        """Say nothing on stderr."""

    def begin(self) -> Exchange:
        """Return the exchange's entry in the log."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.exchange = Exchange(self.command, self.path, headers=headers)
        self.close_connection = True
        return self.exchange

    def read_body(self) -> bytes:
        """Return the body, whatever its framing and encoding.

        Raises:
            ValueError: It is cut short or badly encoded.
        """
        chunked = "chunked" in self.headers.get("transfer-encoding", "").lower()
        length = int(self.headers.get("content-length", 0))
        body = self._chunks() if chunked else self.rfile.read(length)
        if not chunked and len(body) < length:
            raise ValueError("the body is cut short")
        encoding = self.headers.get("content-encoding", "identity")
        try:
            if encoding == "gzip":
                return gzip.decompress(body)
            return zlib.decompress(body) if encoding == "deflate" else body
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"the body is not {encoding}: {error}") from None

    def send_json(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        """Answer with JSON."""
        content = json.dumps(body).encode()
        self._head(
            status,
            {"content-type": "application/json", "content-length": str(len(content)), **(headers or {})},
        )
        if self.command != "HEAD":
            self.wfile.write(content)

    def begin_stream(self) -> None:
        """Begin a stream of events."""
        headers = {
            "content-type": "text/event-stream",
            "cache-control": "no-cache",
            "transfer-encoding": "chunked",
        }
        self._head(200, headers)

    def send_event(self, event: bytes) -> None:
        """Send an event at once."""
        self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
        self.wfile.flush()

    def end_stream(self) -> None:
        """End the stream in good order; without this, the client sees a broken connection."""
        self.wfile.write(b"0\r\n\r\n")

    def _chunks(self) -> bytes:
        body = bytearray()
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            body += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return bytes(body)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.exchange.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("connection", "close")
        self.end_headers()
