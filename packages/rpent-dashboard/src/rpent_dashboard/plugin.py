"""What this distribution offers: the command and the front end `dashboard`, and the planner `manual`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import CommandSpec, FrontendSpec, PlannerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_commands() -> Iterator[CommandSpec]:
    """Offer `rpent dashboard`."""
    yield CommandSpec(
        name="dashboard",
        summary="Watch, steer and compare runs in the browser.",
        command="rpent_dashboard.cli:command",
    )


@hookimpl
def rpent_frontends() -> Iterator[FrontendSpec]:
    """Offer `rpent run --dashboard`."""
    yield FrontendSpec(
        name="dashboard",
        summary="Watch and steer the run in the browser, and give it further tasks there.",
        frontend="rpent_dashboard.frontend:run",
        config="rpent_dashboard.config:DashboardConfig",
    )


@hookimpl
def rpent_planners() -> Iterator[PlannerSpec]:
    """Offer the planner that leaves everything to a person."""
    yield PlannerSpec(
        name="manual",
        summary="A person calls the tools, in the dashboard.",
        planner="rpent_dashboard.manual:ManualPlanner",
        config="rpent_dashboard.manual:ManualConfig",
        uses_model=False,
    )
