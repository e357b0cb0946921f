"""However the owner ends, its worker ends with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent


def gone(pid: int) -> bool:
    """Wait until a process has ended; returns whether it did."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@contextmanager
def owner(job: str, **params: Any) -> Iterator[tuple[subprocess.Popen[str], dict[str, int]]]:
    process = subprocess.Popen(
        [sys.executable, str(FOLDER / "owner.py"), job, json.dumps(params)],
        env={**os.environ, "PYTHONPATH": str(FOLDER)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "params", [{"talks": True}, {"talks": False}, {"busy": True}, {"sealed": True, "busy": True}]
)
def test_a_worker_does_not_outlive_an_owner_that_was_killed(params: dict[str, bool]) -> None:
    with owner("jobs:hang", **params) as (process, pids):
        process.kill()
        assert gone(pids["worker"])


def test_an_interrupt_ends_the_worker_and_its_children_first() -> None:
    with owner("jobs:hang", talks=True) as (process, pids):
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert gone(pids["worker"])
        assert gone(pids["child"])


def test_an_interrupt_of_the_whole_terminal_is_the_owners_to_handle() -> None:
    """Ctrl-C goes to every process of the terminal; a worker leaves it to its owner."""
    with owner("jobs:hang", talks=True) as (process, pids):
        os.kill(pids["worker"], signal.SIGINT)
        time.sleep(0.2)
        assert Path(f"/proc/{pids['worker']}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
