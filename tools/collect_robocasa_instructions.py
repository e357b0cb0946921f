"""Write what the benchmark's tasks say, for the test of the RoboCasa perceptor's vocabulary.

The templates are read from the source of the task classes, so every branch is seen and no kitchen is built; what is
drawn at run time stands in braces, by the last name of its expression: `Open the {drawer_side} drawer.` Run it after an
upgrade of the benchmark, in the environment that has it:
`$(rpent env path robocasa)/bin/python tools/collect_robocasa_instructions.py`.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OUTPUT = Path(__file__).parents[1] / "packages/rpent-robot-robocasa/tests/perception/instructions.json"
VARIANTS = "models/assets/novel_instructions/task_instruction_variants.csv"
CATEGORIES = "models/objects/kitchen_objects.py"


def package() -> Path:
    """Return the folder of the benchmark's package, without importing it."""
    spec = find_spec("robocasa")
    if spec is None or spec.origin is None:
        raise SystemExit("This interpreter has no `robocasa`; use the one of the environment `robocasa`.")
    return Path(spec.origin).parent


def templates(expression: ast.expr) -> list[str]:
    """Return the texts that an expression may give."""
    match expression:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return ["".join(_part(part) for part in parts)]
        case ast.IfExp(body=body, orelse=orelse):
            return templates(body) + templates(orelse)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a in templates(left) for b in templates(right)]
    return []


def _part(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    value = part.value if isinstance(part, ast.FormattedValue) else part
    if isinstance(value, ast.IfExp):
        return templates(value)[0]
    names = re.findall(r"[a-z_]\w*", ast.unparse(value).split(".replace")[0].split("(")[0])
    return "{" + names[-1] + "}"


def of_class(task: ast.ClassDef) -> Iterator[str]:
    """Yield what a task class assigns to `ep_meta["lang"]`."""
    for node in ast.walk(task):
        if isinstance(node, ast.Assign) and any("'lang'" in ast.unparse(target) for target in node.targets):
            yield from templates(node.value)


def collect(folder: Path) -> dict[str, list[str]]:
    """Return each task's instructions, the benchmark's paraphrases included."""
    found: dict[str, list[str]] = {}
    for path in sorted((folder / "environments/kitchen").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).extend(of_class(node))
    with (folder / VARIANTS).open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["Task"], []).extend(row[f"Variant {number}"] for number in (1, 2, 3))
    clean = {
        name: [" ".join(text.split()) for text in texts if text.strip()] for name, texts in found.items()
    }
    return {name: list(dict.fromkeys(texts)) for name, texts in sorted(clean.items()) if texts}


def categories(folder: Path) -> list[str]:
    """Return the categories of movable objects."""
    tree = ast.parse((folder / CATEGORIES).read_text())
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and "OBJ_CATEGORIES" in ast.unparse(node.targets[0]):
            found |= {str(word.arg) for word in getattr(node.value, "keywords", ())}
    return sorted(found)


if __name__ == "__main__":
    root = package()
    content = {
        "benchmark": f"rpent-robocasa365 {version('rpent-robocasa365')}",
        "categories": categories(root),
        "instructions": collect(root),
    }
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
