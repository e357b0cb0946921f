"""Flash over atomic tasks of RoboCasa365 on placeholder assets: success, steps and time, in one resumable command.

    python benchmarks/robocasa_flash.py                             # the tasks that the project promises, seeds 0-2
    python benchmarks/robocasa_flash.py --tasks TurnOnToaster NavigateKitchen --seeds 0 --video

Every worker keeps one env server alive and resets it from episode to episode. A result is appended to the
JSON lines file as soon as it is known, and what is in there is not run again; the table beside it is made
from it. Success is the simulator's own predicate.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, astuple
from importlib.metadata import version
from pathlib import Path
from typing import Any

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
    results.parent.mkdir(parents=True, exist_ok=True)
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
    shares: list[list[Case]] = [[] for _ in range(options.workers)]
    tasks = list(dict.fromkeys(case.task for case in todo))
    for case in todo:
        shares[tasks.index(case.task) % options.workers].append(case)
    workers = []
    for share in filter(None, shares):
        command = [sys.executable, __file__, "--worker", json.dumps([astuple(case) for case in share])]
        command += [
            "--results",
            str(options.results),
            "--runs",
            str(options.runs),
            "--assets",
            options.assets,
        ]
        command += ["--video"] if options.video else []
        workers.append(subprocess.Popen(command))
    try:
        for worker in workers:
            worker.wait()
    finally:
        for worker in workers:
            worker.terminate()


def _work(cases: list[Case], options: argparse.Namespace) -> None:
    left = list(cases)
    while left:
        with EnvServer(left[0], options) as server:
            while left:
                case = left.pop(0)
                result = run_episode(case, server, options)
                if result.reason == "interrupted":
                    return
                with options.results.open("a") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
                print(result.line, flush=True)
                if result.reason == "infrastructure":
                    break  # with a fresh server


class EnvServer:
    """A RoboCasa env server that outlives the runs that attach to it."""

    def __init__(self, case: Case, options: argparse.Namespace) -> None:
        from rpent.plugins import registry
        from rpent.services.request import ServiceRequest
        from rpent.services.supervisor import Supervisor

        self.token = os.urandom(16).hex()
        self.endpoint = ""
        logs = options.runs / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        self._supervisor = Supervisor(logs_dir=logs, on_event=self._note)
        spec = next(spec for spec in registry.get("robots", "robocasa").services if spec.name == "env")
        config = {"task_name": case.task, "seed": case.seed, "assets": options.assets}
        self._request = ServiceRequest(
            spec=spec, config=config, token=self.token, distribution="rpent-robot-robocasa"
        )

    def _note(self, event: dict[str, Any]) -> None:
        self.endpoint = event.get("endpoint") or self.endpoint

    def __enter__(self) -> EnvServer:
        self._supervisor.start([self._request])
        return self

    def __exit__(self, *_: object) -> None:
        self._supervisor.stop()


def run_episode(case: Case, server: EnvServer, options: argparse.Namespace) -> Result:
    from rpent.run import RunRequest, execute

    request = RunRequest(
        robot="robocasa",
        planner="flash",
        robot_config={"task_name": case.task, "seed": case.seed},
        output_dir=options.runs,
        endpoints={"env": server.endpoint},
        token=server.token,
        progress="quiet",
        record_video=options.video,
    )
    events: list[Any] = []
    begun = time.monotonic()
    with contextlib.redirect_stdout(io.StringIO()):  # the run's own summary
        outcome = execute(request, on_event=events.append)
    wall_s = time.monotonic() - begun
    run = {} if outcome.run_dir is None else json.loads((outcome.run_dir / "run.json").read_text())
    episode_s = _session_s(events)
    scene, counts = run.get("task", {}).get("details", {}), run.get("counts", {})
    return Result(
        **asdict(case),
        instruction=run.get("task", {}).get("instruction", ""),
        kitchen=f"{scene.get('layout', '?')}/{scene.get('style', '?')}",
        success=bool(outcome.benchmark_success),
        planner_status=outcome.planner_status,
        reason=outcome.reason,
        detail=outcome.detail,
        episode_s=round(episode_s, 2),
        startup_s=round(wall_s - episode_s, 2),
        env_steps=counts.get("env_steps", 0),
        tool_calls=counts.get("tool_calls", 0),
        run_dir="" if outcome.run_dir is None else outcome.run_dir.name,
        date=time.strftime("%Y-%m-%d"),
        versions={name: version(name) for name in DISTRIBUTIONS},
    )


def _session_s(events: list[Any]) -> float:
    """Return the time from the end of the first observation to the session's end."""
    times = {kind: [e.time for e in events if e.type == kind] for kind in ("step", "session_ended")}
    if not times["step"] or not times["session_ended"]:
        return 0.0
    return float(times["session_ended"][0] - times["step"][0])


if __name__ == "__main__":
    main()
