"""What the policy server costs over calling the model directly, and what four episodes on one server get.

    python benchmarks/policy_server.py            # writes benchmarks/results/policy_server.{json,md}
    python benchmarks/policy_server.py --bc CHECKPOINT --env-python PYTHON      # with a policy of `train-bc` as well

*Overhead.* A client asks with two (256, 256, 3) uint8 pictures and a state of 9 numbers; the server checks them,
mirrors the pictures, makes the checkpoint's vector, asks the model on its thread, checks the answer, and sends it as
the robot's actions. The same model in a process of its own is asked directly, with pictures and vector ready made.
Direct and served calls take turns in short blocks, so that a busy machine slows all of them; medians over all blocks
count. `own` is the time of a served call less the time that the model took in this very call: the server's share
without the model's noise.

*Four episodes.* Four client processes ask one server as fast as they can, each an episode of its own; then each episode
has a fresh server for itself.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as the servers have it; before numpy reads it

import numpy as np
from rpent.environments.interpreter import Interpreter, linked_interpreter
from rpent.policies.api import PolicyRequest
from rpent.rpc.api import connect
from rpent.services.request import ServiceRequest
from rpent.services.supervisor import Supervisor
from rpent.specs import PolicySpec, load_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.policies.embodiment import Embodiment
    from rpent.policies.signature import Signature

RESULTS = Path(__file__).parent / "results"
TOKEN = "benchmark-token-0123456789"
MODELS = PolicySpec(
    name="benchmark",
    summary="Models of the benchmark.",
    policy="policy_models:load",
    config="policy_models:ModelConfig",
)
OWN = "zmq+ipc"
"""The transport of the services that a run starts: the bounds are its."""
TRANSPORTS = {OWN: None, "http": "http"}
"""What the tables say → `ServiceRequest.transport`; None is what a run takes."""
MAX_MS, MAX_SHARE = 3.0, 0.10
EPISODES = 4


@dataclass(frozen=True)
class Contender:
    """A policy to serve and to ask directly."""

    name: str
    spec: PolicySpec
    values: dict[str, Any]
    robot: str
    """Import string of the embodiment."""
    bound: bool = True
    """Whether it costs enough for the bound that is a share of it."""
    python: str | None = None
    distribution: str = ""

    def request(self, transport: str | None) -> ServiceRequest:
        """Return what the supervisor starts."""
        embodiment: Embodiment = load_object(self.robot)
        config = {
            "backend": self.spec.name,
            "policy": self.spec.policy,
            "config_model": self.spec.config,
            "config": self.values,
            "embodiment": embodiment.model_dump(mode="json"),
        }
        return ServiceRequest(
            spec=self.spec.service,
            config=config,
            token=TOKEN,
            python=self.python,
            transport=transport,
            distribution=self.distribution,
        )

    def interpreter(self) -> Interpreter:
        """Return where the direct calls are made: the interpreter of the server."""
        if self.python is None:
            return Interpreter(sys.executable)
        return linked_interpreter(self.python, self.distribution)


@dataclass
class Times:
    """Seconds of calls; of served ones also what the model took of them."""

    calls: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)

    def median_ms(self) -> float:
        return 1e3 * statistics.median(self.calls)

    def p90_ms(self) -> float:
        return 1e3 * statistics.quantiles(self.calls, n=10)[-1]

    def own_ms(self) -> float:
        return 1e3 * statistics.median(self.own)


# The direct calls: a process that answers a number on its standard input with the seconds of so many calls.


def call_directly() -> None:
    job = json.loads(sys.stdin.readline())
    config = load_object(job["config_model"]).model_validate(job["config"])
    policy = load_object(job["policy"])(config, lambda *_: None)
    requests = [native_request(policy.signature, step) for step in range(8)]
    policy.infer(requests[:1])
    print("ready", flush=True)
    for line in sys.stdin:
        seconds = []
        for step in range(int(line)):
            start = time.perf_counter()
            policy.infer([requests[step % len(requests)]])
            seconds.append(time.perf_counter() - start)
        print(json.dumps(seconds), flush=True)


def native_request(signature: Signature, step: int) -> PolicyRequest:
    generator = np.random.default_rng(step)
    return PolicyRequest(
        images={
            name: generator.integers(0, 256, (view.height or 256, view.width or 256, 3), np.uint8)
            for name, view in signature.cameras.items()
        },
        state={name: generator.random(length).astype(np.float32) for name, length in signature.state.items()},
        instruction="pick up the cup",
        episode="direct",
        step=step,
        seed=0,
    )


class DirectCalls:
    """The client of `call_directly`."""

    def __init__(self, contender: Contender) -> None:
        interpreter = contender.interpreter()
        environment = interpreter.environ({"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"})
        self._process = subprocess.Popen(
            [interpreter.python, __file__, "--direct"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        spec = contender.spec
        self._send({"policy": spec.policy, "config_model": spec.config, "config": contender.values})
        while self._read() != "ready":
            pass

    def seconds(self, number: int) -> list[float]:
        self._send(number)
        return list(json.loads(self._read()))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _send(self, value: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("The process of the direct calls has ended.")
        return line.strip()


# The served calls.


@contextmanager
def served(contender: Contender, transport: str | None) -> Iterator[tuple[Any, str]]:
    """Yield a channel to the policy server, and its endpoint."""
    events: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as logs:
        supervisor = Supervisor(logs_dir=Path(logs), on_event=events.append)
        try:
            supervisor.start([contender.request(transport)])
            endpoint = next(event["endpoint"] for event in events if event["state"] == "ready")
            yield supervisor.channels["vla"], endpoint
        finally:
            supervisor.stop()


def observations(about: dict[str, Any], number: int) -> list[dict[str, Any]]:
    generator = np.random.default_rng(number)
    return [
        {
            "images": {
                name: generator.integers(0, 256, (height or 256, width or 256, 3), np.uint8)
                for name, (height, width) in about["cameras"].items()
            },
            "state": {name: generator.random(length) for name, length in about["state"].items()},
        }
        for _ in range(8)
    ]


def ask(channel: Any, seen: list[dict[str, Any]], number: int, times: Times) -> None:
    before = model_seconds(channel)
    for step in range(number):
        observation = seen[step % len(seen)]
        start = time.perf_counter()
        channel.call("infer", observation=observation, instruction="pick up the cup", episode="served")
        seconds = time.perf_counter() - start
        after = model_seconds(channel)
        times.calls.append(seconds)
        times.own.append(seconds - (after - before))
        before = after


def model_seconds(channel: Any) -> float:
    return float(channel.call("status")["infer_seconds"]["total"])


def measure_overhead(contender: Contender, blocks: int, block_size: int) -> dict[str, Any]:
    direct, by_transport = Times(), {name: Times() for name in TRANSPORTS}
    calls = DirectCalls(contender)
    try:
        with served(contender, None) as (zmq, _), served(contender, "http") as (http, _):
            seen = observations(zmq.call("describe"), 0)
            for block in range(blocks + 1):
                keep = block > 0  # the first one warms up
                seconds = calls.seconds(block_size)
                direct.calls += seconds if keep else []
                for name, channel in ((OWN, zmq), ("http", http)):
                    ask(channel, seen, block_size, by_transport[name] if keep else Times())
    finally:
        calls.close()
    base = direct.median_ms()
    rows = [
        {
            "transport": name,
            "median_ms": round(times.median_ms(), 3),
            "p90_ms": round(times.p90_ms(), 3),
            "overhead_ms": round(times.median_ms() - base, 3),
            "overhead_share": round((times.median_ms() - base) / base, 4) if base > 1.0 else None,
            "own_ms": round(times.own_ms(), 3),
            "met": times.median_ms() - base <= MAX_MS
            and (not contender.bound or times.median_ms() - base <= MAX_SHARE * base),
        }
        for name, times in by_transport.items()
    ]
    return {
        "model": contender.name,
        "direct_ms": round(base, 3),
        "direct_p90_ms": round(direct.p90_ms(), 3),
        "calls": len(direct.calls),
        "served": rows,
    }


# Four episodes.


def episode(
    endpoint: str, number: int, steps: int, start_at: float
) -> tuple[list[Any], list[float], float, float]:
    """Ask as fast as possible; returns answers, seconds, begin and end (of the machine's clock)."""
    channel = connect(endpoint, token=TOKEN)
    seen = observations(channel.call("describe"), number)
    name, answers, seconds = f"episode {number}", [], []
    channel.call("reset", episode=name, seed=number)
    time.sleep(max(0.0, start_at - time.monotonic()))
    begin = time.monotonic()
    for step in range(steps):
        start = time.perf_counter()
        answer = channel.call("infer", observation=seen[step % 8], instruction=f"task {number}", episode=name)
        seconds.append(time.perf_counter() - start)
        answers.append(np.asarray(answer))
    channel.close()
    return answers, seconds, begin, time.monotonic()


def measure_four(contender: Contender, steps: int) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(EPISODES, mp_context=context) as pool:
        with served(contender, None) as (channel, endpoint):
            start_at = time.monotonic() + 3.0  # the processes import first
            futures = [pool.submit(episode, endpoint, n, steps, start_at) for n in range(EPISODES)]
            together = [future.result() for future in futures]
            batches = channel.call("status")["batches"]
        alone = []
        for number in range(EPISODES):
            with served(contender, None) as (_, endpoint):
                alone.append(pool.submit(episode, endpoint, number, steps, 0.0).result())
    return {
        "model": contender.name,
        "steps": steps,
        "greatest_difference": max(
            float(np.abs(np.asarray(a[0]) - np.asarray(b[0])).max())
            for a, b in zip(together, alone, strict=True)
        ),
        "together": _speed(together, max(run[3] for run in together) - min(run[2] for run in together)),
        "one_by_one": _speed(alone, sum(run[3] - run[2] for run in alone)),
        "batches": batches,
    }


def _speed(runs: list[Any], duration_s: float) -> dict[str, float]:
    seconds = [value for run in runs for value in run[1]]
    return {
        "answers_per_s": round(len(seconds) / duration_s, 1),
        "median_ms": round(1e3 * statistics.median(seconds), 2),
        "p90_ms": round(1e3 * statistics.quantiles(seconds, n=10)[-1], 2),
    }


# Reporting.


def to_markdown(result: dict[str, Any]) -> str:
    lines = [
        "# The policy server",
        "",
        f"Two 256x256x3 pictures and a state a question; Python {result['python']}, {result['cpus']} cores, "
        f"one thread for the model{result['priority']}. Made by `benchmarks/policy_server.py`.",
        "",
        "## Over a direct call of the model",
        "",
        f"Bounds, of the transport of services that a run starts ({OWN}): {MAX_MS:g} ms, and {MAX_SHARE:.0%} where the "
        "model costs some 30 ms or more, as those with a language model do.",
        "",
        "| model | direct, ms | transport | served, ms | 90th percentile | overhead, ms | overhead | own, ms | met |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for each in result["overhead"]:
        for row in each["served"]:
            share = "–" if row["overhead_share"] is None else f"{row['overhead_share']:.1%}"
            lines.append(
                f"| {each['model']} | {each['direct_ms']} | {row['transport']} | {row['median_ms']} | "
                f"{row['p90_ms']} | {row['overhead_ms']} | {share} | {row['own_ms']} | "
                f"{'yes' if row['met'] else 'no'} |"
            )
    lines += [
        "",
        "`own`: the median of a served call less the model's time in that very call.",
        "",
        "## Four episodes on one server, and each on one of its own",
        "",
        "| model | greatest difference | together: answers/s | median, ms | 90th percentile | "
        "one by one: answers/s | median, ms | 90th percentile | asked together |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for each in result["four_episodes"]:
        a, b = each["together"], each["one_by_one"]
        batches = ", ".join(f"{times} x {size}" for size, times in each["batches"].items())
        lines.append(
            f"| {each['model']} | {each['greatest_difference']:g} | {a['answers_per_s']} | {a['median_ms']} | "
            f"{a['p90_ms']} | {b['answers_per_s']} | {b['median_ms']} | {b['p90_ms']} | {batches} |"
        )
    return "\n".join(lines) + "\n"


def is_first() -> bool:
    """Whether the benchmark goes before what else the machine does (`chrt -f 1 python benchmarks/...`)."""
    return hasattr(os, "sched_getscheduler") and os.sched_getscheduler(0) != os.SCHED_OTHER


def contenders(options: argparse.Namespace) -> list[Contender]:
    names = {
        "nothing": "nothing (no cost)",
        "numpy": "numpy (matrix products on one core)",
        "accelerator": "accelerator (30 ms a call + 2 ms a request, processor idle)",
    }
    robot = "policy_models:ROBOT"
    found = [
        Contender(name, MODELS, {"checkpoint": "none", "model": model}, robot, bound=model != "nothing")
        for model, name in names.items()
    ]
    if options.bc:
        bc = PolicySpec(
            name="bc",
            summary="",
            policy="rpent_policy_bc.server.policy:load",
            config="rpent_policy_bc.config:BcConfig",
        )
        values = {"checkpoint": str(Path(options.bc).resolve()), "device": "cpu"}
        libero = "rpent_robot_libero.embodiment:LIBERO"
        found.append(
            Contender(
                "bc (plain torch)",
                bc,
                values,
                libero,
                bound=False,  # ten percent of what it costs are less than a message
                python=options.env_python,
                distribution="rpent-policy-bc",
            )
        )
    return found


def main() -> int:
    """Measure, write the results, and return 1 when a bound is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--block-size", type=int, default=10)
    parser.add_argument("--steps", type=int, default=100, help="of each of the four episodes")
    parser.add_argument("--bc", metavar="CHECKPOINT", help="measure a policy of `rpent policy train-bc` too")
    parser.add_argument("--env-python", metavar="PATH", help="the interpreter with torch for it")
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    parser.add_argument("--direct", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.direct:
        call_directly()
        return 0
    here = str(Path(__file__).parent)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
    found = contenders(options)
    result = {
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "priority": ", before all other work (real-time priority)" if is_first() else "",
        "overhead": [measure_overhead(each, options.blocks, options.block_size) for each in found],
        "four_episodes": [measure_four(each, options.steps) for each in found[1:]],
    }
    text = to_markdown(result)
    print(text)
    if not options.no_write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "policy_server.json").write_text(json.dumps(result, indent=2) + "\n")
        (RESULTS / "policy_server.md").write_text(text)
    rows = [row for each in result["overhead"] for row in each["served"]]
    good = all(row["met"] for row in rows if row["transport"] == OWN)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
