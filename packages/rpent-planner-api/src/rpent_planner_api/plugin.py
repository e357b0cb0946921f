"""What this distribution offers: the planner `api`. Nothing heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PlannerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_planners() -> Iterator[PlannerSpec]:
    """Offer the planner for any provider."""
    yield PlannerSpec(
        name="api",
        summary="Any language model through its provider's API, or a local model server.",
        planner="rpent_planner_api.planner:ApiPlanner",
        config="rpent_planner_api.config:ApiConfig",
    )
