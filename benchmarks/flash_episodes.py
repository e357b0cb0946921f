"""Episodes of flash, one after the other over an env server that stays: what the benchmarks of both robots share.

A result is appended to a JSON lines file as soon as it is known, and what is in there is not run again.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from pathlib import Path


@dataclass(kw_only=True)
class Outcome:
    """What came of an episode."""

    instruction: str
    success: bool
    """What the benchmark says."""
    planner_status: str | None
    reason: str
    detail: str
    episode_s: float
    """From the first observation to the end of the session."""
    startup_s: float
    """Everything else: attaching, reset, first observation, closing."""
    cpu_s: float | None = None
    """CPU time of agent and env server over the whole run, start-up included; None where it was not measured."""
    env_steps: int
    tool_calls: int
    run_dir: str
    date: str = ""
    versions: dict[str, str] = field(default_factory=dict)


R = TypeVar("R", bound=Outcome)
C = TypeVar("C")


def read(path: Path, result: type[R]) -> list[R]:
    """Return the results of a file in the order in which they were written."""
    return [result(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def append(path: Path, result: Outcome) -> None:
    """Keep a result."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(asdict(result)) + "\n")


def shared_out(cases: Sequence[C], scene: Callable[[C], Hashable], workers: int) -> list[list[C]]:
    """Share episodes out to workers so that each scene is built by one of them only; none gets nothing."""
    scenes = list(dict.fromkeys(scene(case) for case in cases))
    shares: list[list[C]] = [[] for _ in range(workers)]
    for case in cases:
        shares[scenes.index(scene(case)) % workers].append(case)
    return [share for share in shares if share]


def run_workers(script: str, options: Sequence[Sequence[str]]) -> None:
    """Run a benchmark's script once for each list of options, all at the same time, and wait for them."""
    workers = [subprocess.Popen([sys.executable, script, *own]) for own in options]
    try:
        for worker in workers:
            worker.wait()
    finally:
        for worker in workers:
            worker.terminate()


class EnvServer:
    """An env server that outlives the runs that attach to it.

    Args:
        robot: Its name.
        config: Values of the env server's config model.
        logs: Folder for its log.
    """

    def __init__(self, robot: str, config: Mapping[str, Any], logs: Path) -> None:
        from rpent.plugins import registry
        from rpent.services.request import ServiceRequest
        from rpent.services.supervisor import Supervisor

        self.robot = robot
        self.token = os.urandom(16).hex()
        self.endpoint = ""
        logs.mkdir(parents=True, exist_ok=True)
        self._supervisor = Supervisor(logs_dir=logs, on_event=self._note)
        spec = next(spec for spec in registry.get("robots", robot).services if spec.name == "env")
        self._request = ServiceRequest(
            spec=spec, config=dict(config), token=self.token, distribution=f"rpent-robot-{robot}"
        )

    def _note(self, event: dict[str, Any]) -> None:
        self.endpoint = event.get("endpoint") or self.endpoint

    def __enter__(self) -> EnvServer:
        self._supervisor.start([self._request])
        return self

    def __exit__(self, *_: object) -> None:
        self._supervisor.stop()

    def cpu_s(self) -> float:
        """Return the CPU time that it has used; 0 when it is gone."""
        try:
            times = psutil.Process(self._supervisor.pid("env")).cpu_times()
        except (KeyError, psutil.Error):
            return 0.0
        return float(times.user + times.system)


def run_episode(
    server: EnvServer, config: Mapping[str, Any], runs: Path, *, video: bool, distributions: Sequence[str]
) -> tuple[Outcome, dict[str, Any]]:
    """Let flash do an episode.

    Args:
        server: The env server that it attaches to.
        config: The robot's options.
        runs: Where its run directory goes.
        video: Record an `episode.mp4`.
        distributions: Whose versions are noted.

    Returns:
        What came of it, and the task as `run.json` has it.
    """
    from rpent.run import RunRequest, execute

    request = RunRequest(
        robot=server.robot,
        planner="flash",
        robot_config=dict(config),
        output_dir=runs,
        endpoints={"env": server.endpoint},
        token=server.token,
        progress="quiet",
        record_video=video,
    )
    events: list[Any] = []
    wall, cpu = time.monotonic(), time.process_time() + server.cpu_s()
    with contextlib.redirect_stdout(io.StringIO()):  # the run's own summary
        outcome = execute(request, on_event=events.append)
    wall, cpu = time.monotonic() - wall, time.process_time() + server.cpu_s() - cpu
    run = {} if outcome.run_dir is None else json.loads((outcome.run_dir / "run.json").read_text())
    task, counts, episode_s = run.get("task", {}), run.get("counts", {}), _session_s(events)
    told = Outcome(
        instruction=task.get("instruction", ""),
        success=bool(outcome.benchmark_success),
        planner_status=outcome.planner_status,
        reason=outcome.reason,
        detail=outcome.detail,
        episode_s=round(episode_s, 2),
        startup_s=round(wall - episode_s, 2),
        cpu_s=round(cpu, 2),
        env_steps=counts.get("env_steps", 0),
        tool_calls=counts.get("tool_calls", 0),
        run_dir="" if outcome.run_dir is None else outcome.run_dir.name,
        date=time.strftime("%Y-%m-%d"),
        versions={name: version(name) for name in distributions},
    )
    return told, task


def _session_s(events: Sequence[Any]) -> float:
    """Return the time from the end of the first observation to the session's end."""
    times = {kind: [e.time for e in events if e.type == kind] for kind in ("step", "session_ended")}
    if not times["step"] or not times["session_ended"]:
        return 0.0
    return float(times["session_ended"][0] - times["step"][0])


def provenance(results: Sequence[Outcome], script: str, machine: str) -> str:
    """Return how results were made, in a sentence: by what, when, on what machine, with which versions."""
    versions = {name: number for r in results for name, number in r.versions.items()}
    dates = sorted({r.date for r in results})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return (
        f"Made by `python benchmarks/{script}`, {when}, {machine}, software rendering, Python "
        f"{platform.python_version()}, "
        + ", ".join(f"{name} {number}" for name, number in versions.items())
        + "."
    )
