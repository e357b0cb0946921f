"""What the three wires have in common."""

from __future__ import annotations

import itertools
import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent.testing.models.request import Address, Request
    from rpent.testing.models.script import Call, Fault, Kind, Reply

_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Problem:
    """An error in a provider's words."""

    status: int
    type: str
    message: str
    code: str | None = None


class Wire(ABC):
    """One provider's protocol: reads requests, writes replies and errors."""

    name: ClassVar[str]
    path: ClassVar[str]
    words: ClassVar[Mapping[Kind, Problem]]
    """The provider's words for each kind of error; `{model}` stands for the model asked for."""
    in_stream: ClassVar[frozenset[str]] = frozenset()
    """Kinds of errors that arrive as an event of a stream that began well."""

    @abstractmethod
    def read(self, request: Request) -> None:
        """Fill in what the request's body says.

        Raises:
            ValueError: The provider would refuse it.
        """

    @abstractmethod
    def events(self, reply: Reply, request: Request) -> Iterator[bytes]:
        """Return the events of a streamed reply."""

    @abstractmethod
    def whole(self, reply: Reply, request: Request) -> dict[str, Any]:
        """Return a reply that is not streamed."""

    @abstractmethod
    def error(self, problem: Problem) -> dict[str, Any]:
        """Return the body of an error."""

    @abstractmethod
    def error_events(self, problem: Problem, request: Request) -> Iterator[bytes]:
        """Return the events of a stream that fails."""

    def problem(self, fault: Fault, model: str) -> Problem:
        """Return a fault in this provider's words."""
        usual = self.words[fault.meaning]
        return Problem(
            status=fault.status or usual.status,
            type=fault.type or usual.type,
            message=fault.message or usual.message.format(model=model),
            code=fault.code or usual.code,
        )


def address(call: Call, request: Request) -> Address:
    """Return how the client calls a tool; one it did not list goes by the name given."""
    from rpent.testing.models.request import Address  # noqa: PLC0415

    if call.namespace is not None:
        return Address(call.name, call.namespace)
    return request.addresses.get(call.name, Address(call.name))


def sse(data: Mapping[str, Any] | str, event: str | None = None) -> bytes:
    """Return a server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {text}\n\n".encode()


def pieces(text: str) -> list[str]:
    """Cut a text into deltas: its words, with the space behind them."""
    return re.findall(r"\s*\S+\s*|\s+", text)


def halves(text: str) -> list[str]:
    """Cut JSON text into two deltas."""
    middle = len(text) // 2
    return [half for half in (text[:middle], text[middle:]) if half]


def number(prefix: str) -> str:
    """Return an id that was not used before."""
    return f"{prefix}{next(_NUMBERS):06d}"
