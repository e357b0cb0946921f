"""What a local model server answers: a script of replies, and the faults on the way."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent.testing.models.request import Request

OVER = "The script is over."
"""What an exhausted script answers."""

ALWAYS = 1_000_000
"""`times` of a fault that never goes away."""

Kind = Literal["key", "model", "rate_limit", "credit", "overloaded", "server", "context", "request"]


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Usage that a reply reports. `input` counts all input; the cache fields are parts of it."""

    input: int = 100
    output: int = 20
    cached: int = 0
    cache_write: int = 0
    """Anthropic only."""
    reasoning: int = 0
    """OpenAI only: part of `output`."""


@dataclass(frozen=True)
class Call:
    """A tool call, by the tool's own name: the server puts it in the form in which the client listed it.

    Attributes:
        name: `look`, whatever prefix or namespace the client uses for it.
        arguments: Plain data, or text that is sent as it stands (truncated JSON, say).
        namespace: Responses wire: for a tool that is not in the request's list, but can be called.
        custom: Responses wire: a `custom_tool_call`, whose input is `arguments` as text.
        id: The call's id; by default one that was not used before. Some local servers use theirs again.
    """

    name: str
    arguments: dict[str, Any] | str | None = None
    namespace: str | None = None
    custom: bool = False
    id: str | None = None

    @property
    def raw(self) -> str:
        """Return the arguments as they are sent."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments or {})


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What goes wrong before the reply it belongs to is given.

    A fault without words of its own speaks the provider's: `Fault(status=529)`, `Fault(kind="context")`.

    Attributes:
        kind: What is wrong; by default read from the status.
        status: HTTP status; by default the provider's for this kind.
        type: `type` of the error object.
        code: `code` of the error object (OpenAI).
        message: `message` of the error object.
        retry_after: Seconds in a `retry-after` header.
        times: How many requests meet the fault before the reply is given (`ALWAYS`: all of them).
        drop_after: Instead of an error: the connection breaks after this many events of the reply's stream.
        clean: With `drop_after`: the body ends in good order, as behind a proxy that lost its upstream.
        in_stream: The error is an event of a stream that began well. Default: as the provider does it.
    """

    kind: Kind | None = None
    status: int | None = None
    type: str | None = None
    code: str | None = None
    message: str | None = None
    retry_after: float | None = None
    times: int = 1
    drop_after: int | None = None
    clean: bool = False
    in_stream: bool | None = None

    @property
    def meaning(self) -> Kind:
        """Return the kind, by default the status's."""
        if self.kind is not None:
            return self.kind
        known: dict[int, Kind] = {401: "key", 403: "key", 404: "model", 429: "rate_limit", 529: "overloaded"}
        status = self.status or 500
        return known.get(status, "server" if status >= 500 else "request")


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One response of the model.

    Attributes:
        text: What it says. With `stop="refusal"`: how it declines.
        thinking: A thinking block, reasoning item or `reasoning_content`, before the text.
        calls: Tool calls; none ends the model's turn.
        usage: What the response reports.
        fault: What goes wrong first.
        stop: `refusal`; `filtered` (OpenAI's content filter); `length` (cut at the token limit).
        slow_s: Pause after each delta of a stream; a reply that is not streamed comes after all of them.
        delay_s: Pause before the first byte.
        expect: Looks at the request that this replies to. What it raises, and a `False`, is recorded in
            the server's `problems`.
        during: Called with the request when the first delta has been sent (before the body of a reply that
            is not streamed): for what a test wants to happen while the model speaks.
    """

    text: str = ""
    thinking: str = ""
    calls: Sequence[Call] = ()
    usage: Tokens = Tokens()
    fault: Fault | None = None
    stop: Literal["refusal", "filtered", "length"] | None = None
    slow_s: float = 0.0
    delay_s: float = 0.0
    expect: Callable[[Request], object] | None = None
    during: Callable[[Request], object] | None = None

    @property
    def words(self) -> str:
        """Return the text; a refusal always has one where the wire puts it into words."""
        return self.text or ("I cannot help with that." if self.stop == "refusal" else "")


class Script:
    """Deals out replies to requests, one each; a step whose fault has not passed yet is not consumed."""

    def __init__(self, steps: Sequence[Reply] | Callable[[Request], Reply]) -> None:
        self._steps = steps
        self._lock = threading.Lock()
        self._current: Reply | None = None
        self._failed = 0
        self.position = 0
        """How many replies were given."""

    def next(self, request: Request) -> tuple[Reply, Fault | None]:
        """Return the reply to a request, and the fault that comes in its place."""
        with self._lock:
            reply = self._reply(request)
            if reply is not self._current:
                self._current, self._failed = reply, 0
            if reply.fault is not None and self._failed < reply.fault.times:
                self._failed += 1
                return reply, reply.fault
            self._failed = 0
            self.position += 1
            return reply, None

    def _reply(self, request: Request) -> Reply:
        if callable(self._steps):
            return self._steps(request)
        return self._steps[self.position] if self.position < len(self._steps) else Reply(text=OVER)
