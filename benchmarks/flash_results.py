"""What `flash_matrix.py` measured, read from JSON lines and shown as Markdown tables."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import flash_episodes

PROMISED = {
    "libero_object": (0, 1, 2),
    "libero_object_swap": (0, 1, 2),
    "libero_object_task": (0, 1, 2),
    "libero_spatial": (0, 1),
    "libero_spatial_swap": (0, 1),
    "libero_spatial_task": (0, 1),
}
"""Suite → seeds that the project promises."""
TARGETS = {"libero_object": (87, 90), "libero_spatial": (51, 60)}
MEAN_EPISODE_S = 12.0


@dataclass(frozen=True, order=True)
class Case:
    """One episode."""

    suite: str
    task: int
    seed: int


@dataclass(kw_only=True)
class Result(flash_episodes.Outcome):
    """What came of it."""

    suite: str
    task: int
    seed: int

    @property
    def case(self) -> Case:
        return Case(self.suite, self.task, self.seed)

    @property
    def line(self) -> str:
        """One line for the terminal."""
        mark, tail = ("ok  ", "") if self.success else ("FAIL", self.detail)
        name = f"{self.suite} t{self.task} s{self.seed}"
        return f"{mark} {name} {self.episode_s:5.1f} s (+{self.startup_s:.1f}) {tail}"


def read(path: Path) -> list[Result]:
    """Return the results of a file in order; of a case that was run twice, the later one."""
    results = flash_episodes.read(path, Result)
    return sorted({r.case: r for r in results}.values(), key=lambda r: (_rank(r.suite), r.case))


def _rank(suite: str) -> int:
    return list(PROMISED).index(suite) if suite in PROMISED else len(PROMISED)


def report(results: list[Result]) -> str:
    """Return the tables."""
    if not results:
        return "No results.\n"
    failures = [r for r in results if not r.success]
    parts = ["# Flash on LIBERO and LIBERO-PRO", "", _provenance(results), "", *_summary(results)]
    if failures:
        parts += ["", "## Not solved", "", "| episode | instruction | what flash says |", "|---|---|---|"]
        for r in failures:
            parts.append(
                f"| {r.suite} {r.task}/{r.seed} | {r.instruction} | {r.planner_status}: {r.detail} |"
            )
    parts += ["", "## Every episode", "", "Seconds without start-up; ✗ where not solved.", ""]
    return "\n".join([*parts, *_matrix(results)]) + "\n"


def _provenance(results: list[Result]) -> str:
    made = flash_episodes.provenance(
        results, "flash_matrix.py", f"one core of {_cpu()} ({os.cpu_count()} cores)"
    )
    return f"{made} Times are wall-clock from the first observation to the session's end; start-up is not in them."


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _summary(results: list[Result]) -> list[str]:
    lines = ["| suite | solved | mean s | median s | max s | steps | tool calls |", "|---" * 7 + "|"]
    for suite in dict.fromkeys(r.suite for r in results):
        lines.append(_row(suite, [r for r in results if r.suite == suite]))
    for family, (wanted, of) in TARGETS.items():
        group = [r for r in results if r.suite.startswith(family) and r.seed in PROMISED.get(r.suite, ())]
        if len(group) == of:
            lines.append(_row(f"**`{family}*`**, wanted: {wanted} of {of}", group))
    return [*lines, _row(f"**all**, wanted: mean at most {MEAN_EPISODE_S:g} s", results)]


def _row(name: str, group: list[Result]) -> str:
    times = [r.episode_s for r in group]
    solved = sum(r.success for r in group)
    numbers = f"{mean(times):.1f} | {median(times):.1f} | {max(times):.1f}"
    steps, calls = mean(r.env_steps for r in group), mean(r.tool_calls for r in group)
    return f"| {name} | {solved} / {len(group)} | {numbers} | {steps:.0f} | {calls:.1f} |"


def _matrix(results: list[Result]) -> list[str]:
    columns = sorted({(_rank(r.suite), r.suite, r.seed) for r in results})
    by_case = {r.case: r for r in results}
    names = [f"{suite.removeprefix('libero_')} s{seed}" for _, suite, seed in columns]
    lines = ["| task | " + " | ".join(names) + " |", "|---" * (len(columns) + 1) + "|"]
    for task in sorted({r.task for r in results}):
        cells = [by_case.get(Case(suite, task, seed)) for _, suite, seed in columns]
        shown = ["" if r is None else f"{'' if r.success else '✗ '}{r.episode_s:.1f}" for r in cells]
        lines.append(f"| {task} | " + " | ".join(shown) + " |")
    return lines
