"""What this distribution offers: the command `rpent mcp`. Nothing heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import CommandSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_commands() -> Iterator[CommandSpec]:
    """Offer `rpent mcp`."""
    yield CommandSpec(
        name="mcp",
        summary="Serve a robot's tools to an MCP client.",
        command="rpent_mcp.cli:command",
    )
