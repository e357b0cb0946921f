"""A run that is handed to a front end, which carries it out and whatever else its user asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.cli.frontends import KIND, task_fields
from rpent.cli.request import build_request, given_values, values_of
from rpent.cli.sectioned import sections_of
from rpent.config import build_config
from rpent.plugins import registry
from rpent.plugins.index import label
from rpent.plugins.named import load_named

if TYPE_CHECKING:
    import click

    from rpent.cli.sections import Section
    from rpent.specs import FrontendSpec


def run_in_frontend(ctx: click.Context, name: str, *, planner: str) -> int:
    """Hand the request to a front end and return its exit code.

    What a robot's model requires of a task may be missing where no field of a task was given: it is chosen in the
    front end.

    Args:
        ctx: The parsed options.
        name: The front end.
        planner: The planner's name.

    Raises:
        UsageError: A value is not accepted.
        PluginError: The front end cannot be used.
    """
    sections = {section.kind: section for section in sections_of(ctx)}
    what = f"{label(KIND)} `{name}`"
    spec: FrontendSpec = registry.get(KIND, name)
    config = build_config(load_named(spec.config, what), values_of(sections[KIND], ctx), what=what)
    given = task_given(sections["robots"], ctx)
    absent = frozenset() if given else task_fields(sections["robots"])
    request = build_request(ctx, planner=planner, absent=absent)
    return int(load_named(spec.frontend, what)(request, config, task_given=given))


def task_given(robot: Section, ctx: click.Context) -> bool:
    """Whether an option or an environment variable says anything of the task."""
    return not task_fields(robot).isdisjoint(given_values(robot, ctx))
