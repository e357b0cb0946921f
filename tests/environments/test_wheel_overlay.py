"""An agent that was installed from wheels links what it has into other interpreters."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rpent.environments.uv import find_uv

ROOT = Path(__file__).parents[2]
MEMBERS = ("rpent-core", "rpent-transport-zmq", "rpent-manipulation", "rpent-robot-libero")
LOOK = """
import json
from rpent.environments.distributions import linked_distributions
from rpent.environments.overlay import overlay
from rpent.environments.lock import read_lock
from rpent_robot_libero.environment import LIBERO_ENVIRONMENT

folder = overlay(linked_distributions("rpent-robot-libero"))
targets = {entry.name: str(entry.resolve()) for entry in folder.iterdir()}
print(json.dumps({"targets": targets, "lock": "mujoco==" in read_lock(LIBERO_ENVIRONMENT)}))
"""


@pytest.mark.wheels
def test_a_wheel_install_links_its_packages_and_metadata(tmp_path):
    for member in MEMBERS:
        run(
            find_uv(),
            "build",
            "--quiet",
            "--wheel",
            "--package",
            member,
            "--out-dir",
            tmp_path / "dist",
            cwd=ROOT,
        )
    run(find_uv(), "venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(find_uv(), "pip", "install", "--quiet", "--python", python, *(tmp_path / "dist").glob("*.whl"))
    seen = json.loads(run(python, "-c", LOOK, cwd=tmp_path, RPENT_CACHE_DIR=str(tmp_path / "cache")))
    assert seen["lock"]
    assert {"rpent", "rpent_transport_zmq", "rpent_robot_libero"} <= set(seen["targets"])
    assert sum(name.endswith(".dist-info") for name in seen["targets"]) == len(MEMBERS)
    assert all(Path(target).is_relative_to(tmp_path / "venv") for target in seen["targets"].values())


def run(*command, cwd=None, **environment):
    left_out = ("PYTHONPATH", "VIRTUAL_ENV")
    environ = {name: value for name, value in os.environ.items() if name not in left_out}
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
