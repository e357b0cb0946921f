"""The conversation as the model gets it: it only grows, until the oldest half has to make room.

What was sent once stays as it was for as long as possible, so that providers find it in their prompt caches.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import (
    BinaryContent,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai_harness.compaction import SlidingWindowCompaction

from rpent_planner_api.toolset import content_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from rpent.planners.parts import Part

PICTURE_NOTE = "[An earlier picture was left out to save room; look again if you need it.]"
DROPPED_NOTE = "[Earlier turns were left out to save room. What follows is the rest of the conversation.]"
_SMALLEST = 3
"""Messages below which nothing can be left out: the task, and the last exchange."""


class History:
    """Messages that were exchanged, and the parts of the next request."""

    def __init__(
        self,
        *,
        max_messages: int,
        max_pictures: int,
        max_tokens: int | None = None,
        pictures_in_results: bool = True,
        marks_errors: bool = False,
    ) -> None:
        """Make an empty one.

        Args:
            max_messages: Messages at most; then the oldest half goes.
            max_pictures: Pictures at most; then all but the newest half go.
            max_tokens: Tokens at most, as the provider counted the last exchange; then the oldest half goes.
            pictures_in_results: Whether the wire takes pictures in tool results; else they follow behind.
            marks_errors: Whether the wire has a mark for results that are errors; their text says it anyway.
        """
        self.messages: list[ModelMessage] = []
        self._pending: list[ModelRequestPart] = []
        self._pictures: list[str | BinaryContent] = []
        """For wires whose tool results are text only: they follow behind all results."""
        self._window = SlidingWindowCompaction[None](
            max_messages=max_messages, keep_messages=max_messages // 2
        )
        self._max_messages = max_messages
        self._max_pictures = max_pictures
        self._max_tokens = max_tokens
        self._measured: ModelResponse | None = None
        """The reply whose usage was looked at: what was left out since shows in the next one's."""
        self._in_results = pictures_in_results
        self._marks_errors = marks_errors

    # What the next request says.

    def tell(self, parts: Iterable[Part]) -> None:
        """Add something of the user's."""
        self._flush_pictures()
        self._pending.append(UserPromptPart(content=content_of(parts)))

    def returned(self, call: ToolCallPart, content: Any, *, failed: bool = False) -> None:
        """Add the result of a call, where a later one of the same reply may follow."""
        if isinstance(content, list) and not self._in_results:
            texts = [item for item in content[:1] if isinstance(item, str)]
            self._pictures += [f"Pictures of `{call.tool_name}`:", *content[1:]]
            content = "\n".join(texts)
        self._pending.append(
            ToolReturnPart(
                tool_name=call.tool_name,
                content=content,
                tool_call_id=call.tool_call_id,
                outcome="failed" if failed and self._marks_errors else "success",
            )
        )

    def answered(self, response: ModelResponse) -> None:
        """Add what the model said; an empty reply leaves no trace, since providers refuse it as history."""
        if any(isinstance(part, (TextPart, ToolCallPart)) for part in response.parts):
            self.messages.append(response)

    def request(self) -> list[ModelMessage]:
        """Close the next request and return the whole conversation."""
        self._flush_pictures()
        if self._pending:
            last = self.messages[-1] if self.messages else None
            if isinstance(last, ModelRequest):
                # The reply to it never came, or was empty.
                self.messages[-1] = replace(last, parts=[*last.parts, *self._pending])
            else:
                self.messages.append(ModelRequest(parts=self._pending))
            self._pending = []
        return self.messages

    # Making room.

    async def trim(self, ctx: RunContext[None]) -> str:
        """Keep within the limits; returns what to say about it, or nothing."""
        said = []
        if len(self.messages) > self._max_messages:
            said.append(f"the oldest {await self._drop(ctx, self._window)} messages")
        elif self._too_many_tokens() and (dropped := await self._drop_half(ctx)):
            said.append(f"the oldest {dropped} messages")
        too_many = count_pictures(self.messages) > self._max_pictures
        if too_many and (left_out := self._keep_pictures(self._max_pictures // 2)):
            said.append(f"the oldest {left_out} pictures")
        return f"The conversation grew long: {' and '.join(said)} were left out." if said else ""

    async def shrink(self, ctx: RunContext[None]) -> bool:
        """Make room for a model that found the conversation too long; returns whether anything went."""
        pictures = self._keep_pictures(0)
        return await self._drop_half(ctx) + pictures > 0

    def _too_many_tokens(self) -> bool:
        last = next(
            (message for message in reversed(self.messages) if isinstance(message, ModelResponse)), None
        )
        if self._max_tokens is None or last is None or last is self._measured:
            return False
        self._measured = last
        return last.usage.input_tokens + last.usage.output_tokens > self._max_tokens

    async def _drop_half(self, ctx: RunContext[None]) -> int:
        half = len(self.messages) // 2
        if half < _SMALLEST:
            return 0
        return await self._drop(ctx, SlidingWindowCompaction[None](max_messages=half, keep_messages=half))

    async def _drop(self, ctx: RunContext[None], window: SlidingWindowCompaction[None]) -> int:
        before = len(self.messages)
        kept = await window.compact(self.messages, ctx)
        if len(kept) < before:
            kept = [_with_note(kept[0]), *kept[1:]]
        self.messages = list(kept)
        return before - len(kept)

    def _keep_pictures(self, keep: int) -> int:
        """Replace all but the newest pictures; those of the last request stay in any case."""
        keep = max(keep, count_pictures(self.messages[-1:]))
        surplus = left = max(0, count_pictures(self.messages) - keep)
        for index, message in enumerate(self.messages):
            if left == 0:
                break
            if isinstance(message, ModelRequest):
                self.messages[index], left = _without_pictures(message, left)
        return surplus

    def _flush_pictures(self) -> None:
        if self._pictures:
            self._pending.append(UserPromptPart(content=self._pictures))
            self._pictures = []


def count_pictures(messages: Iterable[ModelMessage]) -> int:
    """Count the pictures in requests."""
    return sum(
        isinstance(item, BinaryContent)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        for item in _items(part)
    )


def _items(part: ModelRequestPart) -> list[Any]:
    content = getattr(part, "content", None)
    return content if isinstance(content, list) else []


def _without_pictures(request: ModelRequest, count: int) -> tuple[ModelRequest, int]:
    """Replace the first `count` pictures of a request by notes; returns how many are still to go."""
    parts: list[ModelRequestPart] = []
    for part in request.parts:
        pictures = [item for item in _items(part) if isinstance(item, BinaryContent)][:count]
        if pictures and isinstance(part, (UserPromptPart, ToolReturnPart)):
            count -= len(pictures)
            gone = {id(picture) for picture in pictures}
            noted = copy(part)
            noted.content = [PICTURE_NOTE if id(item) in gone else item for item in _items(part)]
            parts.append(_as_text(noted))
        else:
            parts.append(part)
    return replace(request, parts=parts), count


def _as_text(part: UserPromptPart | ToolReturnPart) -> UserPromptPart | ToolReturnPart:
    """Make one text of a result without pictures: a list of texts would go out as JSON."""
    items = _items(part)
    if isinstance(part, ToolReturnPart) and all(isinstance(item, str) for item in items):
        part.content = "\n".join(items)
    return part


def _with_note(first: ModelMessage) -> ModelMessage:
    """Say in the first message, which always stays, that what followed it is gone."""
    if not isinstance(first, ModelRequest) or any(
        getattr(part, "content", None) == DROPPED_NOTE for part in first.parts
    ):
        return first
    return replace(first, parts=[*first.parts, UserPromptPart(content=DROPPED_NOTE)])
