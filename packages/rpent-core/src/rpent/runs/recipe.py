"""The recipe: the calls that changed the world, one JSON object a line, replayable.

`{"n", "call_id", "name", "arguments", "ok", "cancelled", "result", "step", "env_steps"}`: `arguments` are
what the planner gave, `result` is what the tool answered (to check a replay), `step` is the capture after the
call. An exploring run's `recipe.jsonl` holds the calls of its last attempt; `attempts/NN/recipe.jsonl` those of
the earlier ones.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from rpent.errors import RunDirectoryError
from rpent.runs.events import AttemptStarted, RunResumed, ToolCalled, ToolReturned
from rpent.runs.files import plain, unwritable, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rpent.runs.events import Event


@dataclass(frozen=True, kw_only=True, slots=True)
class RecipeCall:
    """One call of a recipe."""

    n: int
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    call_id: str = ""
    ok: bool = True
    cancelled: bool = False
    result: dict[str, Any] = field(default_factory=dict)
    step: int | None = None
    env_steps: int = 0

    def to_line(self) -> bytes:
        """Return the call as one line of JSON."""
        return json.dumps(plain(asdict(self)), ensure_ascii=False).encode()


def read_recipe(path: Path) -> list[RecipeCall]:
    """Read a recipe file, or the one of a run directory; a torn last line is skipped.

    Raises:
        RunDirectoryError: There is no such file, or a line is not a call.
    """
    file = path / "recipe.jsonl" if path.is_dir() else path
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise RunDirectoryError(
            f"`{file}` cannot be read: {error.strerror}.", hint="Give a run directory or a `recipe.jsonl`."
        ) from None
    calls: list[RecipeCall] = []
    for number, line in enumerate(lines):
        try:
            calls.append(parse_call(line, len(calls)))
        except (ValueError, TypeError, KeyError):
            if number < len(lines) - 1 or not calls:  # only the last line may be torn
                raise RunDirectoryError(f"Line {number + 1} of `{file}` is not a recipe call.") from None
    return calls


def lines_of(calls: Iterable[RecipeCall]) -> bytes:
    """Return what a recipe file holds."""
    return b"".join(call.to_line() + b"\n" for call in calls)


def write_recipe(path: Path, data: bytes) -> None:
    """Replace a recipe file whole; its folder is made.

    Raises:
        RunDirectoryError: The file system refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error
    write_atomic(path, data)


def parse_call(line: bytes, number: int) -> RecipeCall:
    """Read one line of a recipe.

    Args:
        line: What `RecipeCall.to_line` returned.
        number: Its place, where the line does not say it.

    Raises:
        ValueError, TypeError, KeyError: It is not a call.
    """
    values = json.loads(line)
    known = {name: values[name] for name in RecipeCall.__dataclass_fields__ if name in values}
    call = RecipeCall(**{"n": number, **known})
    if not isinstance(call.name, str) or not isinstance(call.arguments, dict):
        raise TypeError(line)
    return call


def recipe_from_events(events: Iterable[Event]) -> list[RecipeCall]:
    """Derive the recipe from the events: the calls since the episode began, for the last time."""
    return recipes_from_events(events)[-1]


def recipes_from_events(events: Iterable[Event]) -> list[list[RecipeCall]]:
    """Derive the recipe of each attempt (one, where the run does not explore), without calls that a resume dropped."""
    arguments: dict[str, Any] = {}
    recipes: list[list[RecipeCall]] = [[]]
    for event in events:
        if isinstance(event, ToolCalled):
            arguments[event.call_id] = event.arguments
        elif isinstance(event, RunResumed):
            arguments.clear()
        elif isinstance(event, AttemptStarted) and event.attempt > 1:
            recipes.append([])
        elif isinstance(event, ToolReturned) and event.recipe:
            recipes[-1].append(call_of(event, arguments.get(event.call_id, {}), len(recipes[-1])))
    return recipes


def call_of(returned: ToolReturned, arguments: Any, number: int) -> RecipeCall:
    """Make the recipe's line for a call that returned."""
    return RecipeCall(
        n=number,
        call_id=returned.call_id,
        name=returned.name,
        arguments=arguments if isinstance(arguments, dict) else {},
        ok=returned.ok,
        cancelled=returned.cancelled,
        result={key: value for key, value in returned.data.items() if key != "observation"},
        step=returned.step,
        env_steps=returned.env_steps,
    )
