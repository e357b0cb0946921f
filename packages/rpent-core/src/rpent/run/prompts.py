"""Stage 6: the robot's prompt templates, filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import PluginError
from rpent.robot import Prompts
from rpent.suggest import listing

if TYPE_CHECKING:
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
    templates = resolved.robot.prompts()
    try:
        return Prompts(
            system=templates.system.format_map(variables), user=templates.user.format_map(variables)
        )
    except (KeyError, IndexError, ValueError) as error:
        raise PluginError(
            f"A prompt of robot `{resolved.robot_spec.name}` cannot be filled in: {error}.",
            hint=f"Variables: {listing(variables)}; write a brace of the text itself twice.",
        ) from error
