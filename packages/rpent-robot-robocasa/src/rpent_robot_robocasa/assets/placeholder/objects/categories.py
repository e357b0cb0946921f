"""The categories of objects that the simulator knows, read from its source without running it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robot_robocasa.assets.placeholder.mjcf import Vector

SOURCE = "models/objects/kitchen_objects.py"
TABLE = "OBJ_CATEGORIES"
REGISTRIES = {"objaverse": "objaverse", "lightwheel": "lightwheel", "aigen": "aigen_objs"}
"""Registries of objects and their folders below `objects/`."""
_SKIPPED = "exclude"


@dataclass(frozen=True, slots=True)
class Source:
    """One registry's entry of a category: where its instances are and how they are scaled."""

    folders: tuple[str, ...]
    """Below `objects/`."""
    scale: Vector
    auxiliary: bool
    """Whether it lies below the object that it belongs to, as a saucepan's lid does."""


@dataclass(frozen=True, slots=True)
class Category:
    """A category of objects, such as `apple`."""

    name: str
    types: tuple[str, ...]
    sources: tuple[Source, ...] = field(default=())


def read_categories(package: Path) -> tuple[Category, ...]:
    """Return the categories in the order of the package's table.

    Args:
        package: The folder of the package `robocasa`.

    Raises:
        EnvironmentSetupError: The table is not where, or not as, it is expected.
    """
    file = package / SOURCE
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        table = next(_evaluate(value) for name, value in _assignments(tree) if name == TABLE)
        return tuple(_category(name, entry) for name, entry in table.items())
    except (OSError, SyntaxError, StopIteration, ValueError, KeyError) as error:
        raise EnvironmentSetupError(
            f"The table `{TABLE}` cannot be read from `{file}`; this generator knows robocasa 1.0.",
            hint="rpent env sync --rebuild robocasa",
        ) from error


def _assignments(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    return [
        (target.id, node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def _evaluate(node: ast.expr) -> Any:
    """Return the value of literals and calls of `dict`; what is left out of a folder does not matter here."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return {str(word.arg): _evaluate(word.value) for word in node.keywords if word.arg != _SKIPPED}
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(_evaluate(item) for item in node.elts)
    return ast.literal_eval(node)


def _category(name: str, entry: dict[str, Any]) -> Category:
    types = entry["types"]
    sources = tuple(
        _source(name, folder, entry[registry]) for registry, folder in REGISTRIES.items() if registry in entry
    )
    return Category(name, (types,) if isinstance(types, str) else tuple(types), sources)


def _source(name: str, folder: str, entry: dict[str, Any]) -> Source:
    scale = entry.get("scale", 1.0)
    x, y, z = (scale, scale, scale) if isinstance(scale, int | float) else scale
    return Source(
        folders=tuple(entry.get("model_folders") or (f"{folder}/{name}",)),
        scale=(float(x), float(y), float(z)),
        auxiliary=bool(entry.get("is_auxiliary_obj")),
    )
