"""Write the RoboCasa robot's catalogue of tasks from the installed benchmark.

The agent side ships the result as package data, so that it can validate a task and name suites without the simulator.
Run it after an upgrade of the benchmark, in the environment that has it; kitchen assets are not needed:
`$(rpent env path robocasa)/bin/python tools/build_robocasa_catalog.py`.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).parents[1] / "packages/rpent-robot-robocasa/src/rpent_robot_robocasa/data/tasks.json"
BASE = "Kitchen"


def why_abstract(task: type) -> str | None:
    """Return why a registered class is no task of its own, or None: constructing it builds no scene and is cheap."""
    try:
        task(robots="PandaOmron", has_offscreen_renderer=False, use_camera_obs=False)
    except TypeError as error:
        missing = re.findall(r"'(\w+)'", str(error))
        return f"it is a base class that needs `{'`, `'.join(missing)}`"
    return None


def describe(task: type, horizons: dict[str, Any]) -> dict[str, Any]:
    """Return what the agent side needs to know of one task class."""
    kind, *group = task.__module__.removeprefix("robocasa.environments.kitchen.").split(".")
    entry: dict[str, Any] = {
        "kind": kind,
        "group": group[0].removeprefix("kitchen_"),
        "horizon": horizons.get(task.__name__, {}).get("horizon"),
    }
    for key in ("EXCLUDE_LAYOUTS", "EXCLUDE_STYLES"):
        if excluded := getattr(task, key):
            entry[key.lower()] = sorted({int(number) for number in excluded})
    if reason := why_abstract(task):
        entry["abstract"] = reason
    return entry


def build() -> dict[str, Any]:
    """Describe every registered task, and the benchmark's own lists in their own order."""
    import robocasa  # noqa: F401 (registers the tasks)
    from robocasa.environments.kitchen.kitchen import REGISTERED_KITCHEN_ENVS
    from robocasa.utils.dataset_registry import (
        ATOMIC_TASK_DATASETS,
        COMPOSITE_TASK_DATASETS,
        TASK_SET_REGISTRY,
    )

    horizons = {**ATOMIC_TASK_DATASETS, **COMPOSITE_TASK_DATASETS}
    found = {name: task for name, task in REGISTERED_KITCHEN_ENVS.items() if name != BASE}
    return {
        "benchmark": {"name": "rpent-robocasa365", "version": version("rpent-robocasa365")},
        "tasks": {name: describe(found[name], horizons) for name in sorted(found)},
        "suites": {name: [str(task) for task in members] for name, members in TASK_SET_REGISTRY.items()},
    }


def lines(catalogue: dict[str, Any]) -> str:
    """Return the catalogue as JSON with a line for each task and suite."""
    parts = [f'"benchmark": {json.dumps(catalogue["benchmark"])}']
    for section in ("tasks", "suites"):
        members = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(value)}" for key, value in catalogue[section].items()
        )
        parts.append(f'"{section}": {{\n{members}\n}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    catalogue = build()
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(lines(catalogue), encoding="utf-8")
    print(f"{len(catalogue['tasks'])} tasks, {len(catalogue['suites'])} suites")
