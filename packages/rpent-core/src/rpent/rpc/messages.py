"""The messages of the protocol: a small envelope frame, then the codec's frames of the payload.

The envelope is checked (protocol, token, kind) before the payload is looked at, so that an unknown sender
costs next to nothing and a payload that does not decode still has a request id to answer to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import msgpack

from rpent.errors import FrameError
from rpent.rpc.codec import Buffer, frame_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

PROTOCOL = 1
"""The version of these messages; both sides must agree."""

ENVELOPE_BYTES = 4096
"""The largest accepted envelope."""

RequestKind = Literal["hello", "call", "result", "cancel", "ping"]
ReplyKind = Literal["welcome", "result", "error", "progress", "waiting", "done", "pong"]

FINAL_KINDS = frozenset({"welcome", "result", "error", "done", "pong"})
"""Replies after which no other follows for the same request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a client sends. The payload is the parameters of a `call`, None otherwise."""

    kind: RequestKind
    id: str
    """The request's identity, chosen by the client; `result` and `cancel` name the call that they mean."""
    token: str = ""
    method: str = ""
    instance: str = ""
    """The server process that the client knows; another one refuses a `call`: its state is another."""
    progress: bool = False
    """Whether the caller wants to see progress."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What a server sends. The payload is the result, the error, the progress, or the server's info."""

    kind: ReplyKind
    id: str


def request_frames(request: Request, payload: Sequence[Buffer]) -> list[Buffer]:
    """Return the message as frames."""
    fields = (
        PROTOCOL,
        request.kind,
        request.id,
        request.token,
        request.method,
        request.instance,
        request.progress,
    )
    return [msgpack.packb(fields), *payload]


def reply_frames(reply: Reply, payload: Sequence[Buffer]) -> list[Buffer]:
    """Return the message as frames."""
    return [msgpack.packb((PROTOCOL, reply.kind, reply.id)), *payload]


def parse_request(frames: Sequence[Buffer]) -> tuple[Request, Sequence[Buffer]]:
    """Return the envelope and the payload's frames.

    Raises:
        FrameError: The envelope is not a request of this protocol.
    """
    fields = _envelope(frames, get_args(RequestKind))
    strings = fields[1:6]
    if (
        len(fields) != 7
        or not all(isinstance(text, str) for text in strings)
        or not isinstance(fields[6], bool)
    ):
        raise FrameError("The request's envelope is malformed.")
    kind, id_, token, method, instance = strings
    request = Request(
        kind=cast("RequestKind", kind),
        id=id_,
        token=token,
        method=method,
        instance=instance,
        progress=fields[6],
    )
    return request, frames[1:]


def parse_reply(frames: Sequence[Buffer]) -> tuple[Reply, Sequence[Buffer]]:
    """Return the envelope and the payload's frames.

    Raises:
        FrameError: The envelope is not a reply of this protocol.
    """
    fields = _envelope(frames, get_args(ReplyKind))
    if len(fields) != 3 or not isinstance(fields[2], str):
        raise FrameError("The reply's envelope is malformed.")
    return Reply(kind=cast("ReplyKind", fields[1]), id=fields[2]), frames[1:]


def _envelope(frames: Sequence[Buffer], kinds: tuple[str, ...]) -> list[Any]:
    if not frames or frame_bytes(frames[0]) > ENVELOPE_BYTES:
        raise FrameError(f"The message does not start with an envelope of at most {ENVELOPE_BYTES} bytes.")
    try:
        fields = msgpack.unpackb(frames[0])
    except (ValueError, TypeError, msgpack.exceptions.UnpackException) as error:
        raise FrameError("The message's envelope is not valid msgpack.") from error
    if not isinstance(fields, list) or not fields or type(fields[0]) is not int:
        raise FrameError("The message's envelope is not one of RPent's.")
    if fields[0] != PROTOCOL:
        raise FrameError(
            f"The peer speaks version {fields[0]} of the RPC protocol; this side speaks {PROTOCOL}."
        )
    if len(fields) < 3 or fields[1] not in kinds:
        raise FrameError("The message's kind is unknown.")
    return fields
