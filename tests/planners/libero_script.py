"""A script of tool calls that solves a LIBERO-PRO task in the real simulator: what a model would say, as plain data."""

from __future__ import annotations

from typing import Any

SUITE = "libero_object_swap"
TASK = 2
SEED = 0
INSTRUCTION = "Pick the salad dressing and place it in the basket"

OPTIONS = ("--robot", "libero", "--suite", SUITE, "--task", str(TASK), "--seed", str(SEED))
"""The task, as options of `rpent run`."""

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("segment", {"prompt": "salad dressing"}),
    ("grasp", {"target": "salad dressing"}),
    ("place", {"on": "basket", "relation": "in"}),
    ("finish", {"status": "success", "summary": "The salad dressing is in the basket."}),
]
"""One call a turn. After `place` the benchmark says that the task is solved."""
