"""`replay`: carry out a recorded run's recipe again, in a run of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.run.execute import execute
from rpent.run.manifest import request_from_json
from rpent.run.request import Limits
from rpent.runs.directory import RunDirectory

if TYPE_CHECKING:
    from rpent.run.resolve import Registry
    from rpent.runs.outcome import Outcome

UNLIMITED = Limits(max_turns=None, max_tool_calls=None, time_limit_s=None)
"""A recording ends by itself. Its own limits would cut it: a run that was resumed went beyond them, and one call is
one turn here, where the recorded turns had several."""


def replay(
    run_dir: Path,
    *,
    to_step: int | None = None,
    attempt: int | None = None,
    registry: Registry | None = None,
    **changes: Any,
) -> Outcome:
    """Run the robot and task of `run_dir` with the planner `replay` over its recipe.

    Args:
        run_dir: The recorded run; it is only read.
        to_step: Stop after this step.
        attempt: Which attempt of an exploring run; the last one when None.
        registry: As in `execute`.
        **changes: Fields of the request to replace.

    Raises:
        RunDirectoryError: It is not a run directory.
        UsageError: It has no such attempt.
    """
    directory = RunDirectory(Path(run_dir).absolute())
    manifest = directory.read_manifest()
    recipe = directory.path if attempt is None else directory.recipe_of(attempt)
    config = {"recipe": str(recipe), "to_step": to_step}
    values = {
        "planner": "replay",
        "planner_config": config,
        "explore": None,
        "memory": False,
        "output_dir": directory.path.parent,
        "limits": UNLIMITED,
        **changes,
    }
    return execute(request_from_json(manifest["request"], **values), registry=registry)
