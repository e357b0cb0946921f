"""What `robocasa_sweep.py` found, read from JSON lines and shown as Markdown tables."""

from __future__ import annotations

import json
import os
import platform
import statistics
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PROMISED = {"atomic": 60, "composite": 150}


def digest() -> str:
    """Return the beginning of the placeholders' digest: other shapes are tried anew."""
    from rpent_robot_robocasa.assets.locate import locate

    return locate("placeholder").manifest.digest[:12]


def read(file: Path) -> list[dict[str, Any]]:
    """Return the rows that are known, the last of each case."""
    if not file.exists():
        return []
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return list({(row["task"], row["seed"]): row for row in rows}.values())


def table(rows: list[dict[str, Any]], *, steps: int) -> str:
    """Return the report: the promises, the failures with their reasons, every task."""
    from rpent_robot_robocasa.assets.locate import locate
    from rpent_robot_robocasa.catalog import find_task, task_names

    kinds = {row["task"]: find_task(row["task"]).kind for row in rows}
    lines = [
        "# RoboCasa365's tasks on placeholder assets",
        "",
        f"Made by `python benchmarks/robocasa_sweep.py`: reset, {steps} steps, finite, not solved at the start.",
        "",
        "| kind | tasks | tried | ok | promised | kept |",
        "|---|---|---|---|---|---|",
    ]
    for kind, promised in PROMISED.items():
        tried = {row["task"] for row in rows if kinds[row["task"]] == kind}
        failed = {row["task"] for row in rows if row["problem"] and row["task"] in tried}
        good = len(tried) - len(failed)
        counts = f"{len(task_names(kind))} | {len(tried)} | {good} | {promised}"
        lines.append(f"| {kind} | {counts} | {'yes' if good >= promised else 'no'} |")
    lines += ["", *_summary(rows, locate("placeholder").manifest), "", "## What fails, and why", ""]
    failures = [row for row in rows if row["problem"]]
    lines += [f"- {row['task']}, seed {row['seed']}: {row['problem']}" for row in failures] or ["Nothing."]
    lines += ["", *_abstract(), "## Every task", ""]
    lines += [
        "| task | kind | seed | split | layout | style | geoms | reset s | step ms | |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: (kinds[row["task"]], row["task"], row["seed"])):
        cells = [row["task"], kinds[row["task"]], row["seed"], row["split"], row["layout"], row["style"]]
        cells += [row["geoms"], row["reset_s"], row["step_ms"], "failed" if row["problem"] else "ok"]
        lines.append("| " + " | ".join("-" if cell is None else str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _summary(rows: list[dict[str, Any]], manifest: Any) -> list[str]:
    good = [row for row in rows if not row["problem"]]
    if not good:
        return []
    layouts, styles = ({row[what] for row in good} for what in ("layout", "style"))
    resets, steps = ([row[what] for row in good] for what in ("reset_s", "step_ms"))
    return [
        f"- Reset: median {statistics.median(resets):.1f} s, longest {max(resets):.0f} s; step without pictures: "
        f"median {statistics.median(steps):.0f} ms.",
        f"- {len(layouts)} layouts, {len(styles)} styles, {min(row['geoms'] for row in good)} to "
        f"{max(row['geoms'] for row in good)} geoms.",
        f"- Assets: generator {manifest.generator}, robocasa {manifest.package_version}, {manifest.files} files, "
        f"{manifest.digest[:12]}.",
        f"- With just these shapes: {sum(row.get('assets') == manifest.digest[:12] for row in rows)} of {len(rows)}; "
        "the others with earlier ones.",
        f"- {os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
    ]


def _abstract() -> list[str]:
    """Return what the benchmark registers and nobody can run."""
    data = json.loads((files("rpent_robot_robocasa") / "data/tasks.json").read_text(encoding="utf-8"))
    entries = data["tasks"].items()
    names = [f"{name} ({entry['abstract']})" for name, entry in entries if "abstract" in entry]
    return [f"Registered but not to be run: {'; '.join(names)}.", ""] if names else []
