"""A client's request, the same whichever wire it came over."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant"]

_PREFIX = re.compile(r"^mcp__.+?__(?=.)")


@dataclass(frozen=True)
class Picture:
    """A picture in a request."""

    data: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True)
class Thought:
    """Thinking that a client sends back."""

    text: str


@dataclass(frozen=True)
class CallSeen:
    """A tool call in the conversation, by the tool's own name."""

    id: str
    name: str
    arguments: str
    """JSON text, as it was sent."""


@dataclass(frozen=True)
class ResultSeen:
    """A tool's answer in the conversation: texts and pictures in the order given."""

    call_id: str
    parts: tuple[str | Picture, ...]
    is_error: bool = False

    @property
    def text(self) -> str:
        """Return the texts, a line each."""
        return "\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def pictures(self) -> list[bytes]:
        """Return the pictures."""
        return [part.data for part in self.parts if isinstance(part, Picture)]


Item = str | Picture | Thought | CallSeen | ResultSeen


@dataclass
class Turn:
    """What one side said, in order. Tool results are the user's."""

    role: Role
    items: list[Item] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """Return what was said, without tool results."""
        return [item for item in self.items if isinstance(item, str)]

    @property
    def text(self) -> str:
        """Return what was said, a line each."""
        return "\n".join(self.texts)

    @property
    def calls(self) -> list[CallSeen]:
        """Return the tool calls."""
        return [item for item in self.items if isinstance(item, CallSeen)]

    @property
    def results(self) -> list[ResultSeen]:
        """Return the tools' answers."""
        return [item for item in self.items if isinstance(item, ResultSeen)]

    @property
    def parts(self) -> list[str | Picture]:
        """Return texts and pictures in order, those of tool results among them."""
        found: list[str | Picture] = []
        for item in self.items:
            if isinstance(item, ResultSeen):
                found += item.parts
            elif isinstance(item, str | Picture):
                found.append(item)
        return found

    @property
    def pictures(self) -> list[bytes]:
        """Return the pictures in order, those of tool results among them."""
        return [part.data for part in self.parts if isinstance(part, Picture)]


@dataclass(frozen=True)
class Address:
    """How a client calls a tool on its wire."""

    name: str
    namespace: str | None = None


@dataclass
class Request:
    """One request to a model.

    Attributes:
        wire: `anthropic`, `responses` or `chat`.
        path: Path and query.
        headers: By lower-case name.
        body: The JSON body as it came.
        model: The model asked for.
        stream: Whether the reply is to be streamed.
        system: System and developer texts, in order, a blank line between them.
        tools: JSON Schemas of the arguments, by the tools' own names (no `mcp__robot__`, no namespace).
        addresses: How the client calls each tool.
        turns: The conversation; neighbours of one role are one turn.
    """

    wire: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any] = field(repr=False)
    model: str = ""
    stream: bool = False
    system: str = ""
    tools: dict[str, dict[str, Any]] = field(default_factory=dict)
    addresses: dict[str, Address] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)

    @property
    def last(self) -> Turn:
        """Return the last turn."""
        return self.turns[-1]

    @property
    def results(self) -> list[ResultSeen]:
        """Return the tool results of the whole conversation."""
        return [result for turn in self.turns for result in turn.results]

    @property
    def pictures(self) -> list[bytes]:
        """Return the pictures of the whole conversation, in order."""
        return [picture for turn in self.turns for picture in turn.pictures]

    @property
    def user_texts(self) -> list[str]:
        """Return what the user said in the whole conversation, without tool results."""
        return [text for turn in self.turns if turn.role == "user" for text in turn.texts]

    @property
    def text(self) -> str:
        """Return all texts of the conversation (not the system's), tool results among them, a line each."""
        return "\n".join(part for turn in self.turns for part in turn.parts if isinstance(part, str))

    @property
    def wants_summary(self) -> bool:
        """Return whether a client wants to shorten its conversation (Claude Code; it forbids tools in words)."""
        return bool(self.turns) and any("Do NOT call any tools" in text for text in self.last.texts)

    def add_system(self, text: str) -> None:
        """Add a system text."""
        if text:
            self.system = f"{self.system}\n\n{text}" if self.system else text

    def add_tool(self, name: str, schema: dict[str, Any], namespace: str | None = None) -> None:
        """Add a tool that the client listed."""
        plain = plain_name(name)
        self.tools[plain] = schema
        self.addresses[plain] = Address(name, namespace)

    def add(self, role: Role, *items: Item) -> None:
        """Add to the conversation."""
        if not self.turns or self.turns[-1].role != role:
            self.turns.append(Turn(role))
        self.turns[-1].items += items


def plain_name(name: str) -> str:
    """Return a tool's own name: `mcp__robot__look` is `look`."""
    return _PREFIX.sub("", name)


def decoded(data: str, media_type: str) -> Picture:
    """Decode a picture.

    Raises:
        ValueError: What is sent is not a picture of that type.
    """
    try:
        content = base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise ValueError(f"a picture is not base64: {error}") from None
    starts = {
        "image/png": b"\x89PNG",
        "image/jpeg": b"\xff\xd8\xff",
        "image/webp": b"RIFF",
        "image/gif": b"GIF8",
    }
    if media_type not in starts:
        raise ValueError(f"`{media_type}` is not a type of picture that models read")
    if not content.startswith(starts[media_type]):
        raise ValueError(f"a picture that is called `{media_type}` is not one")
    return Picture(content, media_type)


def from_data_url(url: str) -> Picture:
    """Decode a `data:` URL.

    Raises:
        ValueError: It is another URL, or not a picture.
    """
    found = re.match(r"data:([^;,]+);base64,(.*)", url, re.DOTALL)
    if found is None:
        raise ValueError("a picture is not a base64 `data:` URL")
    return decoded(found[2], found[1])
