"""A run that kills itself with SIGKILL at a point that is named on the command line; run by `test_kills.py`.

`killed.py RUNS_DIR node:NAME` when that node's work is done and nothing of it is saved yet, `label:TEXT:SHARE` when the
progress of that name has come so far, `checkpoint:N` between the two steps of writing the N-th checkpoint of this
process, `none` never. A run that is there already is resumed, else one is begun.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent_robosmith import assembly
from rpent_robosmith.config import effective
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.runs import list_runs

if TYPE_CHECKING:
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Stage, Workshop

SETTINGS: dict[str, Any] = {
    "environment": "cartpole",
    "criterion": ["success_rate>=0.99"],
    "total_steps": 5_000,
    "candidates": 2,
    "iterations": 2,
    "episodes": 4,
    "seed": 3,
}
"""So hard a criterion in so few steps that a second iteration is needed."""


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Mortal:
    """A listener that ends the process at a point of the progress."""

    def __init__(self, label: str, share: float) -> None:
        self.label, self.share = label, share

    def say(self, line: str) -> None:
        print(line, flush=True)

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        del note
        if self.label and label.startswith(self.label) and done / total >= self.share:
            die()


def dying(stage: Stage) -> Stage:
    def run(state: RunState, workshop: Workshop) -> RunState:
        stage(state, workshop)
        die()
        return state

    return run


def main(runs_dir: Path, point: str) -> int:
    kind, _, what = point.partition(":")
    stages = assembly.load_stages()
    if kind == "node":
        stages = {name: dying(stage) if name == what else stage for name, stage in stages.items()}
    label, _, share = what.partition(":") if kind == "label" else ("", "", "0")
    if kind == "checkpoint":
        _die_while_writing(int(what))
    listener = Mortal(label, float(share))
    runs = list_runs(runs_dir)
    if runs:
        ending = assembly.resume(runs[0].path, lambda _folder, _keeper: listener, stages=stages)
    else:
        settings = {**SETTINGS, "runs_dir": str(runs_dir)}
        given = {name: (value, f"option --{name}") for name, value in settings.items()}
        _, ending = assembly.begin(
            "balance the pole", effective(given), lambda _folder, _keeper: listener, stages=stages
        )
    return int(ending.exit_code)


def _die_while_writing(number: int) -> None:
    written = [0]
    keep = checkpoint._keep

    def dying_keep(path: Path, previous: Path) -> None:
        keep(path, previous)
        written[0] += 1
        if written[0] == number:
            path.with_name(f".{path.name}.tmp").write_bytes(b'{"format": "rpent')
            die()

    checkpoint._keep = dying_keep


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
