"""The policy `bc`, from recording to success: flash runs, a training, a server, and runs in which `vla_pick` calls it.

    python benchmarks/bc_policy.py                # writes benchmarks/results/bc_policy.{json,md}
    python benchmarks/bc_policy.py --train 0-9 --test 40-44 --epochs 20

Flash solves the task on the seeds to train on; `rpent policy train-bc` makes a policy of its grasps; `rpent serve
policy` serves it; then, on other initial states, the planner `replay` carries out a recipe that has the policy pick the
thing up and the scripted `place` put it down. Flash does the same seeds beside it, and so does a hand that repeats a
recorded grasp blindly: it shows how much the initial states differ. Every stage is one `rpent` command, shown in the
report. What is there already (runs in `--runs`, rendered frames beside the checkpoint) is not made again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

RESULTS = Path(__file__).resolve().parent / "results"
RPENT = str(Path(sys.executable).with_name("rpent"))
SUITE, TASK, THING, TARGET, RELATION = "libero_spatial", 7, "akita black bowl", "plate", "on"
BODY = "akita_black_bowl_1_main"
"""The thing in the simulator. Not every task would do: in `libero_object*` the thing to pick stands (almost) still."""
LIFTED_M = 0.02
INITIAL_STATES = 50
RECIPE: list[dict[str, Any]] = [
    {"name": "segment", "arguments": {"prompt": TARGET}, "result": {"candidates": [{"id": "s1.0"}]}},
    {"name": "vla_pick", "arguments": {"prompt": f"pick up the {THING}"}, "result": {"held": True}},
    {
        "name": "place",
        "arguments": {"segment_id": "s1.0", "on": TARGET, "relation": RELATION},
        "result": {"released": True},
    },
    {
        "name": "finish",
        "arguments": {"status": "success", "summary": "Picked by the policy, placed by a tool."},
    },
]
SERVING = re.compile(r"((?:http|zmq\+tcp|zmq\+ipc)://\S+)")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One run."""

    seed: int
    solved: bool
    """What the benchmark says."""
    held: bool
    """Whether the tool that picks (`vla_pick`, `grasp`) says so."""
    reason: str
    lifted_m: float
    pick_s: float
    pick_steps: int
    session_s: float
    run_s: float
    """The whole command, start-up included."""
    env_steps: int


def main() -> None:
    """Run all stages and write the report."""
    options = _options()
    started = time.monotonic()
    times: dict[str, float] = {}
    folder: Path = options.runs
    checkpoint = folder / "policy"
    recorded = [_flash(seed, folder / "train") for seed in options.train]
    times["recording"] = sum(run.run_s for run in recorded)
    rendered_before = len(list((folder / "policy.frames").glob("*.npz")))
    with _timed(times, "training command"):
        facts = _train(folder / "train", checkpoint, options)
    recipe = folder / "pick_then_place.jsonl"
    recipe.write_text("".join(json.dumps(call) + "\n" for call in RECIPE), encoding="utf-8")
    with _timed(times, "policy runs"), _served(checkpoint, folder) as (endpoint, token_file):
        arguments = ["--planner", "replay", "--recipe", str(recipe), "--vla-endpoint", endpoint]
        arguments += ["--token-file", str(token_file)]
        policy = [_run(seed, folder / "policy-runs", arguments) for seed in options.test]
    with _timed(times, "flash runs"):
        flash = [_flash(seed, folder / "flash-runs") for seed in options.test]
    blind, ranges = _blindly(folder / "train", options.train, options.test)
    result = {
        "rendered_before": rendered_before,
        "blind": blind,
        "ranges_cm": ranges,
        "date": time.strftime("%Y-%m-%d"),
        "task": {"suite": SUITE, "task": TASK, "thing": THING},
        "train_seeds": options.train,
        "recorded": [sum(run.solved for run in recorded), len(recorded)],
        "training": facts,
        "times_s": {name: round(value, 1) for name, value in times.items()},
        "total_s": round(time.monotonic() - started, 1),
        "policy": [asdict(run) for run in policy],
        "flash": [asdict(run) for run in flash],
        "load": [round(value, 1) for value in os.getloadavg()],
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}",
        "versions": {name: version(name) for name in ("rpent-core", "rpent-robot-libero", "rpent-policy-bc")},
    }
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "bc_policy.json").write_text(json.dumps(result, indent=1) + "\n")
    (options.results / "bc_policy.md").write_text(report(result))
    print(report(result))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--train", type=_numbers, default=_numbers("0-39"), help="seeds to train on")
    parser.add_argument("--test", type=_numbers, default=_numbers("40-49"), help="seeds of the comparison")
    parser.add_argument("--epochs", type=int, default=120)
    parser.add_argument("--perturbed", type=int, default=2)
    parser.add_argument("--python", help="interpreter with torch, instead of the environment `torch`")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "bc-policy", help="where everything goes")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    trained = {seed % INITIAL_STATES for seed in options.train}
    if common := sorted(seed for seed in options.test if seed % INITIAL_STATES in trained):
        parser.error(f"the initial states of the seeds {common} are trained on")
    return options


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


@contextmanager
def _timed(times: dict[str, float], name: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    times[name] = time.monotonic() - started
    print(f"{name}: {times[name]:.0f} s", flush=True)


def _flash(seed: int, folder: Path) -> Outcome:
    return _run(seed, folder, ["--planner", "flash"])


def _run(seed: int, folder: Path, arguments: list[str]) -> Outcome:
    """Run one episode, unless it is there."""
    there = sorted(folder.glob(f"{SUITE}_t{TASK}_s{seed}_*/run.json"))
    if not there:
        command = [RPENT, "run", "--robot", "libero", "--suite", SUITE, "--task", str(TASK)]
        command += ["--seed", str(seed), *arguments, "--no-video", "-q", "--output-dir", str(folder)]
        subprocess.run(command, check=False, timeout=300, capture_output=True)
        there = sorted(folder.glob(f"{SUITE}_t{TASK}_s{seed}_*/run.json"))
    return _outcome(there[-1].parent, seed)


def _outcome(run: Path, seed: int) -> Outcome:
    manifest = json.loads((run / "run.json").read_text())
    if manifest["outcome"]["reason"] == "infrastructure":
        sys.exit(f"{run}: {manifest['outcome']['detail']}")
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    returned = [event for event in events if event["type"] == "tool_returned"]
    picks = [event for event in returned if event["name"] in {"vla_pick", "grasp"}]
    last: dict[str, Any] = picks[-1] if picks else {"data": {}, "elapsed_s": 0.0, "env_steps": 0}
    return Outcome(
        seed=seed,
        solved=bool(manifest["outcome"]["benchmark_success"]),
        held=bool(last["data"].get("held")),
        reason=str(last["data"].get("reason") or last["data"].get("error") or ""),
        lifted_m=float(last["data"].get("lifted_m", 0.0)),
        pick_s=round(sum(event["elapsed_s"] for event in picks), 2),
        pick_steps=int(last["env_steps"]),
        session_s=round(float(manifest["timings_s"]["session"]), 2),
        run_s=round(float(manifest["finished"]) - float(manifest["created"]), 2),
        env_steps=int(manifest["counts"]["env_steps"]),
    )


def _train(runs: Path, checkpoint: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Train, unless the checkpoint is there; returns the facts of its description."""
    description = checkpoint / "config.json"
    if not description.exists():
        command = [RPENT, "policy", "train-bc", str(runs), "--out", str(checkpoint)]
        command += [
            "--epochs",
            str(options.epochs),
            "--perturbed",
            str(options.perturbed),
            *(["--python", options.python] if options.python else []),
        ]
        subprocess.run(command, check=True)
    read: dict[str, Any] = json.loads(description.read_text())
    size = (checkpoint / "model.safetensors").stat().st_size
    return {**read["training"], "execute_steps": read["execute_steps"], "weights_bytes": size}


def _blindly(runs: Path, train: list[int], test: list[int]) -> tuple[list[int], list[float]]:
    """Repeat recorded grasps where things stand elsewhere, without looking.

    Returns:
        For each of some recorded grasps, on how many of the test seeds it lifted the thing; and over how many
        centimetres the thing's place ranges in them, along x and y.
    """
    from rpent.env.client import EnvClient
    from rpent.testing import LocalChannel
    from rpent_policy_bc.demonstrations import read_run
    from rpent_robot_libero.config import EnvServerConfig
    from rpent_robot_libero.server.create import create

    facade = create(EnvServerConfig(suite=SUITE, task=TASK))
    env, simulator = EnvClient(LocalChannel(facade)), facade.methods["describe"].handler.__self__  # type: ignore[attr-defined]
    lifted, places = [], []
    for seed in train[:: max(1, len(train) // 5)][:5]:
        run = sorted(runs.glob(f"{SUITE}_t{TASK}_s{seed}_*"))[-1]
        grasps = read_run(run).demonstrations
        if not grasps:
            continue
        count = 0
        for other in test:
            env.reset(seed=other)
            before = simulator.scene.data.body(BODY).xpos.copy()
            env.chunk_step(grasps[0].actions)
            count += bool(simulator.scene.data.body(BODY).xpos[2] > before[2] + LIFTED_M)
            places.append(before[:2] * 100)
        lifted.append(count)
    env.channel.close()
    spread = [max(axis) - min(axis) for axis in zip(*places, strict=True)]
    return lifted, [round(float(value), 1) for value in spread]


@contextmanager
def _served(checkpoint: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Serve the policy; gives its endpoint and the file with its token."""
    token_file = folder / "token"
    command = [RPENT, "serve", "policy", "--backend", "bc", "--checkpoint", str(checkpoint)]
    command += ["--embodiment", "libero", "--token-file", str(token_file)]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    said: list[str] = []
    try:
        assert server.stdout is not None
        for line in server.stdout:
            said.append(line)
            if found := SERVING.search(line):
                yield found.group(1), token_file
                return
        sys.exit("".join(said))
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


def report(result: dict[str, Any]) -> str:
    """Return the report as Markdown."""
    facts, policy, flash, times = result["training"], result["policy"], result["flash"], result["times_s"]
    seeds, train = [run["seed"] for run in policy], result["train_seeds"]
    versions = ", ".join(f"{name} {value}" for name, value in result["versions"].items())
    count = len(policy)
    lines = [
        f"# A policy trained from flash's runs, on `{SUITE}` task {TASK}: {THING} {RELATION} {TARGET}",
        "",
        f"Made by `python benchmarks/bc_policy.py`, {result['date']}, {result['machine']}, load "
        f"{result['load'][0]:g}, torch {facts['torch']}, {versions}.",
        "",
        f"Flash solved the task on {result['recorded'][0]} of {result['recorded'][1]} initial states (seeds {train[0]} "
        f"to {train[-1]}); the policy learned its grasps from pictures of two cameras ({facts['view']['size']} px) and "
        f"the hand's pose. On {count} other initial states (seeds {seeds[0]} to {seeds[-1]}) `vla_pick` calls it in "
        f"runs of the planner `replay`, and the scripted `place` puts the {THING} {RELATION} the {TARGET}. Each run is "
        "one try: no tool is called twice.",
        "",
        "| | held after the pick | solved (benchmark) | pick, mean s | pick, mean steps | session, mean s |",
        "|---|---|---|---|---|---|",
        _row("`vla_pick` (bc), then `place`", policy),
        _row("flash", flash),
        f"| a recorded grasp, repeated blindly | {_of(result['blind'], count)} | | | | |",
        "",
        f"On those {count} initial states the thing's place ranges over {result['ranges_cm'][0]} by "
        f"{result['ranges_cm'][1]} cm. The last row is for {len(result['blind'])} of the grasps that were learned "
        "from, each repeated action by action on all of them.",
        "",
        "## What it took",
        "",
        "| stage | command | s |",
        "|---|---|---|",
        f"| record {len(train)} runs | `rpent run --robot libero --suite {SUITE} --task {TASK} --seed N --planner "
        f"flash --output-dir RUNS` each | {times['recording']:.0f} |",
        f"| train | `rpent policy train-bc RUNS --out DIR --epochs {facts['epochs']}` | "
        f"{times['training command']:.0f} |",
        f"| of that: rendering{_there(result)} | | {max(0.0, times['training command'] - facts['elapsed_s']):.0f} |",
        f"| of that: learning | | {facts['elapsed_s']:.0f} |",
        "| serve | `rpent serve policy --backend bc --checkpoint DIR --embodiment libero --token-file FILE` | |",
        f"| {count} runs with the policy | `rpent run --robot libero --suite {SUITE} --task {TASK} --seed N --planner "
        "replay --recipe RECIPE --vla-endpoint ENDPOINT --token-file FILE` each | "
        f"{times['policy runs']:.0f} |",
        f"| {count} runs of flash | as above | {times['flash runs']:.0f} |",
        "",
        f"{facts['demonstrations']} grasps were learned, each repeated exactly and {facts['view']['perturbed']} times "
        f"with pushes: {facts['frames']} frames, {facts['epochs']} epochs, {facts['parameters']:,} parameters "
        f"({facts['weights_bytes'] / 1e6:.2f} MB). Loss {facts['first_loss']:.3f} → {facts['loss']:.3f}, on "
        f"{facts['held_out_demonstrations']} grasps that were not learned "
        f"{facts['held_out_loss'] or float('nan'):.3f}.",
        "",
        "## Every run",
        "",
        "| seed | held | lifted m | steps | pick s | solved | flash held | flash pick s | flash solved | reason |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *(
            f"| {one['seed']} | {_mark(one['held'])} | {one['lifted_m']:.3f} | {one['pick_steps']} | "
            f"{one['pick_s']:.1f} | {_mark(one['solved'])} | {_mark(two['held'])} | {two['pick_s']:.1f} | "
            f"{_mark(two['solved'])} | {one['reason']} |"
            for one, two in zip(policy, flash, strict=True)
        ),
        "",
    ]
    return "\n".join(lines)


def _row(name: str, runs: list[dict[str, Any]]) -> str:
    def mean(key: str) -> float:
        return float(sum(run[key] for run in runs) / len(runs))

    held, solved = (sum(run[key] for run in runs) for key in ("held", "solved"))
    return (
        f"| {name} | **{held} of {len(runs)}** | {solved} of {len(runs)} | {mean('pick_s'):.1f} | "
        f"{mean('pick_steps'):.0f} | {mean('session_s'):.1f} |"
    )


def _there(result: dict[str, Any]) -> str:
    before = result["rendered_before"]
    return f" ({before} repetitions were there before)" if before else ""


def _of(counts: list[int], total: int) -> str:
    return f"{min(counts)} to {max(counts)} of {total}" if counts else "not measured"


def _mark(value: bool) -> str:
    return "✓" if value else "✗"


if __name__ == "__main__":
    main()
