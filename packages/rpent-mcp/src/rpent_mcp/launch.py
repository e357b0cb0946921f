"""A run whose client started the process, and talks to it over standard input and output."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout, suppress
from typing import TYPE_CHECKING

import click
from rpent.cancel import CancelToken
from rpent.run import execute
from rpent.run.prompts import render
from rpent.run.resolve import resolve

from rpent_mcp.bridge import Bridge, bridged
from rpent_mcp.briefing import instructions
from rpent_mcp.runserver import run_server
from rpent_mcp.stdio import serve_stdio

if TYPE_CHECKING:
    from rpent.run.request import RunRequest
    from rpent.runs.outcome import Outcome

_FAREWELL_S = 2.0
"""How long a client is still told that the robot did not start."""


def execute_over_stdio(request: RunRequest) -> Outcome:
    """Run one episode for the client at the other end of standard input and output.

    The client is answered while the robot still starts. After the run the process stays until the client leaves:
    clients take a server that goes by itself for one that crashed.

    Raises:
        UsageError: A value of the request is not accepted; nothing was served.
        PluginError: A plugin that it names cannot be used.
    """
    bridge, cancel = Bridge(outlives_run=True), CancelToken()

    def leave() -> None:
        bridge.hang_up("The MCP client left.")
        cancel.cancel("The MCP client left.")

    if sys.stdin.isatty():
        click.echo("This is for an MCP client, which starts it by itself; `--http` waits for one.", err=True)
    with bridged(bridge):
        with redirect_stdout(sys.stderr):  # what a robot's plugin prints is not the client's
            words = instructions(render(resolve(request)))
        server = run_server(bridge, name=request.robot, instructions=words)
        with serve_stdio(server, on_leave=leave) as left:
            try:
                outcome = execute(request, cancel=cancel)
            finally:
                bridge.close()
            if outcome.reason != "interrupted":
                with suppress(KeyboardInterrupt):
                    left.wait(None if bridge.session is not None else _FAREWELL_S)
    return outcome
