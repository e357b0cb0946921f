"""Speed of the RoboCasa env server against the simulator's own `env.step`, as ratios in one run.

- `step`: control steps through the server's episode (action put together, goal evaluated, success latched, poses
  refreshed) against `env.step` of the same kitchen, in the simulator's interpreter and one process. The two take turns
  with the same actions, and have to stay in the same state to the last bit; medians of blocks count.
- `first`: from the start of the service to its first observation, and a later reset; a picture; a snapshot.
- `navigation`: how many calls of the env server one driven primitive takes.

Placeholder assets are enough (`tools/robocasa-setup`).

    python benchmarks/robocasa_speed.py            # writes benchmarks/results/robocasa_speed.{json,md}
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from rpent.env.client import EnvClient
from rpent.environments.catalog import declared_environment
from rpent.environments.interpreter import linked_interpreter
from rpent.services.request import ServiceRequest
from rpent.services.supervisor import Supervisor
from rpent.testing.toolkit_contract import FakeRegistry, open_bench
from rpent_robot_robocasa.assets.locate import locate
from rpent_robot_robocasa.plugin import ENV

RESULTS = Path(__file__).parent / "results"
TASKS = ("StartCoffeeMachine", "OpenDrawer", "PickPlaceCounterToSink")
DISTRIBUTION = "rpent-robot-robocasa"
TARGET_RATIO, BLOCK = 1.15, 10

STEPS = """
import json, statistics, sys, time
from pathlib import Path
from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.server.kitchen import import_simulator
assets = Path(sys.argv[1])
import_simulator(assets)
import numpy as np
from rpent_robot_robocasa.server.episode import Episode
from rpent_robot_robocasa.server.kitchen import Kitchen
from rpent_robot_robocasa.kitchens import Choice
name, blocks, size = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
make = lambda: Kitchen(find_task(name), Choice(split="target"), 0, assets)
mine, bare = make(), make()
episode = Episode(mine, max_steps=10**6)
generator = np.random.default_rng(0)

def ours(action):
    began = time.perf_counter()
    episode.step(action)
    return time.perf_counter() - began

def theirs(action):
    began = time.perf_counter()
    bare.env.step(action)
    took = time.perf_counter() - began
    bare.env._check_success()  # the benchmark's gymnasium environment asks once more: ours does so in the time measured
    return took

seconds = {ours: [], theirs: []}
for block in range(blocks + 1):
    actions = generator.uniform(-0.5, 0.5, (size, 12))
    for run in ((ours, theirs) if block % 2 else (theirs, ours)):
        seconds[run].append(sum(run(action) for action in actions.copy()) / size)
    assert np.array_equal(mine.data.qpos, bare.data.qpos), "the two have parted"
first, second = (statistics.median(seconds[run][1:]) for run in (ours, theirs))
print(json.dumps({"ours_s": first, "bare_s": second, "ratio": first / second, "steps": blocks * size}))
"""


def measure_steps(task: str, assets: Path, blocks: int) -> dict[str, Any]:
    """Compare control steps in the simulator's interpreter."""
    interpreter = linked_interpreter(str(declared_environment("robocasa").managed.python), DISTRIBUTION)
    ended = subprocess.run(
        [interpreter.python, "-c", STEPS, str(assets), task, str(blocks), str(BLOCK)],
        env=interpreter.environ({"MUJOCO_GL": os.environ.get("MUJOCO_GL", "egl")}),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise SystemExit(ended.stderr[-2000:])
    return {"task": task, **json.loads(ended.stdout.splitlines()[-1])}


def measure_service() -> dict[str, Any]:
    """Time a served env from its start, and what it does most."""
    with (
        tempfile.TemporaryDirectory() as logs,
        Supervisor(logs_dir=Path(logs), on_event=lambda _: None) as services,
    ):
        python = str(declared_environment("robocasa").managed.python)
        config = {"task_name": TASKS[0], "assets": "placeholder"}
        began = time.perf_counter()
        services.start([ServiceRequest(spec=ENV, config=config, python=python, distribution=DISTRIBUTION)])
        env = EnvClient(services.channels["env"])
        env.observe()
        first = time.perf_counter() - began
        camera = env.describe()["cameras"][0]
        return {
            "first_observation_s": first,
            "first_picture_s": _seconds(lambda: env.observe([camera], size=256), times=1),
            "picture_s": _seconds(lambda: env.observe([camera], size=256), times=9),
            "picture_and_depth_s": _seconds(lambda: env.observe([camera], size=256, depth=True), times=5),
            "snapshot_s": _seconds(env.snapshot, times=5),
            "snapshot_bytes": len(env.snapshot()),
            "state_s": _seconds(env.observe, times=9),
            "reset_s": _seconds(lambda: env.reset(seed=1), times=1),
        }


def measure_navigation() -> dict[str, Any]:
    """Count the env server's calls of one driven primitive, and those among them that move something."""
    with open_bench("robocasa", {"task_name": "NavigateKitchen", "seed": 0}, FakeRegistry()) as bench:
        channel = bench.toolkit.context.channels["env"]
        calls: list[str] = []
        call = channel.call

        def counted(method: str, /, **params: Any) -> Any:
            calls.append(method)
            return call(method, **params)

        channel.call = counted  # type: ignore[method-assign]

        def driven(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            calls.clear()
            before = np.asarray(call("observe")["extra"]["base_position"])
            bench.call(tool, arguments)
            after = np.asarray(call("observe")["extra"]["base_position"])
            return {"moved_m": float(np.linalg.norm(after - before)), "calls": dict(Counter(calls))}

        start = np.asarray(call("observe")["extra"]["base_position"])[:2]
        drives = {"move_base": driven("move_base", {"forward_m": -0.3})}
        drives["navigate_to"] = driven("navigate_to", {"xy": start.tolist()})
        return drives


def _seconds(action: Any, *, times: int) -> float:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        found.append(time.perf_counter() - began)
    return statistics.median(found)


def report(results: dict[str, Any]) -> str:
    """Return the results as a page."""
    rows = [
        f"| step, {each['task']} | {each['ratio']:.2f} | <= {TARGET_RATIO} | {_met(each['ratio'] <= TARGET_RATIO)} |"
        for each in results["steps"]
    ]
    drives = results["navigation"]
    for tool, drive in drives.items():
        moving = drive["calls"].get("servo", 0)
        rows.append(f"| calls that move, one `{tool}` | {moving} | 1 | {_met(moving == 1)} |")
    service = results["service"]
    steps = ", ".join(
        f"{1e3 * each['ours_s']:.0f} ms against {1e3 * each['bare_s']:.0f}" for each in results["steps"]
    )
    return "\n".join(
        [
            "# RoboCasa env server against the simulator's own step",
            "",
            "Made by `python benchmarks/robocasa_speed.py` on placeholder assets; ratios are ours to bare, in one run.",
            "Both sides stayed in the same state to the last bit.",
            "",
            "| what | measured | target | met |",
            "|---|---|---|---|",
            *rows,
            "",
            f"- A control step without a picture: {steps} (medians of blocks of {BLOCK}, in turns).",
            f"- From the start of the service to the first observation {service['first_observation_s']:.1f} s; a later "
            f"reset {service['reset_s']:.1f} s.",
            f"- A picture of 256 × 256 {1e3 * service['picture_s']:.0f} ms, with depth "
            f"{1e3 * service['picture_and_depth_s']:.0f} ms; the first one of a kitchen, which is uploaded then, "
            f"{service['first_picture_s']:.2f} s. The state alone {1e3 * service['state_s']:.0f} ms.",
            f"- A snapshot {1e3 * service['snapshot_s']:.0f} ms, {service['snapshot_bytes']} bytes.",
            *(f"- `{tool}`, {drive['moved_m']:.2f} m: {_calls(drive)}." for tool, drive in drives.items()),
            f"- Load average at the end {os.getloadavg()[0]:.1f}; {os.cpu_count()} cores, {platform.machine()}, Python "
            f"{platform.python_version()}",
            "",
        ]
    )


def _calls(drive: dict[str, Any]) -> str:
    return ", ".join(f"{count} × `{method}`" for method, count in drive["calls"].items())


def _met(held: bool) -> str:
    return "yes" if held else "no"


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=12, help="Blocks of control steps for each task.")
    options = parser.parse_args()
    assets = locate("placeholder").folder
    results = {
        "steps": [measure_steps(task, assets, options.blocks) for task in TASKS],
        "service": measure_service(),
        "navigation": measure_navigation(),
    }
    (RESULTS / "robocasa_speed.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    page = report(results)
    (RESULTS / "robocasa_speed.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
