"""Flash over atomic tasks of RoboCasa365 on placeholder assets: success, steps and time, in one resumable command.

    python benchmarks/robocasa_flash.py                             # the tasks that the project promises, seeds 0-2
    python benchmarks/robocasa_flash.py --tasks TurnOnToaster NavigateKitchen --seeds 0 --video

Every worker keeps one env server alive and resets it from episode to episode. A result is appended to the
JSON lines file as soon as it is known, and what is in there is not run again; the table beside it is made
from it. Success is the simulator's own predicate.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from flash_episodes import EnvServer, append, run_episode, run_workers, shared_out
from robocasa_flash_results import CHOSEN, SEEDS, Case, Result, read, report

ROOT = Path(__file__).resolve().parent
RESULTS = ROOT / "results" / "robocasa_flash.jsonl"
DISTRIBUTIONS = ("rpent-core", "rpent-manipulation", "rpent-robot-robocasa", "rpent-planner-flash")


def main() -> None:
    options = _options()
    if options.worker is not None:
        _work([Case(*case) for case in json.loads(options.worker)], options)
        return
    results = options.results
    if options.fresh and results.exists():
        results.unlink()
    cases = [Case(task, seed) for task in options.tasks for seed in options.seeds]
    done = set() if options.again else {result.case for result in read(results)}
    todo = [case for case in cases if case not in done]
    print(f"{len(cases)} episodes, {len(cases) - len(todo)} known, {len(todo)} to run", flush=True)
    _run_workers(todo, options)
    table = report(read(results))
    results.with_suffix(".md").write_text(table)
    print(table[: table.find("## Every episode")])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tasks", nargs="*", default=list(CHOSEN), metavar="TASK")
    parser.add_argument("--seeds", nargs="*", type=int, default=list(SEEDS), metavar="SEED")
    parser.add_argument("--workers", type=int, default=1, choices=(1, 2))
    parser.add_argument("--assets", default="placeholder", help="placeholder, or a folder of assets")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument(
        "--runs", type=Path, default=Path("runs") / "robocasa-flash", help="for run directories"
    )
    parser.add_argument("--fresh", action="store_true", help="forget all earlier results")
    parser.add_argument(
        "--again", action="store_true", help="run the chosen episodes also where they are known"
    )
    parser.add_argument("--video", action="store_true", help="record an episode.mp4 of each")
    parser.add_argument("--worker", default=None, help=argparse.SUPPRESS)
    return parser.parse_args()


def _run_workers(todo: list[Case], options: argparse.Namespace) -> None:
    """Share the episodes out by task."""
    commands = []
    for share in shared_out(todo, lambda case: case.task, options.workers):
        command = ["--worker", json.dumps([astuple(case) for case in share])]
        command += [
            "--results",
            str(options.results),
            "--runs",
            str(options.runs),
            "--assets",
            options.assets,
        ]
        command += ["--video"] if options.video else []
        commands.append(command)
    run_workers(__file__, commands)


def _work(cases: list[Case], options: argparse.Namespace) -> None:
    left = list(cases)
    while left:
        config = {**_episode(left[0]), "assets": options.assets}
        with EnvServer("robocasa", config, options.runs / "logs") as server:
            while left:
                result = _result(left.pop(0), server, options)
                if result.reason == "interrupted":
                    return
                append(options.results, result)
                print(result.line, flush=True)
                if result.reason == "infrastructure":
                    break  # with a fresh server


def _episode(case: Case) -> dict[str, Any]:
    return {"task_name": case.task, "seed": case.seed}


def _result(case: Case, server: EnvServer, options: argparse.Namespace) -> Result:
    outcome, task = run_episode(
        server, _episode(case), options.runs, video=options.video, distributions=DISTRIBUTIONS
    )
    kitchen = f"{task.get('layout', '?')}/{task.get('style', '?')}"
    return Result(**asdict(case), kitchen=kitchen, **asdict(outcome))


if __name__ == "__main__":
    main()
