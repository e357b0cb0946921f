"""One response of the model, put together from the events of its stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rpent.session.usage import Usage

from rpent_planner_claude_code.tools import plain_name

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class Block:
    """A block of content as far as it has arrived."""

    kind: str
    text: str = ""
    call_id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model."""

    id: str
    name: str
    arguments: str
    """JSON text as the model wrote it, well-formed or not."""


@dataclass(slots=True)
class Response:
    """What has arrived of a response."""

    model: str = ""
    stop_reason: str | None = None
    """None: the response is not whole."""
    blocks: dict[int, Block] = field(default_factory=dict)
    _usage: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def begun(cls, message: Mapping[str, Any]) -> Response:
        """Return the response that a `message_start` begins."""
        return cls(model=str(message.get("model") or ""), _usage=dict(message.get("usage") or {}))

    def add(self, event: Mapping[str, Any]) -> None:
        """Take in the next event of the stream."""
        match event.get("type"):
            case "content_block_start":
                self.blocks[event["index"]] = _block(event["content_block"])
            case "content_block_delta":
                self._add_delta(event["index"], event["delta"])
            case "message_delta":
                self.stop_reason = event["delta"].get("stop_reason")
                counted = {name: count for name, count in (event.get("usage") or {}).items() if count}
                self._usage.update(counted)

    def _add_delta(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self.blocks.setdefault(index, Block("text"))
        block.text += delta.get("text") or delta.get("thinking") or delta.get("partial_json") or ""

    @property
    def text(self) -> str:
        """What the model said."""
        return "".join(block.text for block in self.blocks.values() if block.kind == "text")

    @property
    def thinking(self) -> str:
        """What the model thought aloud."""
        return "\n\n".join(
            block.text for block in self.blocks.values() if block.kind == "thinking" and block.text
        )

    @property
    def calls(self) -> list[Call]:
        """The tool calls, in their order."""
        return [
            Call(block.call_id, plain_name(block.name), block.text)
            for block in self.blocks.values()
            if block.kind == "tool_use"
        ]

    @property
    def usage(self) -> Usage:
        """Tokens so far; the price is not known here."""
        read, written = self._count("cache_read_input_tokens"), self._count("cache_creation_input_tokens")
        details = self._usage.get("output_tokens_details") or {}
        return Usage(
            input_tokens=self._count("input_tokens") + read + written,
            output_tokens=self._count("output_tokens"),
            cache_read_tokens=read,
            cache_write_tokens=written,
            reasoning_tokens=int(details.get("thinking_tokens") or 0),
            model=self.model,
        )

    def _count(self, name: str) -> int:
        return int(self._usage.get(name) or 0)


def _block(start: Mapping[str, Any]) -> Block:
    return Block(
        kind=str(start.get("type")),
        text=start.get("text") or start.get("thinking") or "",
        call_id=str(start.get("id") or ""),
        name=str(start.get("name") or ""),
    )
