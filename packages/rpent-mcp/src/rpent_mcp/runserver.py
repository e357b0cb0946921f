"""The MCP server of a run: its tools, its prompt, and a start that waits for the robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.shared.exceptions import MCPError

from rpent_mcp.server import build_server, content_of

if TYPE_CHECKING:
    from mcp.server.context import CallNext, ServerRequestContext
    from mcp.server.lowlevel import Server

    from rpent_mcp.bridge import Bridge

PROMPT = types.Prompt(
    name="task",
    title="Drive the robot",
    description="The robot's guide, the task and what its cameras see.",
)
_AT_ONCE = frozenset({"initialize", "ping", "server/discover", "prompts/list"})
"""What is answered while the simulator still starts: clients give a server only seconds to say hello."""


def run_server(bridge: Bridge, *, name: str, instructions: str) -> Server[Any]:
    """Return the server of a run's bridge.

    Args:
        bridge: Where calls go.
        name: What clients call the server.
        instructions: What clients tell their model.
    """

    async def list_prompts(_context: Any, _params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[PROMPT])

    async def get_prompt(_context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != PROMPT.name:
            raise MCPError(types.INVALID_PARAMS, f"There is no prompt `{params.name}`.")
        messages = [
            types.PromptMessage(role="user", content=block) for block in content_of(bridge.briefing())
        ]
        return types.GetPromptResult(description=PROMPT.description, messages=messages)

    async def when_ready(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> Any:
        if ctx.method not in _AT_ONCE and not ctx.method.startswith("notifications/"):
            await bridge.ready()
            if bridge.session is None:
                raise MCPError(types.INTERNAL_ERROR, "The robot did not start; its run directory says why.")
        return await call_next(ctx)

    server = build_server(bridge, name=name, instructions=instructions)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)
    server.middleware.append(when_ready)
    return server
