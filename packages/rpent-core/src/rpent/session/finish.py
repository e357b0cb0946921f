"""`finish`: the session's own tool, validated like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.runs.outcome import Ending, PlannerStatus
from rpent.tools.result import ToolResult
from rpent.tools.tool import build_tool, tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.tools.tool import Tool

NAME = "finish"


class FinishTool:
    """Ends the session with the planner's own claim; the benchmark's verdict is a different field."""

    def __init__(self, end: Callable[[Ending], None]) -> None:
        self._end = end

    def build(self) -> Tool:
        """Return the tool that a session offers."""
        return build_tool(self.finish)

    @tool(readonly=True, recipe=True)
    def finish(self, status: PlannerStatus, summary: str = "") -> ToolResult:
        """End the task. Call it once, when the task is done or you cannot go on.

        Args:
            status: `success` when the task is done, `failure` when it cannot be done any more, `stuck` when
                you do not know how to go on.
            summary: One or two sentences: what was done, and what was seen last.
        """
        self._end(Ending(reason="finished", planner_status=status, detail=summary))
        return ToolResult(data={"status": status, "summary": summary})
