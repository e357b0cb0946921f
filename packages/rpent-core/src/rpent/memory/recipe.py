"""The recipe of a solved task, and the audit that says what confirmed it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rpent.runs.files import plain
from rpent.runs.recipe import RecipeCall, parse_call

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True, slots=True)
class Audit:
    """Where a recipe comes from, and the benchmark's verdict on it."""

    run: str
    """Name of the run directory."""
    benchmark_success: bool | None
    env_steps: int
    """Control steps that the recipe takes."""
    seed: int
    planner: str
    instruction: str = ""
    created: float = 0.0
    """Unix time of the run."""
    privileged: tuple[str, ...] = ()
    """Perceptors of the run that look into the simulator."""
    caveats: tuple[str, ...] = ()
    """Why the run's result is not the benchmark's."""
    attempt: int = 1
    """Which attempt of the run."""
    repeated: bool | None = None
    """Replayed from a reset, it solved the task again; None where the robot cannot be reset."""
    model: str = ""
    """The language model that decided the calls, where one did."""
    versions: dict[str, str] = field(default_factory=dict)
    """Distribution → version of RPent, the robot, the planner and the perceptor."""
    recipe_sha256: str = ""
    """Set when the recipe is published."""

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: bytes) -> Audit:
        """Read an `audit.json`.

        Raises:
            ValueError: It is not JSON, or a value is missing or not of its kind.
        """
        from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  (only runs with memory need it)

        try:
            return TypeAdapter(cls).validate_json(data, strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ValueError(f"{where or 'the file'}: {first['msg'].lower()}") from None

    def sealed(self, recipe: bytes) -> Audit:
        """Return the audit of exactly this recipe."""
        return replace(self, recipe_sha256=hashlib.sha256(recipe).hexdigest())


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishedRecipe:
    """A recipe that the benchmark confirmed."""

    calls: tuple[RecipeCall, ...]
    audit: Audit


def recipe_bytes(calls: Sequence[RecipeCall]) -> bytes:
    """Return the file of a recipe."""
    return b"".join(call.to_line() + b"\n" for call in calls)


def audit_bytes(audit: Audit) -> bytes:
    """Return the file of an audit."""
    return json.dumps(plain(audit.to_json()), indent=2, ensure_ascii=False).encode() + b"\n"


def read_published(recipe: bytes, audit: bytes) -> PublishedRecipe:
    """Read a recipe with its audit.

    Raises:
        ValueError: One is damaged, they do not belong together, or the benchmark did not confirm it.
    """
    try:
        record = Audit.from_json(audit)
    except ValueError as error:
        raise ValueError(f"`audit.json` is damaged: {error}") from None
    if record.benchmark_success is not True:
        raise ValueError("the benchmark did not confirm the recipe")
    if record.recipe_sha256 != hashlib.sha256(recipe).hexdigest():
        raise ValueError("`recipe.jsonl` is not the one that `audit.json` is about")
    try:
        recipe.decode("utf-8")  # JSON alone would accept UTF-16 too
        calls = tuple(parse_call(line, number) for number, line in enumerate(recipe.splitlines()))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError("`recipe.jsonl` is not a recipe") from None
    return PublishedRecipe(calls=calls, audit=record)
