"""`kill -9` anywhere, then resume: the same result files, byte for byte, as the same run left alone.

Real stages, workers and trainings on CartPole, with budgets as small as they go.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.runs import list_runs
from rpent_robosmith.workflow.state import NODES

if TYPE_CHECKING:
    from rpent_robosmith.workflow.state import RunState

pytestmark = [
    pytest.mark.models,
    pytest.mark.usefixtures("robosmith_python"),
    pytest.mark.timeout(1800),  # many short processes: quick alone, slow beside others
]

SCRIPT = Path(__file__).with_name("killed.py")
TIMEOUT_S = 300


def start(runs_dir: Path, point: str) -> int:
    """Run until the process kills itself or ends; returns its exit code."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(runs_dir), point],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    print(f"--- {point}: {done.returncode}\n{done.stdout}")
    return done.returncode


def kill_at(runs_dir: Path, points: list[str]) -> None:
    for point in points:
        assert start(runs_dir, point) == -signal.SIGKILL, point
        (run,) = list_runs(runs_dir)
        assert run.status == "interrupted"


def result(runs_dir: Path) -> tuple[RunState, dict[str, bytes]]:
    """Return the final state and the delivered files."""
    (run,) = list_runs(runs_dir)
    state = checkpoint.load(run.path).state
    return state, {name: (run.path / name).read_bytes() for name in state.files}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunState, dict[str, bytes]]:
    """The run that nobody kills."""
    runs_dir = tmp_path_factory.mktemp("reference")
    assert start(runs_dir, "none") in {0, 1}
    return result(runs_dir)


def check(runs_dir: Path, reference: tuple[RunState, dict[str, bytes]]) -> None:
    assert start(runs_dir, "none") in {0, 1}
    state, files = result(runs_dir)
    expected, expected_files = reference
    for name in expected_files:
        assert files[name] == expected_files[name], name
    assert state.files == expected.files
    assert [(r.node, r.iteration, r.status) for r in state.history] == [
        (r.node, r.iteration, r.status) for r in expected.history
    ]


def test_the_reference_is_worth_comparing_with(reference: tuple[RunState, dict[str, bytes]]) -> None:
    state, files = reference
    assert len(state.trainings) == 2
    assert {
        "reward_function.py",
        "report.md",
        "eval_report.json",
        "task_spec.json",
        "policy_rollout.mp4",
    } <= set(files)
    assert {"policy/policy.json", "policy/policy.safetensors"} <= set(files)
    assert json.loads(files["eval_report.json"])["seeds"]["evaluation"] == list(range(1_000_000, 1_000_004))


def test_killed_at_the_end_of_every_node(
    tmp_path: Path, reference: tuple[RunState, dict[str, bytes]]
) -> None:
    kill_at(tmp_path, [f"node:{node}" for node in NODES])
    check(tmp_path, reference)


def test_killed_in_the_middle_and_while_writing_checkpoints(
    tmp_path: Path, reference: tuple[RunState, dict[str, bytes]]
) -> None:
    points = [
        "checkpoint:2",
        *("label:try:0.3", "label:try:0.9"),
        *("label:train:0.25", "label:train:0.5", "label:train:0.95"),
        *("label:evaluate:0.0", "checkpoint:3", "label:film:0.0"),
    ]
    kill_at(tmp_path, points)
    check(tmp_path, reference)
