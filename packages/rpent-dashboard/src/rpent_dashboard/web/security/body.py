"""What a request may bring along: a little JSON with a change, and nothing otherwise."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect

from rpent_dashboard.web.refusals import RefusedError
from rpent_dashboard.web.security.guard import SAFE_METHODS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 64 * 1024
BODY_S = 10.0
"""How long the body of a request may take to arrive."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_DISCARDED_BYTES = 1 << 20
_DISCARDING_S = 1.0


class SmallJson:
    """Reads bodies, which are small, before anything else works on the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check and read the body, then pass the request on."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        try:
            has_body = self._check(scope["method"], headers)
        except RefusedError:
            await _discard(receive)
            raise
        try:
            body = await self._read(receive) if has_body else b""
        except ClientDisconnect:
            return None
        _check_text(body)
        return await self._app(scope, _replayed(body, receive), send)

    def _check(self, method: str, headers: Headers) -> bool:
        """Return whether there is a body."""
        length, chunked = headers.get("Content-Length"), "Transfer-Encoding" in headers
        if chunked and length is not None:
            raise RefusedError(400, "The request says the length of its body in two ways.")
        if not chunked and length in (None, "0"):
            if method == "POST":
                self._check_type(headers)
            return False
        if method in SAFE_METHODS:
            raise RefusedError(400, f"A {method} request has no body here.")
        self._check_type(headers)
        if length is not None and not (length.isascii() and length.isdigit()):
            raise RefusedError(400, "The request says no length that can be read.")
        if length is not None and int(length) > MAX_BODY_BYTES:
            raise _too_large()
        return True

    def _check_type(self, headers: Headers) -> None:
        kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RefusedError(415, "The body of a request is `application/json`.")
        if headers.get("Content-Encoding", "identity").lower() != "identity":
            raise RefusedError(415, "The body of a request is not compressed.")

    async def _read(self, receive: Receive) -> bytes:
        body = b""
        try:
            async with asyncio.timeout(BODY_S):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    body += bytes(message.get("body", b""))
                    more = message.get("more_body", False)
                    if len(body) > MAX_BODY_BYTES:
                        if more:
                            await _discard(receive)
                        raise _too_large()
                    if not more:
                        return body
        except TimeoutError:
            raise RefusedError(408, "The body of the request did not arrive in time.") from None


def _check_text(body: bytes) -> None:
    """Refuse half of a surrogate pair, which JSON can say and no file or answer can hold."""
    if _SURROGATE.search(body) is None:
        return
    try:
        json.dumps(json.loads(body), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RefusedError(400, "The body of the request holds half of a surrogate pair.") from None
    except (ValueError, RecursionError):
        return  # whoever reads it says what is wrong


def _too_large() -> RefusedError:
    return RefusedError(413, f"The body of a request holds at most {MAX_BODY_BYTES} bytes.")


async def _discard(receive: Receive) -> None:
    """Read on for a moment: a connection closed on data that nobody read is reset, and the answer lost."""
    discarded = 0
    try:
        async with asyncio.timeout(_DISCARDING_S):
            while discarded < _DISCARDED_BYTES:
                message = await receive()
                discarded += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def _replayed(body: bytes, receive: Receive) -> Receive:
    read = False

    async def replayed() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
