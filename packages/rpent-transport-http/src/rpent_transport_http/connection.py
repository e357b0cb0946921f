"""The client: one request at a time over connections that httpx keeps open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from rpent.errors import ConnectionLostError, FrameError, HandshakeError
from rpent.rpc import framing
from rpent.rpc.codec import DEFAULT_LIMITS, Limits

from rpent_transport_http.protocol import MEDIA_TYPE, PATH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rpent.rpc.codec import Buffer
    from rpent.rpc.endpoint import Endpoint

SILENCE_S = 20.0
"""A server sends a heartbeat several times a second while a call runs; after this much silence it hangs."""

KEEP_ALIVE_S = 60.0


class Line:
    """The connections of one channel, kept open between calls.

    It uses httpx's transport without the client around it: no redirects, cookies, credentials or proxies come between
    a robot and its service, and a call costs half as much.

    Args:
        endpoint: The server.
        token: Sent with every request.
    """

    def __init__(self, endpoint: Endpoint, token: str) -> None:
        self.endpoint = endpoint
        self.closed = False
        """Whether `close` was called: nothing more is sent."""
        self._pool = httpx.HTTPTransport(
            trust_env=False, limits=httpx.Limits(max_connections=None, keepalive_expiry=KEEP_ALIVE_S)
        )
        self._url = httpx.URL(f"{endpoint}{PATH}")
        self._headers = [
            ("host", self._url.netloc.decode()),
            ("authorization", f"Bearer {token}"),
            ("content-type", MEDIA_TYPE),
        ]

    def post(self, body: bytes, timeout: httpx.Timeout) -> httpx.Response:
        """Send a body and return the response as soon as its head has come.

        Raises:
            httpx.TransportError: There is no connection, or it broke.
        """
        if self.closed:
            raise httpx.ReadError("The line was closed.")
        headers = [*self._headers, ("content-length", str(len(body)))]
        extensions = {"timeout": timeout.as_dict()}
        stream = httpx.ByteStream(body)
        request = httpx.Request("POST", self._url, headers=headers, stream=stream, extensions=extensions)
        return self._pool.handle_request(request)

    def close(self) -> None:
        """Close all connections, from any thread; who reads from one finds it broken."""
        self.closed = True
        self._pool.close()


class HttpConnection:
    """A request and the stream of its replies.

    Args:
        line: Shared by all connections of a channel.
        timeout_s: How long connecting may take.
        limits: Bounds of one message.
    """

    def __init__(self, line: Line, timeout_s: float, limits: Limits = DEFAULT_LIMITS) -> None:
        self._line = line
        self._endpoint = line.endpoint
        self._connect_timeout_s = timeout_s
        self._limits = limits
        self._response: httpx.Response | None = None
        self._replies: Iterator[Sequence[Buffer]] = iter(())

    def send(self, frames: Sequence[Buffer], timeout_s: float) -> None:
        """Send a request and wait for the head of its response, which comes at once or soon."""
        self._finish()
        timeout = httpx.Timeout(min(timeout_s, SILENCE_S), connect=self._connect_timeout_s, pool=None)
        body = framing.join(frames)
        try:
            self._response = self._line.post(body, timeout)
        except httpx.ConnectError as error:
            raise ConnectionLostError(
                f"No server answers at `{self._endpoint}`.", hint="Is it running?"
            ) from error
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise self._gone() from error
        self._check_status(self._response)
        self._replies = self._read(self._response)

    def receive(self, timeout_s: float) -> Sequence[Buffer] | None:  # noqa: ARG002
        """Return the next reply or heartbeat; one of them comes several times a second."""
        try:
            return next(self._replies)
        except StopIteration:
            raise self._gone() from None
        except httpx.TransportError as error:
            raise self._gone() from error

    def close(self) -> None:
        """Give the response up, and its connection with it if the response has not ended."""
        if self._response is not None:
            self._response.close()
            self._response = None

    def _finish(self) -> None:
        """Read the end of the previous response, so that its connection can be used again."""
        try:
            for _ in self._replies:
                break
        except (httpx.TransportError, FrameError):
            pass  # the connection is of no further use, and httpx opens another
        self.close()

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == httpx.codes.OK and response.headers.get("content-type") == MEDIA_TYPE:
            return
        self.close()
        if status == httpx.codes.UNAUTHORIZED:
            raise HandshakeError(f"The server at `{self._endpoint}` refuses the token.")
        if status == httpx.codes.REQUEST_ENTITY_TOO_LARGE:
            raise FrameError(f"The message is larger than the server at `{self._endpoint}` accepts.")
        raise HandshakeError(
            f"The server at `{self._endpoint}` is not one of RPent's (HTTP status {status})."
        )

    def _read(self, response: httpx.Response) -> Iterator[Sequence[Buffer]]:
        if "content-length" in response.headers:
            yield framing.split(self._whole(response), self._limits)
            return
        received = bytearray()
        for chunk in _chunks(response):
            received += chunk
            while len(received) >= framing.HEAD.size:
                size = framing.message_size(received[: framing.HEAD.size], self._limits)
                if len(received) < size:
                    break
                yield framing.split(bytes(received[:size]), self._limits)
                del received[:size]

    def _whole(self, response: httpx.Response) -> bytes:
        if int(response.headers["content-length"]) > framing.largest_message(self._limits):
            raise FrameError(f"The reply of `{self._endpoint}` is larger than is accepted.")
        content = b"".join(_chunks(response))
        response.close()
        return content

    def _gone(self) -> ConnectionLostError:
        return ConnectionLostError(f"The server at `{self._endpoint}` is gone.")


def _chunks(response: httpx.Response) -> Iterable[bytes]:
    assert isinstance(response.stream, httpx.SyncByteStream)
    return response.stream
