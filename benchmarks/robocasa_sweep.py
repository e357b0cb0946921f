"""Every task of RoboCasa365 on placeholder assets: does it reset, step, and begin unsolved?

A worker process in the simulator's managed environment resets one task after the other, takes ten steps and asks the
simulator whether the task is solved already. A task over its time limit costs its worker, and a new one goes on. A
result is appended to the JSON lines file as soon as it is known, and what is in there is not run again.

    rpent robocasa assets placeholder
    python benchmarks/robocasa_sweep.py            # writes benchmarks/results/robocasa_sweep.{jsonl,md}
    python benchmarks/robocasa_sweep.py --tasks OpenDrawer PrepareCoffee --fresh
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results" / "robocasa_sweep.jsonl"
STEPS = 10
ACTIONS = 12
SPLITS = ("target", "pretrain")
"""A task that leaves out every kitchen of the first is tried in the second."""


def main() -> None:
    options = _options()
    if options.worker is not None:
        work(Path(options.worker))
        return
    from robocasa_sweep_results import digest, read, table
    from rpent_robot_robocasa.catalog import task_names

    results: Path = options.results
    results.parent.mkdir(parents=True, exist_ok=True)
    if options.fresh:
        results.unlink(missing_ok=True)
    if options.again:
        good = [row for row in read(results) if not row["problem"]]
        results.write_text("".join(json.dumps(row) + "\n" for row in good), encoding="utf-8")
    wanted = options.tasks or [*task_names("atomic"), *task_names("composite")]
    cases = [(name, seed) for name in wanted for seed in options.seeds]
    shapes = digest()
    known = {(row["task"], row["seed"]) for row in read(results) if row.get("assets") == shapes}
    todo = [case for case in cases if case not in known]
    print(f"{len(cases)} resets, {len(cases) - len(todo)} known, {len(todo)} to do", flush=True)
    if not options.table:
        started = time.monotonic()
        _run(todo, options)
        print(f"{time.monotonic() - started:.0f} s", flush=True)
    text = table(read(results), steps=STEPS)
    results.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text[: text.find("## Every task")])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tasks", nargs="*", default=[])
    parser.add_argument("--seeds", nargs="*", type=int, default=[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit-s", type=float, default=180.0, help="for one task")
    parser.add_argument(
        "--python", help="an interpreter with the simulator instead of the managed environment's"
    )
    parser.add_argument("--assets", type=Path, help="folder of kitchen assets instead of the placeholders")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--again", action="store_true", help="forget what failed")
    parser.add_argument("--table", action="store_true", help="only write the table of what is known")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


# --- in the agent's interpreter --------------------------------------------------------------------------


def _run(todo: list[tuple[str, int]], options: argparse.Namespace) -> None:
    """Give the cases to workers and append what they find."""
    from robocasa_sweep_results import digest

    if not todo:
        return
    cases: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
    for case in todo:
        cases.put(case)
    command, environ = _command(options)
    shapes = digest()
    lock, count, stopping = threading.Lock(), [0], threading.Event()

    def drive() -> None:
        with Worker(command, environ) as worker:
            while not (stopping.is_set() or cases.empty()):
                name, seed = cases.get()
                row = worker.try_out(name, seed, options.limit_s)
                if stopping.is_set():
                    return
                row["assets"] = shapes
                with lock, options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                    count[0] += 1
                    verdict = row["problem"] or "ok"
                    print(
                        f"{count[0]:4}/{len(todo)} {name} {seed}: {verdict} ({row['reset_s']} s)", flush=True
                    )

    threads = [threading.Thread(target=drive) for _ in range(min(options.workers, len(todo)))]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        stopping.set()
        raise


def _command(options: argparse.Namespace) -> tuple[list[str], dict[str, str]]:
    from rpent.environments.interpreter import choose
    from rpent_robot_robocasa.assets.locate import locate
    from rpent_robot_robocasa.environment import ROBOCASA_ENVIRONMENT

    interpreter = choose(ROBOCASA_ENVIRONMENT, python=options.python, distribution="rpent-robot-robocasa")
    assets = options.assets or locate("placeholder").folder
    environ = interpreter.environ({"MUJOCO_GL": "egl", "OMP_NUM_THREADS": "1"})
    return [interpreter.python, __file__, "--worker", str(assets)], environ


class Worker:
    """A process with the simulator; it is made anew after a task that took too long or killed it."""

    def __init__(self, command: list[str], environ: dict[str, str]) -> None:
        self.command, self.environ = command, environ
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def try_out(self, name: str, seed: int, limit_s: float) -> dict[str, Any]:
        """Return the row of one case."""
        process = self.process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        started = time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps([name, seed]) + "\n")
            process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], limit_s)
        line = process.stdout.readline() if ready else ""
        if line:
            row: dict[str, Any] = json.loads(line)
            return row
        self._end()
        problem = "the simulator's process died" if ready else f"no end after {limit_s:.0f} s"
        return empty_row(name, seed, problem, time.monotonic() - started)

    def _start(self) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            self.command,
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self.process

    def _end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None


# --- in the simulator's interpreter ----------------------------------------------------------------------


def work(assets: Path) -> None:
    """Try out the cases that come in, one JSON line each, and answer with a row each."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the simulator prints must not get between the answers
    from rpent_robot_robocasa.server.kitchen import import_simulator

    import_simulator(assets)
    for line in sys.stdin:
        name, seed = json.loads(line)
        answers.write(json.dumps(try_out(name, seed, assets)) + "\n")
        answers.flush()


def try_out(name: str, seed: int, assets: Path) -> dict[str, Any]:
    """Reset a task, take the steps, and return its row."""
    started = time.monotonic()
    try:
        kitchen = _kitchen(name, seed, assets)
    except Exception as error:  # noqa: BLE001 (every reason belongs into the table)
        return empty_row(name, seed, _reason(error), time.monotonic() - started)
    row = empty_row(name, seed, None, time.monotonic() - started)
    row |= {
        "split": kitchen.choice.split,
        "layout": kitchen.layout,
        "style": kitchen.style,
        "geoms": int(kitchen.model.ngeom),
        "instruction": kitchen.instruction,
    }
    try:
        row |= _step(kitchen)
    except Exception as error:  # noqa: BLE001
        row["problem"] = _reason(error)
    kitchen.close()
    return row


def _kitchen(name: str, seed: int, assets: Path) -> Any:
    from rpent.errors import UsageError
    from rpent_robot_robocasa.catalog import find_task
    from rpent_robot_robocasa.kitchens import Choice
    from rpent_robot_robocasa.server.kitchen import Kitchen

    task = find_task(name)
    for split in SPLITS:
        choice = Choice(split=split)  # type: ignore[arg-type]
        try:
            choice.pairs(task)
        except UsageError:
            if split == SPLITS[-1]:
                raise
            continue
        return Kitchen(task, choice, seed, assets)
    raise AssertionError


def _step(kitchen: Any) -> dict[str, Any]:
    import numpy as np

    if kitchen.env._check_success():
        return {"problem": "solved before anything was done"}
    started = time.monotonic()
    for _ in range(STEPS):
        kitchen.env.step(np.zeros(ACTIONS))
    step_ms = round((time.monotonic() - started) / STEPS * 1e3, 1)
    finite = bool(np.isfinite(kitchen.data.qpos).all() and np.isfinite(kitchen.data.qvel).all())
    problem = None if finite else "a position or velocity is not a number"
    if finite and kitchen.env._check_success():
        problem = f"solved after {STEPS} steps in which nothing was done"
    return {"step_ms": step_ms, "problem": problem}


def _reason(error: Exception) -> str:
    first = str(error).strip().splitlines()
    return f"{type(error).__name__}: {first[0][:200] if first else ''}".rstrip(": ")


def empty_row(name: str, seed: int, problem: str | None, seconds: float) -> dict[str, Any]:
    """Return a row with nothing but the time of the reset and what was wrong."""
    return {
        "task": name,
        "seed": seed,
        "problem": problem,
        "reset_s": round(seconds, 1),
        "step_ms": None,
        "split": None,
        "layout": None,
        "style": None,
        "geoms": None,
        "instruction": None,
    }


if __name__ == "__main__":
    main()
