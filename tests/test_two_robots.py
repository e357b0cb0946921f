"""Both robots from one agent's environment and one process, one after the other; their simulators never meet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from rpent_robot_robocasa.testing.installed import require_simulator

pytestmark = pytest.mark.sim

PROGRAM = """
import json, sys
from pathlib import Path
from rpent.run import RunRequest, execute

robots = (
    ("libero", {"suite": "libero_object_swap", "task": 2, "seed": 0}),
    ("robocasa", {"task_name": "StartCoffeeMachine", "seed": 0, "assets": "placeholder"}),
    ("libero", {"suite": "libero_object_swap", "task": 2, "seed": 1}),
)
told = []
for robot, config in robots:
    request = RunRequest(
        robot=robot, robot_config=config, planner="flash", output_dir=Path(sys.argv[1]), progress="quiet",
        record_video=False,
    )
    outcome = execute(request)
    manifest = json.loads((outcome.run_dir / "run.json").read_text())
    told.append([robot, outcome.benchmark_success, outcome.detail, manifest["caveats"]])
met = sorted({"mujoco", "robosuite", "libero", "robocasa"} & set(sys.modules))
Path(sys.argv[1], "told.json").write_text(json.dumps({"told": told, "met": met}))
"""


@pytest.mark.timeout(600)
def test_one_after_the_other(tmp_path: Path) -> None:
    pytest.importorskip("libero")
    require_simulator()
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=580)
    assert ended.returncode == 0, ended.stderr[-4000:]
    answer = json.loads((tmp_path / "told.json").read_text())
    solved = [(robot, success) for robot, success, _, _ in answer["told"]]
    assert solved == [("libero", True), ("robocasa", True), ("libero", True)], answer["told"]
    assert [bool(caveats) for *_, caveats in answer["told"]] == [False, True, False]
    assert answer["met"] == []
