"""What a state capture costs after a tool call: CPU beyond the rendering, bytes written, bytes for the planner.

Over the real LIBERO env server: the CPU time of both processes (agent and server) for a capture and its recording,
less the CPU time of the server for rendering the same pictures alone. The two take turns; medians count.

`synthetic` is the recording alone, of two 1024 by 1024 pictures with depth: four times what LIBERO's toolkit shows.

    python benchmarks/state_capture.py            # writes benchmarks/results/state_capture.{json,md}
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
from rpent.robot import ToolContext
from rpent.run.perception import build_perceptor
from rpent.run.request import RunRequest
from rpent.run.resolve import resolve
from rpent.run.services import service_requests
from rpent.runs.directory import create
from rpent.runs.recorder import Recorder
from rpent.services.supervisor import Supervisor
from rpent.session.scope import CallScope
from rpent.testing.registry import FakeRegistry
from rpent.tools import Capture, Image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.tools import Toolkit

RESULTS = Path(__file__).parent / "results"
LIMITS = {"cpu_s": 0.3, "written_bytes": 1_000_000, "picture_bytes": 400_000}
ROUNDS = 15


class Clock:
    """CPU seconds of this process and of a server's process."""

    def __init__(self, server: int) -> None:
        self._server = psutil.Process(server)

    def read(self) -> tuple[float, float]:
        times = self._server.cpu_times()
        return time.process_time(), times.user + times.system


def scene_1024() -> Capture:
    """Return what a camera of a table sees: shading, texture, sensor noise, and smooth depth with edges."""
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[0:1024, 0:1024] / 1024
    depth = 0.6 + 0.9 * (1 - rows) + 0.1 * columns**2
    for _ in range(12):
        row, column = rng.random(2)
        near = (rows - row) ** 2 + (columns - column) ** 2 < 0.006
        depth[near] -= 0.08
    texture = 40 * np.sin(60 * columns) * np.sin(45 * rows)
    shade = (
        depth[..., None] * np.array([90, 110, 130]) + texture[..., None] + rng.normal(0, 3, (1024, 1024, 3))
    )
    pixels = np.clip(shade, 0, 255).astype(np.uint8)
    names = ("agentview", "wrist")
    return Capture(
        state={"eef_position": rng.random(3), "gripper_opening_m": 0.04},
        images=[Image(name=name, caption=name, pixels=pixels) for name in names],
        depth={name: depth.astype(np.float32) for name in names},
        cameras={name: {"intrinsics": np.eye(3), "world_from_camera": np.eye(4)} for name in names},
        snapshot=os.urandom(20_000),
    )


def recorded(recorder: Recorder, capture: Capture) -> dict[str, int]:
    """Record a capture; return what it wrote, and what the planner gets."""
    step = recorder.step(capture)
    folder = recorder.directory.step(step.index)
    return {
        "written_bytes": sum(path.stat().st_size for path in folder.iterdir()),
        "picture_bytes": sum(len(picture.data) for picture in step.pictures),
    }


def synthetic(folder: Path) -> dict[str, Any]:
    """Measure the recording of two large pictures with depth."""
    recorder, capture = Recorder(create(folder, "synthetic", "bench"), record_video=True), scene_1024()
    samples, sizes = [], {}
    for _ in range(ROUNDS):
        started = time.process_time()
        sizes = recorded(recorder, capture)
        samples.append(time.process_time() - started)
    recorder.close()
    return {"cpu_s": statistics.median(samples), **sizes}


def libero(folder: Path, suite: str, task: int) -> dict[str, Any]:
    """Measure whole captures of LIBERO's toolkit over its env server."""
    request = RunRequest(robot="libero", planner="scripted", robot_config={"suite": suite, "task": task})
    resolved = resolve(request, FakeRegistry())
    scope = CallScope()
    with Supervisor(logs_dir=folder / "logs", on_event=lambda _: None) as services:
        services.start(service_requests(resolved))
        pid = services.pid("env")
        assert pid is not None
        context = ToolContext(
            setup=resolved.setup,
            channels=services.channels,
            run_dir=folder,
            cancel=scope.token,
            progress=scope.progress,
            perceptor=build_perceptor(resolved, services.channels),
        )
        toolkit = resolved.robot.toolkit(context)
        recorder = Recorder(create(folder, "libero", "bench"), record_video=True)
        rows = list(rounds(toolkit, recorder, services.channels["env"], Clock(pid)))
        recorder.close()
    medians = {name: statistics.median(row[name] for row in rows) for name in rows[0]}
    # Process times tick in 10 ms, so a difference may come out below zero.
    return {"cpu_s": max(0.0, medians["capture_cpu_s"] - medians["render_cpu_s"]), **medians}


def rounds(toolkit: Toolkit, recorder: Recorder, env: Any, clock: Clock) -> Iterator[dict[str, float]]:
    """Yield the costs of a capture and of rendering alone, in turns; each after a restore."""
    shown = toolkit.capture()
    assert shown.snapshot is not None
    views, size = list(shown.depth), shown.images[0].pixels.shape[0]
    for number in range(ROUNDS + 2):
        toolkit.restore(shown.snapshot)
        agent, server = clock.read()
        sizes = recorded(recorder, toolkit.capture())
        agent_end, server_end = clock.read()
        toolkit.restore(shown.snapshot)
        before = clock.read()[1]
        env.call("observe", cameras=views, size=size, depth=True)
        rendered = clock.read()[1] - before
        if number >= 2:  # the first rounds load codecs and code
            yield {
                "capture_cpu_s": agent_end - agent + server_end - server,
                "agent_cpu_s": agent_end - agent,
                "render_cpu_s": rendered,
                **sizes,
            }


def report(results: dict[str, dict[str, Any]]) -> str:
    """Return the results as a table."""
    lines = [
        "# State capture after a tool call",
        "",
        f"Medians of {ROUNDS} captures, Python {platform.python_version()}. "
        "Made by `benchmarks/state_capture.py`.",
        "",
        "| what | CPU beyond rendering, s | written, kB | pictures for the planner, kB | met |",
        "|---|---|---|---|---|",
    ]
    for name, row in results.items():
        lines.append(
            f"| {name} | {row['cpu_s']:.3f} | {row['written_bytes'] / 1000:.0f} "
            f"| {row['picture_bytes'] / 1000:.0f} | {'yes' if met(row) else 'no'} |"
        )
    wanted = ["limit", LIMITS["cpu_s"], LIMITS["written_bytes"] // 1000, LIMITS["picture_bytes"] // 1000, ""]
    lines.append("| " + " | ".join(map(str, wanted)) + " |")
    return "\n".join(lines) + "\n"


def met(row: dict[str, Any]) -> bool:
    """Whether a row is within the limits."""
    return all(row[name] <= limit for name, limit in LIMITS.items())


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--suite", default="libero_object_swap")
    parser.add_argument("--task", type=int, default=2)
    parser.add_argument("--no-libero", action="store_true", help="The recording alone, without a simulator.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = {"two 1024x1024 pictures with depth, recording alone": synthetic(Path(folder))}
        if not options.no_libero:
            results["LIBERO, whole capture"] = libero(Path(folder), options.suite, options.task)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "state_capture.json").write_text(json.dumps(results, indent=2) + "\n")
    (RESULTS / "state_capture.md").write_text(report(results))
    print(report(results))


if __name__ == "__main__":
    main()
