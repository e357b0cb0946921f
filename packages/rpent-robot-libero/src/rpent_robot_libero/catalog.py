"""The suites of LIBERO and LIBERO-PRO, read from package data: no simulator is needed to name a task.

`tools/build_libero_catalog.py` writes the data from the installed benchmark. Instructions are the task files'
`:language`, never derived from file names: in the PRO `_task` and `_lan` suites the two differ.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from rpent.errors import UsageError

STANDARD_SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10", "libero_90")
"""The suites of the original LIBERO, which `--libero-type standard` is limited to."""

DEFAULT_SUITE = "libero_object_swap"
"""The suite of who names none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One task of a suite."""

    suite: str
    index: int
    name: str
    """The task file's name without extension. In PRO suites it may contradict the instruction."""
    instruction: str
    initial_states: int

    @property
    def family(self) -> str:
        """The original suite that the task's suite is a variation of: `libero_object` for `libero_object_swap`.

        Objects, furniture and kinds of goals are those of the original; LIBERO-PRO's variations place, word or
        combine them otherwise. What was learned about the things themselves holds in all of them.
        """
        bases = [suite for suite in STANDARD_SUITES if f"{self.suite}_".startswith(f"{suite}_")]
        return max(bases, key=len, default=self.suite)

    def initial_state(self, seed: int) -> int:
        """Return which recorded initial state a seed selects."""
        return seed % self.initial_states


@cache
def _catalog() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files(__package__) / "data/suites.json").read_text(encoding="utf-8"))
    return data


def suites(libero_type: str = "pro") -> tuple[str, ...]:
    """Return the names of the suites that can be run."""
    names = tuple(_catalog()["suites"])
    return names if libero_type == "pro" else tuple(name for name in names if name in STANDARD_SUITES)


def tasks(suite: str, *, libero_type: str = "pro") -> tuple[Task, ...]:
    """Return a suite's tasks in the benchmark's own order.

    Raises:
        UsageError: The suite is unknown, incomplete in the installed benchmark, or not of this `libero_type`.
    """
    accepted = suites(libero_type)
    if suite not in accepted:
        raise _refusal(suite, accepted, libero_type)
    return tuple(
        Task(
            suite=suite,
            index=index,
            name=entry["name"],
            instruction=entry["language"],
            initial_states=entry["initial_states"],
        )
        for index, entry in enumerate(_catalog()["suites"][suite])
    )


def find_task(suite: str, index: int, *, libero_type: str = "pro") -> Task:
    """Return one task.

    Raises:
        UsageError: The suite cannot be run, or has no such task.
    """
    members = tasks(suite, libero_type=libero_type)
    if not 0 <= index < len(members):
        raise UsageError(
            f"Task {index} is out of range: suite `{suite}` has {len(members)} tasks.",
            hint=f"Use `--task` 0 to {len(members) - 1}.",
        )
    return members[index]


def _refusal(suite: str, accepted: tuple[str, ...], libero_type: str) -> UsageError:
    hint = f"Suites that work: {', '.join(accepted)}."
    incomplete: dict[str, str] = _catalog()["incomplete"]
    if suite in incomplete:
        return UsageError(f"Suite `{suite}` cannot be run: {incomplete[suite]}.", hint=hint)
    if suite in _catalog()["suites"]:
        return UsageError(
            f"Suite `{suite}` is not of the original LIBERO, which `--libero-type {libero_type}` asks for.",
            hint=hint,
        )
    close = get_close_matches(suite, accepted, n=1)
    question = f" Did you mean `{close[0]}`?" if close else ""
    return UsageError(f"Unknown suite `{suite}`.{question}", hint=hint)
