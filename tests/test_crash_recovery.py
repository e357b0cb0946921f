"""Kill -9 and Ctrl-C in the middle of a primitive, on the real simulator, with the commands that users type."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

pytestmark = pytest.mark.sim

EPISODE = [
    "--robot",
    "libero",
    "--suite",
    "libero_object_swap",
    "--task",
    "2",
    "--seed",
    "0",
    "--planner",
    "flash",
]


class LiveRun:
    """`rpent run` in a process of its own, followed through its event log."""

    def __init__(self, output_dir):
        self.output_dir = output_dir
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rpent", "run", *EPISODE, "--output-dir", str(output_dir)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @property
    def run_dir(self):
        return next(self.output_dir.iterdir())

    def events(self):
        if not self.output_dir.is_dir() or not (logs := list(self.output_dir.glob("*/events.jsonl"))):
            return []
        return [
            json.loads(line)
            for line in logs[0].read_bytes().splitlines(keepends=True)
            if line.endswith(b"\n")
        ]

    def wait_until_tool(self, name, timeout_s=180.0):
        """Wait until a call of the tool is under way, and a little longer."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if any(event["type"] == "tool_called" and event["name"] == name for event in self.events()):
                time.sleep(0.3)
                return
            assert self.process.poll() is None, self.process.stdout.read()
            time.sleep(0.02)
        raise AssertionError(f"`{name}` was not called")

    def children(self):
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, timeout_s=180.0):
        output, _ = self.process.communicate(timeout=timeout_s)
        return self.process.returncode, output

    def manifest(self):
        return json.loads((self.run_dir / "run.json").read_text())


@pytest.fixture
def live(tmp_path):
    run = LiveRun(tmp_path / "runs")
    yield run
    if run.process.poll() is None:
        run.process.kill()
        run.process.communicate()


def all_gone(processes):
    return not psutil.wait_procs(processes, timeout=20)[1]


def test_the_env_server_is_killed_in_a_primitive(live):
    live.wait_until_tool("grasp")
    ready = next(event for event in live.events() if event["type"] == "service" and event["state"] == "ready")
    os.kill(ready["pid"], signal.SIGKILL)
    code, output = live.end()
    assert code == 0, output
    types = [event["type"] for event in live.events()]
    assert types.count("recovered") == 1
    assert live.manifest()["outcome"]["benchmark_success"] is True


def test_the_run_is_killed_and_resumed(live):
    live.wait_until_tool("place")
    children = live.children()
    live.process.kill()
    live.end()
    assert children
    assert all_gone(children)
    assert live.manifest()["outcome"] is None
    resumed = subprocess.run(
        [sys.executable, "-m", "rpent", "resume", "latest", "--output-dir", str(live.output_dir)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert resumed.returncode == 0, resumed.stderr
    assert "benchmark: success" in resumed.stdout
    events = live.events()
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert live.manifest()["outcome"]["benchmark_success"] is True
    assert (live.run_dir / "episode.mp4").stat().st_size > 1000


def test_ctrl_c(live):
    live.wait_until_tool("grasp")
    children = live.children()
    live.process.send_signal(signal.SIGINT)
    code, output = live.end(60)
    assert code == 130, output
    assert all_gone(children)
    assert live.manifest()["outcome"]["reason"] == "interrupted"
    assert live.events()[-1]["type"] == "run_ended"
    assert (live.run_dir / "episode.mp4").is_file()
    json.loads((live.run_dir / "transcript.json").read_text())
