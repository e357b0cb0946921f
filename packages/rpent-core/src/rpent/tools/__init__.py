"""Tools: what a planner can call.

A tool is a method with a `@tool` decorator; its annotations and Google-style docstring are all that a planner
needs to know about it. `rpent.session` validates and runs the calls.
"""

from rpent.errors import ToolError
from rpent.robot import ToolContext
from rpent.tools.result import Capture, Image, ToolResult
from rpent.tools.tool import Tool, tool
from rpent.tools.toolkit import Toolkit, bound_tools

__all__ = [
    "Capture",
    "Image",
    "Tool",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "Toolkit",
    "bound_tools",
    "tool",
]
