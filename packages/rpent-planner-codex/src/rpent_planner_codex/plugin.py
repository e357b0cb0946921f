"""What this distribution offers: the planner `codex`. Nothing heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PlannerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_planners() -> Iterator[PlannerSpec]:
    """Offer the planner on the Codex SDK."""
    yield PlannerSpec(
        name="codex",
        summary="Codex: the agent loop of OpenAI's models, with the robot's tools only.",
        planner="rpent_planner_codex.planner:CodexPlanner",
        config="rpent_planner_codex.config:CodexConfig",
    )
