"""The session's tools as an MCP server in this process, and the desk where its calls wait for their results.

Claude Code calls a tool as soon as its block has arrived, while the reply goes on. The calls are carried out by the
conversation instead, when the reply is whole: in order, within the right turn, and not at all when the reply broke
off. A handler only waits at the desk for the result. Nothing is validated here: that is the session's part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from mcp import types as mcp
from mcp.server.lowlevel import Server
from rpent.planners.parts import reply_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.planners.parts import Part
    from rpent.session.reply import ToolReply
    from rpent.tools.tool import Tool

SERVER = "robot"
_PREFIX = f"mcp__{SERVER}__"
_CALL_ID = "claudecode/toolUseId"


class Desk:
    """Where the results of calls are laid down, and waited for."""

    def __init__(self) -> None:
        self._results: dict[str, mcp.CallToolResult] = {}
        self._arrived = anyio.Event()

    def give(self, call_id: str, result: mcp.CallToolResult) -> None:
        """Lay down the result of a call."""
        self._results[call_id] = result
        arrived, self._arrived = self._arrived, anyio.Event()
        arrived.set()

    def clear(self) -> None:
        """Forget results that nobody asked for: some servers use the same ids again."""
        self._results.clear()

    async def result(self, call_id: str | None) -> mcp.CallToolResult:
        """Wait for the result of a call; without an id, for the next one: Claude Code asks in their order."""
        while not self._results if call_id is None else call_id not in self._results:
            await self._arrived.wait()
        return self._results.pop(next(iter(self._results)) if call_id is None else call_id)


def serve(tools: Sequence[Tool], desk: Desk) -> Server[Any]:
    """Return an MCP server that lists the tools and answers from the desk."""
    listed = [mcp.Tool(name=t.name, description=t.description, input_schema=dict(t.schema)) for t in tools]

    async def list_tools(_context: Any, _params: Any) -> mcp.ListToolsResult:
        return mcp.ListToolsResult(tools=listed)

    async def call_tool(_context: Any, params: mcp.CallToolRequestParams) -> mcp.CallToolResult:
        meta: Any = params.meta or {}
        return await desk.result(meta.get(_CALL_ID))

    return Server(SERVER, version="1.0", on_list_tools=list_tools, on_call_tool=call_tool)


def full_name(name: str) -> str:
    """Return what Claude Code calls a tool of the server."""
    return _PREFIX + name


def plain_name(name: str) -> str:
    """Return a tool's own name."""
    return name.removeprefix(_PREFIX)


def tool_result(reply: ToolReply, images: bool) -> mcp.CallToolResult:
    """Return a reply as Claude Code takes it; of a result marked as an error it keeps the first text only."""
    content = [_content(part) for part in reply_parts(reply, images)]
    return mcp.CallToolResult(content=content, is_error=not reply.ok and len(content) == 1)


def text_result(text: str) -> mcp.CallToolResult:
    """Return an error in words."""
    return mcp.CallToolResult(content=[mcp.TextContent(type="text", text=text)], is_error=True)


def _content(part: Part) -> mcp.TextContent | mcp.ImageContent:
    if isinstance(part, str):
        return mcp.TextContent(type="text", text=part)
    return mcp.ImageContent(type="image", data=part.base64, mime_type=part.media_type)
