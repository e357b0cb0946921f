"""Speed of the LIBERO env server against the benchmark's own environment, as ratios in one run.

- `move`: a `move_to` of 60 control steps, one RPC over ZeroMQ, against 60 steps of the bare environment
  without cameras. The two take turns; medians count. Bytes are those of the encoded request and answer.
- `first`: from the start of `rpent run` to the first observation in its events, with an empty cache of scenes
  and with a filled one, against one bare construction plus `reset` (imports not counted, which favours the
  bare side). Rounds alternate; the least disturbed (fastest) round of each counts.
- `second`: the next task on a kept server, to its first pictures, when the scene is the same.

    python benchmarks/env_speed.py            # writes benchmarks/results/env_speed.{json,md}
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.env.client import EnvClient
from rpent.rpc import connect, serve
from rpent.rpc.codec import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

RESULTS = Path(__file__).parent / "results"
TOKEN = "benchmark-token-0123456789"
SUITE, TASK = "libero_object_swap", 2
SAME_SCENE = ("libero_goal", 0, 5)
STEPS = 60
TARGETS = {"move": 1.15, "first, nothing cached": 0.75, "first, scene cached": 0.5}
MAX_MOVE_BYTES, MAX_SECOND_S = 100_000, 1.5

BARE_START = """
import time
from libero.libero.envs import OffScreenRenderEnv
from rpent_robot_libero.catalog import find_task
from rpent_robot_libero.server.scene import task_file
path = task_file(find_task({suite!r}, {task}))
start = time.perf_counter()
env = OffScreenRenderEnv(bddl_file_name=path, camera_heights=256, camera_widths=256)
env.reset()
print("seconds", time.perf_counter() - start, flush=True)
import os
os._exit(0)
"""


# --- processes that are measured -------------------------------------------------------------------------


def serve_env(pipe: Connection, suite: str, task: int) -> None:
    """Serve an env over ZeroMQ; its address goes through the pipe."""
    from rpent_robot_libero.config import EnvServerConfig
    from rpent_robot_libero.server.create import create

    with tempfile.TemporaryDirectory() as folder:
        facade = create(EnvServerConfig(suite=suite, task=task))
        server = serve(f"zmq+ipc://{folder}/env.sock", facade, token=TOKEN)
        pipe.send(str(server.endpoint))
        server.run()


def step_bare(pipe: Connection) -> None:
    """Answer each message with the seconds that `STEPS` steps of the bare environment took."""
    os.environ["MUJOCO_GL"] = "egl"
    from libero.libero.envs.env_wrapper import ControlEnv
    from rpent_robot_libero.catalog import find_task
    from rpent_robot_libero.server.scene import task_file

    env = ControlEnv(
        task_file(find_task(SUITE, TASK)),
        use_camera_obs=False,
        has_offscreen_renderer=False,
        ignore_done=True,
    )
    env.reset()
    generator = np.random.default_rng(0)
    pipe.send("ready")
    while pipe.recv():
        actions = generator.uniform(-0.5, 0.5, (STEPS, 7))
        start = time.perf_counter()
        for action in actions:
            env.step(action)
        pipe.send(time.perf_counter() - start)


@contextlib.contextmanager
def process(target: Callable[..., None], *arguments: Any) -> Iterator[tuple[Any, Any]]:
    """Run a target in a process of its own; yields the pipe and the first message."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=target, args=(theirs, *arguments), daemon=True)
    child.start()
    try:
        yield ours, ours.recv()
    finally:
        child.terminate()
        child.join()


# --- measurements ----------------------------------------------------------------------------------------


def measure_move(rounds: int) -> dict[str, Any]:
    """Compare a servo call of `STEPS` control steps with as many bare steps."""
    with process(serve_env, SUITE, TASK) as (_, endpoint), process(step_bare) as (bare, _):
        channel = connect(endpoint, token=TOKEN)
        env = EnvClient(channel)
        start = env.observe().eef_position
        ours, theirs = [], []
        until = {"max_steps": STEPS}
        for index in range(rounds):
            offset = [0.12, 0.15, 0.05] if index % 2 == 0 else [0.0, -0.1, -0.03]
            targets = [{"position": start + np.array(offset), "steps": STEPS}]
            began = time.perf_counter()
            result = env.servo(targets, until)
            ours.append(time.perf_counter() - began)
            assert result.steps == STEPS, result
            bare.send(True)
            theirs.append(bare.recv())
        request = {"method": "servo", "targets": targets, "until": until}
        answer = channel.call("servo", targets=targets, until=until)
        sizes = sum(len(frame) for value in (request, answer) for frame in encode(value))
        channel.close()
    mine, bare_s = statistics.median(ours), statistics.median(theirs)
    return {
        "servo_s": mine,
        "bare_s": bare_s,
        "ratio": mine / bare_s,
        "bytes": sizes,
        "rpcs": 1,
        "steps": STEPS,
    }


def bare_start() -> float:
    """Seconds of one bare construction plus reset."""
    code = BARE_START.format(suite=SUITE, task=TASK)
    environment = os.environ | {"MUJOCO_GL": "egl"}
    answer = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    line = next(line for line in answer.stdout.splitlines() if line.startswith("seconds"))
    return float(line.split()[1])


def run_start(cache: Path) -> float:
    """Seconds from starting `rpent run` to the first observation among its events."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "rpent", "run", "--robot", "libero", "--planner", "flash"]
        command += ["--suite", SUITE, "--task", str(TASK), "--seed", "0", "--max-tool-calls", "1"]
        command += ["--output-dir", folder, "--quiet"]
        environment = os.environ | {"RPENT_LIBERO_CACHE": str(cache)}
        began = time.time()
        subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        (events,) = Path(folder).glob("*/events.jsonl")
        for line in events.read_text().splitlines():
            event = json.loads(line)
            if event["type"] == "step":
                return float(event["time"] - began)
    raise RuntimeError("the run observed nothing")


def measure_first(rounds: int) -> dict[str, Any]:
    """Compare `rpent run` to its first observation with a bare construction plus reset."""
    bare, empty, filled = [], [], []
    with tempfile.TemporaryDirectory() as cache:
        run_start(Path(cache))  # whatever is slow only the first time on a machine
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            bare.append(bare_start())
            empty.append(run_start(Path(cache)))
            filled.append(run_start(Path(cache)))
    return {
        "bare_s": min(bare),
        "empty_s": min(empty),
        "filled_s": min(filled),
        "empty_ratio": min(empty) / min(bare),
        "filled_ratio": min(filled) / min(bare),
        "all": {"bare": bare, "empty": empty, "filled": filled},
    }


def measure_second(rounds: int) -> dict[str, Any]:
    """Time a reset to another task of the same scene on a kept server, with first pictures."""
    suite, first, second = SAME_SCENE
    with process(serve_env, suite, first) as (_, endpoint):
        channel = connect(endpoint, token=TOKEN)
        env = EnvClient(channel)
        env.observe(["agentview"], depth=True)
        seconds = []
        for index in range(rounds):
            began = time.perf_counter()
            env.reset(task=second if index % 2 == 0 else first, seed=index)
            env.observe(["agentview", "wrist"], depth=True)
            seconds.append(time.perf_counter() - began)
        channel.close()
    return {"seconds": statistics.median(seconds), "all": seconds}


# --- report -----------------------------------------------------------------------------------------------


def verdicts(result: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Return what, measured, target, met."""
    move, first, second = result["move"], result["first"], result["second"]
    rows = [
        ("move", move["ratio"]),
        ("first, nothing cached", first["empty_ratio"]),
        ("first, scene cached", first["filled_ratio"]),
    ]
    found = [(what, f"{ratio:.2f}", f"<= {TARGETS[what]}", ratio <= TARGETS[what]) for what, ratio in rows]
    size, seconds = move["bytes"], second["seconds"]
    found.append(("move, bytes", str(size), f"< {MAX_MOVE_BYTES}", size < MAX_MOVE_BYTES))
    found.append(("second task, s", f"{seconds:.2f}", f"<= {MAX_SECOND_S}", seconds <= MAX_SECOND_S))
    return found


def to_markdown(result: dict[str, Any]) -> str:
    """Return the result as a page."""
    move, first = result["move"], result["first"]
    servo_ms, bare_ms = move["servo_s"] * 1000, move["bare_s"] * 1000
    lines = [
        "# LIBERO env server against the bare environment",
        "",
        "Made by `python benchmarks/env_speed.py`; ratios are ours to bare, in one run.",
        "",
        "| what | measured | target | met |",
        "|---|---|---|---|",
        *(
            f"| {what} | {got} | {target} | {'yes' if met else 'no'} |"
            for what, got, target, met in verdicts(result)
        ),
        "",
        f"- 60 control steps: servo call {servo_ms:.0f} ms, bare {bare_ms:.0f} ms.",
        f"- First observation: {first['empty_s']:.2f} s with nothing cached, {first['filled_s']:.2f} s with the",
        f"  scene cached; bare construction plus reset {first['bare_s']:.2f} s.",
        f"- {result['machine']}",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Measure, write the results, and return 1 when a target is missed."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages are compiled; so shall ours be
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds of process starts")
    parser.add_argument("--moves", type=int, default=20)
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    options = parser.parse_args()
    result = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "move": measure_move(options.moves),
        "second": measure_second(8),
        "first": measure_first(options.rounds),
    }
    text = to_markdown(result)
    print(text)
    if not options.no_write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "env_speed.json").write_text(json.dumps(result, indent=2) + "\n")
        (RESULTS / "env_speed.md").write_text(text)
    return 0 if all(met for *_, met in verdicts(result)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
