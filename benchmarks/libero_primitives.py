"""LIBERO's grasp and place tools alone: every pick-and-place task in a fixed order of calls, in one process.

    python benchmarks/libero_primitives.py --suites libero_object libero_spatial_swap --seeds 0 1

No planner and no transport is measured. Among several things of one name the right one is told apart by the
simulator's truth, since referring expressions are the planner's work; everything else comes from pictures.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rpent.cancel import CancelToken
from rpent.errors import RpentError
from rpent.perception import PerceptorContext
from rpent.robot import TaskSetup, ToolContext
from rpent.rpc.facade import CallContext
from rpent_robot_libero.catalog import tasks
from rpent_robot_libero.config import EnvServerConfig
from rpent_robot_libero.perception import SimulatorPerceptor
from rpent_robot_libero.server.create import create
from rpent_robot_libero.toolkit import LiberoToolkit

SUITES = ["libero_object", "libero_spatial"]
THING = re.compile(
    r"pick (?:up )?(?:the )?(.*?) (?:and place|not between|between|next to|on|from|in) ", re.IGNORECASE
)
ATTEMPTS = 3


class DirectChannel:
    """Calls a facade's handlers in this thread and keeps how long each method took."""

    def __init__(self, config: EnvServerConfig) -> None:
        self.facade = create(config)
        self.scene_owner: Any = self.facade.methods["describe"].handler.__self__  # type: ignore[attr-defined]
        self.seconds: dict[str, float] = {}

    def call(self, method: str, /, *, cancel: CancelToken | None = None, **params: Any) -> Any:
        """Carry out one call."""
        for name in ("timeout_s", "on_progress"):
            params.pop(name, None)
        call = CallContext("benchmark", cancel or CancelToken(), lambda _: None)
        start = time.perf_counter()
        try:
            return self.facade.methods[method].handler(call, **params)
        finally:
            self.seconds[method] = self.seconds.get(method, 0.0) + time.perf_counter() - start


def episode(channel: DirectChannel, task: int, seed: int, *, verbose: bool) -> tuple[bool, float, str]:
    """Run one episode; returns success, seconds and what happened."""
    channel.call("reset", task=task, seed=seed)
    channel.call(
        "observe", cameras=["agentview", "wrist"], depth=True
    )  # uploads textures: start-up, not episode
    channel.seconds.clear()
    start = time.perf_counter()
    toolkit = _toolkit(channel)
    instruction = channel.call("describe")["instruction"]
    toolkit.capture()
    log: list[str] = []
    try:
        _solve(toolkit, channel, instruction, log)
    except RpentError as error:
        log.append(f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    if verbose:
        log.append(" ".join(f"{name} {value:.2f} s" for name, value in channel.seconds.items()))
    return bool(toolkit.benchmark_success()), seconds, "; ".join(log)


def _toolkit(channel: DirectChannel) -> LiberoToolkit:
    channels: Any = {"env": channel}
    context = ToolContext(
        setup=TaskSetup(instruction="", tag="benchmark", seed=0),
        channels=channels,
        run_dir=Path(tempfile.gettempdir()),
        cancel=CancelToken,
        progress=lambda _: None,
        perceptor=SimulatorPerceptor(PerceptorContext(channels=channels)),
    )
    return LiberoToolkit(context)


def _solve(toolkit: LiberoToolkit, channel: DirectChannel, instruction: str, log: list[str]) -> None:
    found = THING.search(instruction)
    if found is None:
        log.append(f"not a pick-and-place task: {instruction}")
        return
    target, relation = ("basket", "in") if "basket" in instruction else ("plate", "on")
    for attempt in range(ATTEMPTS):
        chosen = _choose(channel, toolkit.segment(found[1]).data["candidates"])
        if chosen is None:
            log.append(f"`{found[1]}` is not seen")
            return
        grasp = toolkit.grasp(segment_id=chosen, attempt=attempt).data
        toolkit.capture()
        if not grasp["held"]:
            log.append(f"grasp {attempt} {grasp.get('strategy')}: {grasp['reason']}")
            continue
        place = toolkit.place(on=target, relation=relation).data
        toolkit.capture()
        if toolkit.benchmark_success():
            return
        log.append(f"place {attempt}: {place['reason'] or 'not where it belongs'}")


def _choose(channel: DirectChannel, candidates: list[dict[str, Any]]) -> str | None:
    scene = channel.scene_owner.scene
    wanted = scene.env.parsed_problem["goal_state"][0][1]
    truth = scene.data.body(scene.env.objects_dict[wanted].root_body).xpos[:2]
    ranked = sorted(candidates, key=lambda c: float(np.linalg.norm(np.array(c["middle_xyz"][:2]) - truth)))
    return ranked[0]["id"] if ranked else None


def main() -> None:
    """Run the episodes and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--suites", nargs="+", default=SUITES)
    parser.add_argument("--tasks", nargs="+", type=int, default=None)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    for suite in options.suites:
        numbers = options.tasks if options.tasks is not None else range(len(tasks(suite)))
        channel = DirectChannel(EnvServerConfig(suite=suite, task=next(iter(numbers))))
        results = []
        for task in numbers:
            for seed in options.seeds:
                ok, seconds, log = episode(channel, task, seed, verbose=options.verbose)
                results.append((ok, seconds))
                print(
                    f"{suite} {task} {seed}: {'solved' if ok else 'FAILED'} {seconds:5.2f} s  {log}",
                    flush=True,
                )
        solved = sum(ok for ok, _ in results)
        mean = sum(seconds for _, seconds in results) / len(results)
        print(f"{suite}: {solved} of {len(results)} solved, {mean:.2f} s per episode", flush=True)
        channel.facade.close()


if __name__ == "__main__":
    main()
