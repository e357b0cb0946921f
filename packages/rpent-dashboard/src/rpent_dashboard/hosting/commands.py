"""Commands that are typed: `/rpent-task libero_goal 3 seed=2`, and what each means."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_origin

from rpent.fields import without_none
from rpent.suggest import did_you_mean, listing

from rpent_dashboard.hosting.errors import FieldError
from rpent_dashboard.hosting.forms import field_names
from rpent_dashboard.hosting.words import checked_split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel
    from rpent.specs import DashboardSpec

TASK = "/rpent-task"
COMMANDS: Mapping[str, str] = {
    TASK: "Queue a task.",
    "/interrupt": "Stop the motion and the reply under way; the planner then waits for you.",
    "/stop": "End the task that runs.",
    "/help": "Show the commands.",
}
_ASSIGNMENT = re.compile(r"(?:--)?([A-Za-z_][\w-]*)=(.*)", re.DOTALL)
_SEQUENCES = (list, tuple, set, frozenset)


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskFields:
    """The fields that a task command fills."""

    model: type[BaseModel]
    positional: Sequence[str]
    """In the order of the command's arguments."""
    names: Sequence[str] = field(default=())
    """All that may be set by name."""

    @classmethod
    def of(cls, spec: DashboardSpec, model: type[BaseModel]) -> TaskFields:
        """Return the fields of a robot; one without a say takes all of its model, in its order."""
        names = field_names(model)
        return cls(
            model=model,
            positional=[name for name in spec.task_fields or names if name in model.model_fields],
            names=names,
        )

    @property
    def usage(self) -> str:
        """How the command is typed."""
        return " ".join([TASK, *(f"[{name}]" for name in self.positional), "[field=value …]"])


def parse_task(line: str, fields: TaskFields) -> dict[str, Any]:
    """Return the values of a task command, ready for the robot's model.

    Raises:
        FieldError: It is another command, a field does not exist, or is given twice.
    """
    words = [word.text for word in checked_split(line)]
    if not words or words[0] != TASK:
        known = did_you_mean(words[0] if words else "", COMMANDS)
        raise FieldError(
            f"There is no command `{words[0] if words else ''}`{known}", hint=f"Usage: {fields.usage}"
        )
    values: dict[str, Any] = {}
    rest = list(fields.positional)
    for word in words[1:]:
        name, text = _assigned(word, fields) or (_next(word, rest, values, fields), word)
        if name in values:
            raise FieldError(f"`{name}` is given twice.", hint=f"Usage: {fields.usage}", field=name)
        values[name] = read_value(text, name, fields.model)
    return values


def assignment(word: str) -> tuple[str, str] | None:
    """Return field and value of `field=value`, None for another word."""
    found = _ASSIGNMENT.fullmatch(word)
    return (found.group(1).replace("-", "_"), found.group(2)) if found else None


def read_value(text: str, name: str, model: type[BaseModel]) -> Any:
    """Return what a text stands for, as far as the model's validation does not see to it itself.

    Raises:
        FieldError: It should be JSON and is not.
    """
    annotation = without_none(model.model_fields[name].annotation)
    origin = get_origin(annotation) or annotation
    optional = annotation is not model.model_fields[name].annotation
    if optional and text in ("none", "null"):
        return None
    if annotation is bool:
        return {"on": True, "off": False}.get(text.lower(), text)
    if origin in _SEQUENCES and not text.startswith("["):
        return [part for part in text.split(",") if part]
    if origin in (*_SEQUENCES, dict, Mapping) or hasattr(origin, "model_fields"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise FieldError(f"`{name}` is `{text[:60]}`, which is not JSON.", field=name) from None
    return text


def _assigned(word: str, fields: TaskFields) -> tuple[str, str] | None:
    found = assignment(word)
    if found is None:
        if word.startswith("--"):
            name = word.lstrip("-").replace("-", "_")
            raise FieldError(f"`{word[:60]}` has no value.", hint=f"Write `{name}=VALUE`.", field=name)
        return None
    name = found[0]
    if name not in fields.names:
        raise FieldError(
            f"There is no field `{name}`{did_you_mean(name, fields.names)}",
            hint=f"Fields: {listing(fields.names)}.",
        )
    return found


def _next(word: str, rest: list[str], values: Mapping[str, Any], fields: TaskFields) -> str:
    while rest:
        name = rest.pop(0)
        if name not in values:
            return name
    raise FieldError(
        f"`{word[:60]}` is one value too many{did_you_mean(word, fields.names)}",
        hint=f"Usage: {fields.usage}",
    )
