"""Stage 6: the robot's prompt templates, filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import PluginError
from rpent.robot import Prompts
from rpent.suggest import listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.run.resolve import Resolved


def render(resolved: Resolved) -> Prompts:
    """Fill `{name}` in the robot's templates; a doubled brace stands for itself.

    Raises:
        PluginError: A template uses a variable that does not exist.
    """
    setup, limits = resolved.setup, resolved.request.limits
    variables = {
        "instruction": setup.instruction,
        "task": setup.tag,
        "seed": setup.seed,
        "max_turns": limits.max_turns or "unlimited",
        "max_tool_calls": limits.max_tool_calls or "unlimited",
        **setup.prompt_variables,
    }
    try:
        return fill(resolved.robot.prompts(), variables)
    except (KeyError, IndexError, ValueError) as error:
        raise PluginError(
            f"A prompt of robot `{resolved.robot_spec.name}` cannot be filled in: {error}.",
            hint=f"Variables: {listing(variables)}; write a brace of the text itself twice.",
        ) from error


def fill(templates: Prompts, variables: Mapping[str, Any]) -> Prompts:
    """Fill both templates; raises `KeyError` for a variable that is not given."""
    return Prompts(system=templates.system.format_map(variables), user=templates.user.format_map(variables))
