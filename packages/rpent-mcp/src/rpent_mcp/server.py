"""The MCP server over a source of tools: what it lists, and how a call and its reply travel."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.server.lowlevel import Server
from rpent._version import __version__
from rpent.planners.parts import reply_parts

if TYPE_CHECKING:
    from mcp.server.context import CallNext, ServerRequestContext
    from rpent.planners.parts import Part
    from rpent.session.reply import ToolReply
    from rpent.tools.tool import Tool

    from rpent_mcp.source import ToolSource

_RAW = "rpent/arguments"
"""Where arguments that are no JSON object travel to the session, which says what is wrong with them."""
_CALL_IDS = ("callId", "claudecode/toolUseId")
"""Where Codex and Claude Code say which of their model's calls it is."""


def build_server(source: ToolSource, *, name: str, instructions: str | None = None) -> Server[Any]:
    """Return an MCP server that offers a source's tools.

    Arguments are not checked here: the session says what is wrong with them, in the same words to every
    planner. No tool is marked as read-only, since clients run tools that are at the same time.
    """

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in source.tools])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments: Any = params.arguments
        if arguments is not None and _RAW in arguments:
            arguments = json.dumps(arguments[_RAW])
        meta: Any = params.meta or {}
        call_id = next((str(meta[key]) for key in _CALL_IDS if meta.get(key)), None)
        return result_of(await source.acall(params.name, arguments, call_id=call_id))

    server = Server(
        name,
        version=__version__,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.append(_any_arguments)
    return server


def result_of(reply: ToolReply) -> types.CallToolResult:
    """Return a reply as the result of a call."""
    return types.CallToolResult(content=content_of(reply), is_error=not reply.ok)


def content_of(reply: ToolReply) -> list[types.ContentBlock]:
    """Return a reply as MCP content: its text, then each picture behind its caption."""
    return [_block(part) for part in reply_parts(reply)]


def _block(part: Part) -> types.ContentBlock:
    if isinstance(part, str):
        return types.TextContent(type="text", text=part)
    return types.ImageContent(type="image", data=part.base64, mime_type=part.media_type)


def _described(tool: Tool) -> types.Tool:
    return types.Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema))


async def _any_arguments(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> Any:
    """Let arguments pass that are no JSON object; the SDK would answer them with a bare protocol error."""
    params = ctx.params
    if ctx.method == "tools/call" and params is not None:
        arguments = params.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            return await call_next(replace(ctx, params={**params, "arguments": {_RAW: arguments}}))
    return await call_next(ctx)
