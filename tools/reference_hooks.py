"""Hooks and frozen specs as Markdown, of core and of plugins that add some."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def hooks_section(family: type) -> str:
    """A class of hookspecs: each hook's signature, purpose and example."""
    lines = [f"\n## {family.__name__}\n", inspect.getdoc(family) or ""]
    for name, member in vars(family).items():
        if name.startswith("rpent_"):
            parameters = [p for p in inspect.signature(member).parameters if p != "self"]
            lines += [f"\n### `{name}({', '.join(parameters)})`\n", inspect.getdoc(member) or ""]
    return "\n".join(lines)


def specs_sections(module: ModuleType) -> str:
    """Every frozen spec of a module, and its fields."""
    lines = []
    for name, cls in vars(module).items():
        if not (inspect.isclass(cls) and is_dataclass(cls) and cls.__module__ == module.__name__):
            continue
        docs = field_docs(cls)
        lines += [
            f"\n## `{name}`\n",
            inspect.getdoc(cls) or "",
            "",
            "| field | type | meaning |",
            "|---|---|---|",
        ]
        for field in fields(cls):
            kind = str(field.type).replace("|", "\\|")
            lines.append(
                f"| `{field.name}` | `{kind}` | {docs.get(field.name, '').replace('|', chr(92) + '|')} |"
            )
    return "\n".join(lines)


def field_docs(cls: type) -> dict[str, str]:
    """The string under each field of a class, by field name."""
    body = ast.parse(inspect.getsource(cls)).body[0].body  # type: ignore[attr-defined]
    docs = {}
    for statement, following in pairwise(body):
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
        ):
            docs[statement.target.id] = inspect.cleandoc(str(following.value.value)).replace("\n", " ")  # type: ignore[union-attr]
    return docs
