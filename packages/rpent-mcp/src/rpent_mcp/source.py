"""What is served: something with tools that can be called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpent.session.reply import ToolReply
    from rpent.tools.tool import Tool


class ToolSource(Protocol):
    """The part of a `Session` that an MCP server needs."""

    @property
    def tools(self) -> Sequence[Tool]:
        """What a client may call."""

    async def acall(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, *, call_id: str | None = None
    ) -> ToolReply:
        """Carry out a call; calls run one at a time, in the order in which this is called.

        A mistake of the client is a reply. Cancelling the task cancels the tool.
        """
