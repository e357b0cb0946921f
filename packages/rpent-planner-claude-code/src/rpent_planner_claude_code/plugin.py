"""What this distribution offers: the planner `claude_code`. Nothing heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PlannerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_planners() -> Iterator[PlannerSpec]:
    """Offer the planner on the Claude Agent SDK."""
    yield PlannerSpec(
        name="claude_code",
        summary="Claude Code: the agent loop of Claude, with the robot's tools only.",
        planner="rpent_planner_claude_code.planner:ClaudeCodePlanner",
        config="rpent_planner_claude_code.config:ClaudeCodeConfig",
    )
