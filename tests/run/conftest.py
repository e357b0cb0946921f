"""Runs of the fake robot in this process, and in processes that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from rpent.run import RunRequest, execute
from rpent.testing.registry import FakeRegistry

DRIVER = """
import json, sys
from pathlib import Path
from rpent.run import Explore, RunRequest, execute, explore, resume
from rpent.testing.registry import FakeRegistry

if __name__ == "__main__":
    action, values = sys.argv[1], json.loads(sys.argv[2])
    if action == "run":
        values["output_dir"] = Path(values["output_dir"])
        if "explore" in values:
            values["explore"] = Explore(**values["explore"])
        request = RunRequest(robot="fake", planner="scripted", progress="plain", **values)
        run = explore if request.explore else execute
        outcome = run(request, registry=FakeRegistry())
    else:
        outcome = resume(Path(values["run_dir"]), registry=FakeRegistry(), progress="plain")
    sys.exit(int(outcome.exit_code))
"""


@pytest.fixture(autouse=True)
def memory_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory of the test's own, also for the processes that it starts."""
    monkeypatch.setenv("RPENT_MEMORY_DIR", str(tmp_path / "memory"))
    return tmp_path / "memory"


@pytest.fixture
def run_fake(tmp_path: Path) -> Callable[..., Any]:
    """Run an episode of the fake robot in this process."""

    def run(calls: list[Any], *, robot_config: dict[str, Any] | None = None, **changes: Any) -> Any:
        keywords = {name: changes.pop(name) for name in ("registry", "cancel", "on_event") if name in changes}
        request = RunRequest(
            robot="fake",
            planner=changes.pop("planner", "scripted"),
            planner_config=changes.pop("planner_config", {"calls": calls}),
            robot_config=robot_config or {},
            output_dir=changes.pop("output_dir", tmp_path / "runs"),
            progress="quiet",
            **changes,
        )
        return execute(request, **{"registry": FakeRegistry(), **keywords})

    return run


class Process:
    """A run in a process of its own."""

    def __init__(self, tmp_path: Path, action: str, values: dict[str, Any]) -> None:
        self.runs = tmp_path / "runs"
        script = tmp_path / "driver.py"
        script.write_text(DRIVER)
        self._popen = subprocess.Popen(
            [sys.executable, str(script), action, json.dumps(values)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def run_dir(self) -> Path:
        return next(path.parent for path in self.runs.rglob("run.json"))

    def wait_for_event(
        self, wanted: Callable[[dict[str, Any]], bool], timeout_s: float = 60.0
    ) -> dict[str, Any]:
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for event in self.events():
                if wanted(event):
                    return event
            if self._popen.poll() is not None:
                raise AssertionError(f"the run ended early:\n{self._popen.stdout.read()}")
            time.sleep(0.02)
        raise AssertionError(f"no such event; last: {self.events()[-3:]}")

    def events(self) -> list[dict[str, Any]]:
        if not any(self.runs.rglob("run.json")):
            return []
        path = self.run_dir / "events.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self, timeout_s: float = 60.0) -> tuple[int, str]:
        output, _ = self._popen.communicate(timeout=timeout_s)
        return self._popen.returncode, output

    def descendants(self) -> list[psutil.Process]:
        return psutil.Process(self.pid).children(recursive=True)


@pytest.fixture
def start_run(tmp_path: Path):
    """Start a run (or, with `run_dir`, resume one) in a process."""
    started: list[Process] = []

    def start(action: str, **values: Any) -> Process:
        if action == "run":
            values.setdefault("output_dir", str(tmp_path / "runs"))
        process = Process(tmp_path, action, values)
        started.append(process)
        return process

    yield start
    for process in started:
        if process._popen.poll() is None:
            process._popen.kill()
            process._popen.wait()
