"""`rpent mcp`: a run whose planner is an MCP client."""

from __future__ import annotations

from typing import Any

import click
from rpent.cli.run import RunCommand
from rpent.cli.run import command as run
from rpent.errors import UsageError

PLANNER = "mcp"
NOT_SHARED = frozenset(
    {"planner", "token_limit", "cost_limit_usd", "interactive", "explore", "attempts", "sessions"}
)
"""Options of `rpent run` that make no sense here: the client's model is its own, and so are its cost and its user."""


class McpCommand(RunCommand):
    """`rpent run` with the planner given."""

    planner = PLANNER


@click.pass_context
def _serve(ctx: click.Context, /, *, stdio: bool, **_options: Any) -> int:
    """Serve a robot's tools to an MCP client: it is the planner of one recorded run.

    MCP clients (Claude Desktop, Claude Code, Codex, Cursor) start the command themselves and talk to it over standard
    input and output. With `--http HOST:PORT` it waits for clients on a port, and prints where the token is. The run
    ends when the client calls `finish` or leaves, at Ctrl-C, or at a limit.
    """
    from rpent.cli.request import build_request

    request = build_request(ctx, planner=PLANNER)
    over_http = "http" in request.planner_config
    if over_http and stdio:
        raise UsageError("`--stdio` and `--http` were both given.", hint="Give one of them.")
    if over_http:
        from rpent.run import execute

        return int(execute(request).exit_code)
    if request.progress == "json":
        raise UsageError(
            "Standard output belongs to the MCP client; events cannot be printed there.",
            hint="Leave `--json` out: the events are in the run directory.",
        )
    from rpent_mcp.launch import execute_over_stdio

    return int(execute_over_stdio(request).exit_code)


command = McpCommand(
    "mcp",
    callback=_serve,
    help=_serve.__doc__,
    params=[
        click.Option(["--stdio"], is_flag=True, help="Talk over standard input and output (the default)."),
        *(param for param in run.params if param.name not in NOT_SHARED),
    ],
)
