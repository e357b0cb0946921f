"""What `robocasa_flash.py` measured, read from JSON lines and shown as Markdown tables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import flash_episodes

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = (0, 1, 2)
CHOSEN = (
    "StartCoffeeMachine",
    "TurnOffMicrowave",
    "TurnOnMicrowave",
    "TurnOnElectricKettle",
    "TurnOnBlender",
    "TurnOnToaster",
    "TurnSinkSpout",
    "TurnOffSinkFaucet",
    "TurnOnSinkFaucet",
    "NavigateKitchen",
    "PickPlaceCounterToSink",
    "PickPlaceCounterToStove",
    "PickPlaceSinkToCounter",
    "TurnOnStove",
    "TurnOffStove",
    "CheesyBread",
    "SlideToasterOvenRack",
    "CloseDrawer",
    "OpenDrawer",
)
"""The tasks that are measured by default."""
MOVING = ("Navigate", "PickPlace", "CoffeeServe", "CoffeeSetup", "CheesyBread", "MakeIced", "PackDessert")
"""How the names of tasks with navigation or pick-and-place begin."""
WANTED, WANTED_MOVING, WANTED_SEEDS = 10, 3, 2


@dataclass(frozen=True, order=True)
class Case:
    """One episode."""

    task: str
    seed: int


@dataclass(kw_only=True)
class Result(flash_episodes.Outcome):
    """What came of it."""

    task: str
    seed: int
    kitchen: str
    """Layout and style."""

    @property
    def case(self) -> Case:
        return Case(self.task, self.seed)

    @property
    def line(self) -> str:
        """One line for the terminal."""
        mark = "ok  " if self.success else "FAIL"
        tail = "" if self.success else f"  {self.planner_status}: {self.detail}"
        return f"{mark} {self.task} s{self.seed} {self.episode_s:5.1f} s {self.env_steps} steps{tail}"


def read(path: Path) -> list[Result]:
    """Return the results of a file by task; of a case that was run twice, the later one."""
    results = flash_episodes.read(path, Result)
    return sorted({r.case: r for r in results}.values(), key=lambda r: (_rank(r.task), r.case))


def _rank(task: str) -> int:
    return CHOSEN.index(task) if task in CHOSEN else len(CHOSEN)


def report(results: list[Result]) -> str:
    """Return the tables."""
    if not results:
        return "No results.\n"
    by_task = {
        task: [r for r in results if r.task == task] for task in dict.fromkeys(r.task for r in results)
    }
    parts = [
        "# Flash on RoboCasa365, placeholder assets",
        "",
        _provenance(results),
        "",
        *_verdict(by_task),
        "",
    ]
    parts += ["| task | solved | steps (median) | seconds (median) |", "|---|---|---|---|"]
    parts += [_row(task, group) for task, group in by_task.items()]
    parts += [
        "",
        "## Every episode",
        "",
        "| task | seed | kitchen | instruction | solved | steps | s | calls |",
    ]
    parts += ["|---" * 8 + "|"]
    for r in results:
        told = "yes" if r.success else f"no ({r.planner_status}: {_short(r.detail)})"
        numbers = f"{r.env_steps} | {r.episode_s:.1f} | {r.tool_calls}"
        parts.append(f"| {r.task} | {r.seed} | {r.kitchen} | {r.instruction} | {told} | {numbers} |")
    return "\n".join(parts) + "\n"


def _verdict(by_task: dict[str, list[Result]]) -> list[str]:
    solved = [task for task, group in by_task.items() if sum(r.success for r in group) >= WANTED_SEEDS]
    moving = [task for task in solved if task.startswith(MOVING)]
    return [
        f"**{len(solved)} tasks solved in at least {WANTED_SEEDS} seeds** (wanted: {WANTED}), {len(moving)} of them"
        f" with navigation or pick-and-place (wanted: {WANTED_MOVING})."
    ]


def _row(task: str, group: list[Result]) -> str:
    solved = [r for r in group if r.success]
    of = solved or group
    numbers = f"{median(r.env_steps for r in of):.0f} | {median(r.episode_s for r in of):.1f}"
    return f"| {task} | {len(solved)} / {len(group)} | {numbers} |"


def _short(text: str, length: int = 160) -> str:
    text = " ".join(text.split()).replace("|", "/")
    return text if len(text) <= length else text[: length - 1] + "…"


def _provenance(results: list[Result]) -> str:
    made = flash_episodes.provenance(results, "robocasa_flash.py", f"on {os.cpu_count()} cores without a GPU")
    return (
        f"{made} Success is the simulator's own predicate; the kitchens are built of placeholder assets, so these are"
        " not the benchmark's numbers. Times are wall-clock from the first observation to the session's end."
    )
