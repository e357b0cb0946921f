"""Stage 5: the robot's own tools, and those that plugins add to any robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import RpentError
from rpent.plugins.named import load_named
from rpent.tools.toolkit import bound_tools

if TYPE_CHECKING:
    from rpent.robot import ToolContext
    from rpent.run.resolve import Resolved
    from rpent.runs.recorder import Recorder
    from rpent.tools.tool import Tool
    from rpent.tools.toolkit import Toolkit


def collect_tools(
    resolved: Resolved, toolkit: Toolkit, context: ToolContext, recorder: Recorder
) -> list[Tool]:
    """Return all tools; what cannot be used, or takes a name of the robot's, is reported and left out."""
    tools = {tool.name: tool for tool in toolkit.tools()}
    for name in resolved.registry.names("tools"):
        try:
            spec = resolved.registry.get("tools", name)
            added = bound_tools(load_named(spec.tools, f"tool plugin `{name}`")(context), context)
        except (RpentError, TypeError) as error:
            recorder.notice(f"Tools `{name}` are left out: {error}", "warning")
            continue
        for tool in added:
            if tool.name in tools:
                text = f"Tool `{tool.name}` of `{name}` is left out: the name is taken."
                recorder.notice(text, "warning")
            else:
                tools[tool.name] = tool
    return list(tools.values())
