"""The policy bc on the real benchmark: trained from recorded runs, served, and called by `vla_pick` in runs.

The checkpoint in `policies/data` picks in some initial states only; those here are among them, and not among those
that it learned from.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rpent.run import RunRequest, execute
from rpent.runs.directory import RunDirectory
from rpent.runs.events import ToolReturned, read_events
from rpent.runs.outcome import Outcome
from rpent.runs.steps import read_actions, read_snapshot
from rpent.testing.environments import python_for
from rpent.testing.registry import FakeRegistry

pytestmark = pytest.mark.sim

SHIPPED = Path(__file__).parent / "policies" / "data" / "bc_bowl"
PICK = ("vla_pick", {"prompt": "pick up the salad dressing"})
DRESSING = {"suite": "libero_object_swap", "task": 2}
BOWL = {"suite": "libero_spatial", "task": 7}
"""The bowl on the stove stands elsewhere in each initial state: a grasp recorded in one misses it in others."""
PICK_BOWL = ("vla_pick", {"prompt": "pick up the akita black bowl"})
PLACE_BOWL = ("place", {"on": "plate", "relation": "on"})
FINISH = ("finish", {"status": "success", "summary": "The test is over."})
EXECUTE_STEPS, LIFT_M = 8, 0.05
PICKED_SEEDS = (45, 47, 49)


def run(output: Path, task: dict[str, Any], seed: int, planner: str = "flash", **options: Any) -> Outcome:
    request = RunRequest(
        robot="libero",
        robot_config={**task, "seed": seed},
        planner=planner,
        output_dir=output,
        progress="quiet",
        record_video=False,
        **options,
    )
    return execute(request, registry=FakeRegistry())


def run_with_policy(
    output: Path, task: dict[str, Any], seed: int, checkpoint: Path, calls: list[Any]
) -> Outcome:
    return run(
        output,
        task,
        seed,
        "scripted",
        planner_config={"calls": [*calls, FINISH]},
        policy="bc",
        policy_config={"checkpoint": str(checkpoint), "device": "cpu"},
        pythons={"vla": python_for("torch")},
    )


def answers(outcome: Outcome) -> dict[str, dict[str, Any]]:
    events = read_events(outcome.run_dir / "events.jsonl")
    return {event.name: event.data for event in events if isinstance(event, ToolReturned)}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    for seed in range(3):
        assert run(folder, DRESSING, seed).benchmark_success
    return folder


def test_the_recorded_actions_lead_from_step_to_step(recorded: Path) -> None:
    from rpent.env.client import EnvClient
    from rpent.testing import LocalChannel
    from rpent_robot_libero.config import EnvServerConfig
    from rpent_robot_libero.server.create import create

    directory = RunDirectory(sorted(recorded.iterdir())[0])
    env = EnvClient(LocalChannel(create(EnvServerConfig(suite="libero_object_swap", task=2))))
    try:
        for step in (1, 2):
            before, after = (simulator_part(read_snapshot(directory, each)) for each in (step - 1, step))
            actions = read_actions(directory, step)
            assert actions is not None
            env.restore(before)
            env.chunk_step(actions)
            assert env.snapshot() == after
    finally:
        env.channel.close()


def simulator_part(snapshot: bytes) -> bytes:
    """Return what the env server saved; the toolkit writes what the hand holds before it."""
    return snapshot[4 + int.from_bytes(snapshot[:4], "little") :]


@pytest.mark.models
@pytest.mark.timeout(900)
def test_trained_served_and_called(recorded: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "policy"
    command = [sys.executable, "-m", "rpent", "policy", "train-bc", str(recorded), "--out", str(checkpoint)]
    command += ["--size", "48", "--every", "4", "--perturbed", "0", "--epochs", "120", "--processes", "1"]
    done = subprocess.run(
        [*command, "--python", python_for("torch")], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "3 demonstrations in 3 of 3 runs" in done.stderr
    facts = json.loads((checkpoint / "config.json").read_text())["training"]
    assert facts["instructions"] == ["pick up the salad dressing"]
    assert facts["loss"] < 0.7 * facts["first_loss"]

    name, arguments = PICK
    outcome = run_with_policy(
        tmp_path / "runs", DRESSING, 40, checkpoint, [(name, {**arguments, "max_chunks": 4})]
    )
    assert outcome.reason == "finished", outcome.detail
    picked = answers(outcome)[name]
    assert picked["held"] is picked["ok"]
    assert bool(picked["reason"]) is not picked["held"]
    assert 1 <= picked["chunks"] <= 4
    assert picked["steps"] <= picked["chunks"] * EXECUTE_STEPS
    actions = read_actions(RunDirectory(outcome.run_dir), picked["step"])
    assert actions is not None
    assert actions.shape == (picked["steps"], 7)
    assert set(np.unique(actions[:, 6])) <= {-1.0, 1.0}
    assert np.abs(actions[:, :6]).max() > 0.1


@pytest.mark.models
@pytest.mark.timeout(600)
def test_a_trained_policy_picks_what_stands_elsewhere(tmp_path: Path) -> None:
    """In most of the initial states that the benchmark saw it succeed in: another CPU rounds in another way."""
    solved = 0
    for seed in PICKED_SEEDS:
        outcome = run_with_policy(tmp_path, BOWL, seed, SHIPPED, [PICK_BOWL, PLACE_BOWL])
        picked = answers(outcome)["vla_pick"]
        assert picked["held"] is (picked["lifted_m"] >= LIFT_M and picked["stopped"] == "done"), picked
        solved += bool(picked["held"] and outcome.benchmark_success)
    assert solved >= len(PICKED_SEEDS) - 1
