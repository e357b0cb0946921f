"""Reads the sentence by rules: what it states explicitly. The rest of it describes the task, for the retrieval."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.errors import UsageError

from rpent_robosmith.agents.api import NoUsage
from rpent_robosmith.agents.intake_names import read_algorithm, read_environment, read_framework, read_robot
from rpent_robosmith.agents.intake_numbers import read_budget, read_counts, read_criteria, read_evaluation
from rpent_robosmith.agents.phrases import Text, refused_spans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_robosmith.task import TaskSpec

_STOP = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be been before being but by can could do does doing each every for from get gets has have
    how i if in into is it its keep let make me must my need of off on or our please policy should so some teach than
    that the their them then there these this those to train trained training until up us use using want way we what
    when where which while will with would you your learn learns learning agent robot""",
    )
)
MAX_SENTENCE = 1_000
"""Characters: a sentence is no document."""
UNMET = ": state one with `--safety`."
_NESTED = ("budget", "evaluation")


class RuleIntake(NoUsage):
    """An intake without a model."""

    def __init__(self, context: object = None) -> None:
        del context

    def read(self, task: TaskSpec, environments: Mapping[str, str]) -> TaskSpec:
        """Complete a task spec; fields in `task.stated`, and numbers that are given already, stay as they are."""
        return completed(task, readings(task, environments))


def completed(task: TaskSpec, found: Mapping[str, Any]) -> TaskSpec:
    """Return the task with what the sentence states.

    Raises:
        UsageError: It states something that is out of range.
    """
    try:
        return merged(task, found)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False)[0]
        name = ".".join(str(part) for part in fault["loc"])
        raise UsageError(
            f"The sentence asks for `{fault['input']}` as `{name}`, which is out of range: {fault['msg']}.",
            hint="Say it otherwise, or give the option; `rpent smith run --help` has them all.",
        ) from None


def readings(task: TaskSpec, environments: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields that the sentence states explicitly, by their names; `budget` and `evaluation` in part."""
    text = Text(" ".join(task.sentence[:MAX_SENTENCE].split()))
    found: dict[str, Any] = {"notes": [], "avoid": []}
    if len(task.sentence) > MAX_SENTENCE:
        found["notes"].append(
            f"Only the first {MAX_SENTENCE} characters of the sentence are read by the rules."
        )
    for read in (read_criteria, read_budget, read_evaluation, read_counts):
        read(text, found)
    read_environment(text, found, environments)
    read_algorithm(text, found)
    read_framework(text, found)
    read_robot(text, found, environments)
    found["tags"] = tags(text)
    found["notes"] += unmet(text)
    return {name: value for name, value in found.items() if value or value == 0}


def unmet(text: Text) -> list[str]:
    """Return a note for each limit in words, which no rule can turn into one on a measure."""
    limits = re.finditer(
        r"\b(?:never|must\s+not|may\s+not|at\s+no\s+time)\b[^.;,]*", text.rest, re.IGNORECASE
    )
    return [f"`{' '.join(match[0].split())}` is no limit that is measured{UNMET}" for match in limits]


def tags(text: Text) -> tuple[str, ...]:
    """Return the words that are left and describe the task, in their order, each once; none that is refused."""
    refused = refused_spans(text.whole)
    words = dict.fromkeys(
        match[0].lower()
        for match in re.finditer(r"[A-Za-z][A-Za-z'-]+", text.rest)
        if not any(start <= match.start() < end for start, end in refused)
    )
    return tuple(word for word in words if word not in _STOP)


def merged(task: TaskSpec, found: Mapping[str, Any]) -> TaskSpec:
    """Return the task with what was found, where the user stated nothing else."""
    kept = set(task.stated)
    values: dict[str, Any] = {}
    for name, value in found.items():
        if name in _NESTED:
            values[name] = _nested(task, name, value, kept)
        elif name in {"tags", "notes", "avoid"}:
            values[name] = (*dict.fromkeys((*getattr(task, name), *value)),)
        elif name not in kept:
            values[name] = value
    return type(task).model_validate({**task.model_dump(), **_plain(values)})


def _nested(task: TaskSpec, name: str, value: Mapping[str, Any], kept: set[str]) -> dict[str, Any]:
    """Return a nested record with what was found; a number that differs from the default was given by the user."""
    given = getattr(task, name)
    free = {
        key: number
        for key, number in value.items()
        if getattr(given, key) == type(given).model_fields[key].default
        and not {name, key, f"{name}.{key}"} & kept
    }
    return {**given.model_dump(), **free}


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [item.model_dump() for item in value] if name in {"criteria", "safety"} else value
        for name, value in values.items()
    }
