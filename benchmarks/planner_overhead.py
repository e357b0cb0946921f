"""What an agent runtime costs besides the model: start-up, time a turn, CPU time, memory.

Every planner of a language model, with its real client, drives the fake robot against a local model server that
answers at once with the next call of a script; so all that is left of the time is the client's and RPent's.

    python benchmarks/planner_overhead.py         # writes benchmarks/results/planner_overhead.{json,md}

- *start*: from the beginning of the run (SDK not yet imported) to the first request at the model server, less the time
  of the scripted planner to its first call: imports, checks, connecting.
- *turn*: from a request to the next one, less the tool's own time; the median over the turns of all rounds.
- *CPU*: user and system time of a whole run, children included, less that of a run with the scripted planner.
- *memory*: peak resident set of the planner's child processes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from rpent.run import RunRequest, execute
from rpent.runs.events import ToolCalled, ToolReturned
from rpent.testing import FakeRegistry
from rpent.testing.models import Call, ModelServer, Reply

if TYPE_CHECKING:
    from rpent.runs.events import Event
    from rpent.testing.models import Request

RESULTS = Path(__file__).parent / "results"
KEY = "benchmark-key"
ROUNDS = 3
CALLS = [("look", {})] * 10 + [("finish", {"status": "stuck", "summary": "Enough."})]
PLANNERS: dict[str, tuple[str, str, str]] = {
    "api, chat completions": ("api", "openai-chat:test-model", "/v1"),
    "api, responses": ("api", "openai:test-model", "/v1"),
    "api, Anthropic": ("api", "anthropic:test-model", ""),
    "claude_code": ("claude_code", "test-model", ""),
    "codex": ("codex", "test-model", "/v1"),
}
BARE = "scripted"


@dataclass
class Stopwatch:
    """Times of one run: requests at the server, tools at the session."""

    requests: list[float] = field(default_factory=list)
    tool_s: list[float] = field(default_factory=list)
    began: float = 0.0
    first_call: float = 0.0
    peak_bytes: int = 0

    def reply(self, _request: Request) -> Reply:
        """Note a request, and answer with the next call."""
        self.requests.append(time.monotonic())
        name, arguments = CALLS[min(len(self.requests), len(CALLS)) - 1]
        return Reply(calls=[Call(name, arguments)])

    def on_event(self, event: Event) -> None:
        """Note the first call and what tools take."""
        if isinstance(event, ToolCalled):
            self.first_call = self.first_call or time.monotonic()
        elif isinstance(event, ToolReturned):
            self.tool_s.append(event.elapsed_s)

    @property
    def turns_s(self) -> list[float]:
        """Return the time of each turn without its tool's."""
        gaps = [after - before for before, after in zip(self.requests, self.requests[1:], strict=False)]
        return [gap - tool for gap, tool in zip(gaps, self.tool_s, strict=False)]


def watch_memory(watch: Stopwatch, over: threading.Event) -> None:
    """Note the peak memory of the child processes that are neither the env server nor its guardian."""
    me = psutil.Process()
    while not over.wait(0.1):
        total = 0
        for child in me.children(recursive=True):
            try:
                command = " ".join(child.cmdline())
                total += 0 if "rpent.services" in command else child.memory_info().rss
            except psutil.Error:
                continue
        watch.peak_bytes = max(watch.peak_bytes, total)


def one_run(name: str) -> dict[str, Any]:
    """Run one episode in this process and return its figures."""
    watch, over = Stopwatch(), threading.Event()
    with (
        ModelServer(watch.reply, models=("test-model",), key=KEY) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        if name == BARE:
            planner, config = "scripted", {"calls": CALLS}
        else:
            planner, model, path = PLANNERS[name]
            config = {"model": model, "base_url": server.url + path}
        request = RunRequest(
            robot="fake",
            planner=planner,
            planner_config=config,
            output_dir=Path(folder),
            progress="quiet",
            record_video=False,
        )
        watcher = threading.Thread(target=watch_memory, args=(watch, over), daemon=True)
        watcher.start()
        watch.began = time.monotonic()
        outcome = execute(request, registry=FakeRegistry(), on_event=watch.on_event)
        over.set()
        watcher.join()
    if outcome.planner_status != "stuck":
        raise SystemExit(f"{name}: {outcome.detail}")
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "start_s": (watch.requests[0] if watch.requests else watch.first_call) - watch.began,
        "turns_s": watch.turns_s,
        "cpu_s": sum(usage.ru_utime + usage.ru_stime for usage in used),
        "peak_mb": watch.peak_bytes / 1e6,
    }


def in_a_process(name: str) -> dict[str, Any]:
    """Run one episode in a process of its own, so that nothing is warm."""
    env = dict(os.environ) | {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "CODEX_API_KEY": KEY}
    command = [sys.executable, __file__, "--one", name]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Run all planners in turn, so that a busy machine slows all; a first round fills the disk's cache."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in (BARE, *PLANNERS)}
    for number in range(rounds + 1):
        for name, runs in found.items():
            one = in_a_process(name)
            if number:
                runs.append(one)
    bare = {key: statistics.median(run[key] for run in found[BARE]) for key in ("cpu_s", "start_s")}
    return {
        name: {
            "start_s": statistics.median(run["start_s"] for run in runs) - bare["start_s"],
            "turn_s": statistics.median(turn for run in runs for turn in run["turns_s"]),
            "cpu_s": statistics.median(run["cpu_s"] for run in runs) - bare["cpu_s"],
            "peak_mb": statistics.median(run["peak_mb"] for run in runs),
        }
        for name, runs in found.items()
        if name != BARE
    }


def table(found: dict[str, dict[str, float]]) -> str:
    """Return the table in Markdown."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    lines = [
        f"# What the agent runtimes cost ({machine})",
        "",
        f"Written by `python benchmarks/planner_overhead.py`: the fake robot, {len(CALLS)} turns, a model server that",
        f"answers at once, {ROUNDS} runs each, medians.",
        "",
        "| planner | start | a turn | CPU of a run | memory of its processes |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {name} | {row['start_s']:.2f} s | {row['turn_s'] * 1000:.0f} ms | {row['cpu_s']:.1f} s "
        f"| {_memory(row['peak_mb'])} |"
        for name, row in found.items()
    ]
    return "\n".join(lines) + "\n"


def _memory(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes > 1 else "in process"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", help="run one planner once and print its figures")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(one_run(arguments.one)))
        return
    found = measure(arguments.rounds)
    print(table(found))
    RESULTS.joinpath("planner_overhead.json").write_text(json.dumps(found, indent=2) + "\n")
    RESULTS.joinpath("planner_overhead.md").write_text(table(found))


if __name__ == "__main__":
    main()
