"""What each number of an observation and action is called, and in which unit.

In this order: what the catalog entry says, what the adapter says, the tables of the environment's docstring, the names
in its MuJoCo model; then `observation_3`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rpent_robosmith.facts import NumberFacts, SpaceFacts
from rpent_robosmith.worker.making import adapter_of
from rpent_robosmith.worker.tables import Row, tables_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import gymnasium

    from rpent_robosmith.catalog.entry import EnvEntry

MAX_NUMBERS = 2_000
"""Larger boxes (pictures) get no names."""
_NAME_AND_UNIT = re.compile(r"(?P<name>.*?)(?:\s+\[(?P<unit>[^\]]*)\])?")
_NO_NAMES = {"", "-", "NA"}
_STATE_PARTS = {"skipped_qpos", "skipped_qvel"}


def observation_numbers(
    env: gymnasium.Env[Any, Any], entry: EnvEntry, space: SpaceFacts
) -> dict[str, tuple[NumberFacts, ...]]:
    """Return part of the observation → its numbers, the empty string where it is one vector."""
    parts = space.parts if space.kind == "dict" else {"": space}
    named = {
        key: _named(part, _rows(env, entry, key or "observation", part.size), key or "observation")
        for key, part in parts.items()
        if part.kind == "box" and part.size <= MAX_NUMBERS
    }
    return {key: numbers for key, numbers in named.items() if numbers}


def action_numbers(
    env: gymnasium.Env[Any, Any], entry: EnvEntry, space: SpaceFacts
) -> tuple[NumberFacts, ...]:
    """Return the numbers of an action; a discrete one is a single number whose name lists the choices."""
    if space.kind == "discrete":
        choices = _rows(env, entry, "action", space.n or 0)
        text = "; ".join(f"{space.start + i}: {row.name}" for i, row in enumerate(choices))
        last = space.start + (space.n or 1) - 1
        return (NumberFacts(name=text or "choice", low=space.start, high=last),)
    rows = _rows(env, entry, "action", space.size) or _actuators(env, space.size)
    return _named(space, rows, "action")


def parse_number(text: str) -> Row:
    """Return name and unit of `name [unit]`."""
    match = _NAME_AND_UNIT.fullmatch(text.strip())
    return Row(name=match["name"], unit=match["unit"] or "") if match else Row(name=text)


def _rows(env: gymnasium.Env[Any, Any], entry: EnvEntry, part: str, size: int) -> list[Row]:
    """Return what is known of the numbers of `action`, `observation` or a part; empty where nothing is."""
    for source in (entry.numbers, adapter_of(entry.adapter).numbers(env)):
        if len(source.get(part, ())) == size:
            return [parse_number(text) for text in source[part]]
    found = tables_of(type(env.unwrapped), part)
    exact = next((rows for rows in found if len(rows) == size), None)
    if exact is not None or part == "action":
        return exact or []
    return _structured(env, next((rows for rows in found if len(rows) < size), []), size)


def _structured(env: gymnasium.Env[Any, Any], first: Sequence[Row], size: int) -> list[Row]:
    """Return positions and velocities from a table, and what follows them by the parts that MuJoCo's own names."""
    structure = getattr(env.unwrapped, "observation_structure", None)
    if not isinstance(structure, dict):
        return []
    lengths = {key: int(length) for key, length in structure.items() if key not in _STATE_PARTS}
    rows = [Row(name=f"{key}[{i}]") for key, length in lengths.items() for i in range(length)]
    state = lengths.get("qpos", 0) + lengths.get("qvel", 0)
    if len(rows) != size or len(first) < state:
        return rows if len(rows) == size else []
    return [*first[:state], *rows[state:]]


def _actuators(env: gymnasium.Env[Any, Any], size: int) -> list[Row]:
    """Return the names of a MuJoCo model's actuators where there is one for each number."""
    model = getattr(env.unwrapped, "model", None)
    if model is None or getattr(model, "nu", None) != size:
        return []
    return [Row(name=model.actuator(i).name or f"actuator_{i}") for i in range(size)]


def _named(space: SpaceFacts, rows: Sequence[Row], kind: str) -> tuple[NumberFacts, ...]:
    """Return the numbers of a box, with its own bounds (a documented bound may be wrong)."""
    if space.kind != "box" or space.size > MAX_NUMBERS:
        return ()
    low = space.low if len(space.low) == space.size else space.low[:1] * space.size
    high = space.high if len(space.high) == space.size else space.high[:1] * space.size
    known = rows or [Row(name=f"{kind}_{i}") for i in range(space.size)]
    return tuple(
        NumberFacts(
            name=row.name if row.name not in _NO_NAMES else f"{kind}_{i}",
            unit=row.unit,
            low=low[i],
            high=high[i],
        )
        for i, row in enumerate(known)
    )
