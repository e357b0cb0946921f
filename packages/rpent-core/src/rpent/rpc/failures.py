"""Errors across the wire: an exception becomes three strings, and they become an exception again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import (
    CancelledCallError,
    ConnectionLostError,
    FrameError,
    HandshakeError,
    RemoteError,
    RpentError,
    TransportError,
)
from rpent.rpc.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.rpc.codec import Buffer

MAX_TEXT = 2000


class AccessError(TransportError):
    """The token is not the server's."""


class ServerRestartedError(TransportError):
    """The call was meant for an earlier process at this endpoint."""


class ServerStoppingError(TransportError):
    """The server is shutting down."""


class UnknownRequestError(TransportError):
    """The server knows no call with this id, or no longer keeps its result."""


class UnknownMethodError(TransportError):
    """The facade has no such method."""


class BusyError(TransportError):
    """Too many calls are waiting."""


_BY_KIND: dict[str, type[RpentError]] = {
    "AccessError": HandshakeError,
    "CancelledCallError": CancelledCallError,
    "ServerRestartedError": ServerRestartedError,
    "ServerStoppingError": ConnectionLostError,
}
"""Kinds that are an exception of their own at the client; any other is a `RemoteError`."""


def encode_failure(error: BaseException, *, doing: str = "") -> list[Buffer]:
    """Return the payload of an error reply. An unexpected exception loses its traceback, not its name."""
    if isinstance(error, RpentError):
        message, hint = error.message, error.hint
    else:
        message, hint = f"{doing or 'The server'} failed with {type(error).__name__}: {error}", None
    fields = {"kind": type(error).__name__, "message": _bounded(message), "hint": hint and _bounded(hint)}
    return encode(fields)


def decode_failure(payload: Sequence[Buffer]) -> RpentError:
    """Return the exception that an error reply stands for."""
    try:
        fields: Any = decode(payload)
        kind, message, hint = str(fields["kind"]), str(fields["message"]), fields["hint"]
    except (FrameError, TypeError, KeyError):
        return FrameError("The server's error could not be read.")
    hint = hint if isinstance(hint, str) else None
    known = _BY_KIND.get(kind)
    return known(message, hint=hint) if known else RemoteError(message, kind=kind, hint=hint)


def _bounded(text: str) -> str:
    text = text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")
