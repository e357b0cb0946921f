"""What this distribution offers: the command and the planner `mcp`. Nothing heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import CommandSpec, PlannerSpec

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


@hookimpl
def rpent_planners() -> Iterator[PlannerSpec]:
    """Offer the planner that waits for MCP clients."""
    yield PlannerSpec(
        name="mcp",
        summary="An MCP client that connects decides the tool calls.",
        planner="rpent_mcp.planner:McpPlanner",
        config="rpent_mcp.config:McpConfig",
        uses_model=False,
    )
