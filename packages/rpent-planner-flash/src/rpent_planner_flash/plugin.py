"""What this distribution offers: the planner `flash`. Nothing heavy is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PlannerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_planners() -> Iterator[PlannerSpec]:
    """Offer the zero-token planner."""
    yield PlannerSpec(
        name="flash",
        summary="No model, no key: compiles the instruction into tool calls, grounded in the live scene.",
        planner="rpent_planner_flash.planner:FlashPlanner",
        config="rpent_planner_flash.config:FlashConfig",
        uses_model=False,
    )
