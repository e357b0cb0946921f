"""The planner `mcp`: whoever connects as an MCP client decides the tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rpent.errors import ServiceError, UsageError
from rpent.rpc.endpoint import parse_endpoint

from rpent_mcp.bridge import Bridge, current
from rpent_mcp.config import DEFAULT_HTTP

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.rpc.endpoint import Endpoint
    from rpent.session.limits import Limits
    from rpent.session.session import Session

    from rpent_mcp.config import McpConfig


LEAVE_S = 3.0
"""How long a server whose run is over stays for its clients to go."""


class McpPlanner:
    """Hands the session to MCP clients: over the bridge of `rpent mcp`, else over HTTP."""

    def __init__(self, config: McpConfig) -> None:
        self._bridge = current()
        self._token_file = config.mcp_token_file
        self._where = _address(config.http or DEFAULT_HTTP)
        self._chosen = config.http is not None

    def check(self, limits: Limits) -> None:  # noqa: ARG002  (it costs nothing)
        """See whether the port is free and the token can be had, before anything starts.

        Raises:
            ServiceError: The port is taken.
            UsageError: The token file cannot be used.
        """
        if self._bridge is None:
            self._port()
            self._token()

    def run(self, session: Session) -> None:
        """Serve the session's tools until it ends."""
        if self._bridge is not None:
            self._bridge.follow(session)
        else:
            self._serve(session)

    def _serve(self, session: Session) -> None:
        from rpent_mcp.briefing import instructions  # noqa: PLC0415
        from rpent_mcp.runserver import run_server  # noqa: PLC0415
        from rpent_mcp.serving import serve_http  # noqa: PLC0415

        bridge = Bridge()
        server = run_server(bridge, name="robot", instructions=instructions(session.prompts))
        token, path = self._token()
        with serve_http(server, token=token, host=self._where.host, port=self._port()) as served:
            if not self._where.is_local:
                click.echo(
                    "It is reachable from other machines, without encryption: who has the token drives the robot.",
                    err=True,
                )
            session.notice(f"MCP clients are served at {served.url}")
            click.echo(f"MCP clients are served at {served.url} (token file: {path})", err=True)
            bridge.follow(session)
            served.wait_for_leave(LEAVE_S)

    def _port(self) -> int:
        """Return the port to listen on; where nobody chose one, the usual one may be taken."""
        from rpent_mcp.serving import bound_socket  # noqa: PLC0415  (only where the planner itself serves)

        try:
            bound_socket(self._where.host, self._where.port).close()
        except ServiceError:
            if self._chosen:
                raise
            return 0
        return self._where.port

    def _token(self) -> tuple[str, Path]:
        from rpent.environments.paths import cache_dir  # noqa: PLC0415  (only where the planner itself serves)
        from rpent.services.tokens import read_or_make_token  # noqa: PLC0415

        path = self._token_file or cache_dir() / "mcp.token"
        return read_or_make_token(path), path


def _address(text: str) -> Endpoint:
    where = parse_endpoint(text, allow_port_zero=True)
    if where.scheme != "http" or where.path:
        raise UsageError(f"`{text}` is not `HOST:PORT`.", hint="Such as `--http 127.0.0.1:8765`.")
    return where
