"""Drafts, recipes and audits for tests of what writes or reads a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.memory.recipe import Audit
from rpent.runs.recipe import RecipeCall

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def note(body: str = "Grasp the rim.", title: str = "Mugs", summary: str = "How to grasp mugs.") -> str:
    """Return the text of a draft."""
    return f"---\ntitle: {title}\nsummary: {summary}\n---\n\n{body}\n"


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder, by relative path, and return the folder."""
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def recipe_calls(number: int = 2) -> list[RecipeCall]:
    """Return a recipe of some calls."""
    return [RecipeCall(n=n, name="move_to", arguments={"xyz": [0.1, 0.2, n]}) for n in range(number)]


def solved_audit(**values: Any) -> Audit:
    """Return the audit of a solved run, with changes."""
    given: dict[str, Any] = {
        "run": "fake_t0_s0_x",
        "benchmark_success": True,
        "env_steps": 100,
        "seed": 0,
        "planner": "x",
    }
    return Audit(**(given | values))
