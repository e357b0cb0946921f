"""Ctrl-C ends a run in order: exit code 130, one JSON document, and a run that can be resumed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from rpent_robosmith.workflow.runs import list_runs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.models, pytest.mark.usefixtures("robosmith_python")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts(tmp_path: Path, number: signal.Signals) -> None:
    words = ["smith", "run", "balance the pole", "--environment", "cartpole", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "rpent", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 120
        while not any(
            run.record and run.record.node == "reward" for run in list_runs(tmp_path / "robosmith_runs")
        ):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()

    document = json.loads(out)
    assert process.returncode == 130
    assert (document["status"], document["accepted"], document["exit_code"]) == ("interrupted", False, 130)
    assert "Traceback" not in err
    (run,) = list_runs(tmp_path / "robosmith_runs")
    assert run.status == "interrupted"
    assert run.record is not None
    assert (run.record.node, run.record.iteration) == ("reward", 1)
    assert "rpent smith resume balance-pole-001" in run.record.hint
