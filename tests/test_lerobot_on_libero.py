"""Tiny ACT, diffusion and SmolVLA policies of LeRobot drive the real LIBERO, as tools of runs of the command line."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rpent.errors import ExitCode
from rpent.runs.events import read_events
from rpent.testing.environments import python_for, run_code

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAMILIES = ("act", "diffusion", "smolvla")
TASK = ("--suite", "libero_object_swap", "--task", "2", "--seed", "0")
CALLS = (
    {"name": "pi0_doubled", "arguments": {"prompt": "put the salad dressing in the basket", "max_chunks": 2}},
    {"name": "vla_do", "arguments": {"prompt": "pick up the salad dressing", "max_chunks": 1}},
)
STEPS_PER_CHUNK = 8
START_S = 240.0
MAKE = """
import sys
from pathlib import Path
from rpent_policy_lerobot.server import sdk
sdk.prepare()
from rpent_policy_lerobot.server.tiny.checkpoint import Sizes, make
cameras = ("observation.images.image", "observation.images.image2")
for family in sys.argv[2:]:
    make(family, Path(sys.argv[1]) / family, Sizes(cameras, picture=256, state=8, action=7, chunk=16, execute=8))
"""

pytestmark = [pytest.mark.sim, pytest.mark.models, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny checkpoint of each family."""
    folder = tmp_path_factory.mktemp("checkpoints")
    run_code("lerobot", MAKE, folder, *FAMILIES, distribution="rpent-policy-lerobot")
    return folder


@pytest.fixture(scope="module")
def attach(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """Options that attach a run to the one LIBERO server of these tests."""
    folder = tmp_path_factory.mktemp("served")
    token, log = folder / "token", folder / "serve.log"
    token.write_text(secrets.token_hex(32))
    token.chmod(0o600)
    command = [sys.executable, "-m", "rpent", "serve", "libero/env", *TASK]
    command += ["--endpoint", "127.0.0.1:0", "--token-file", str(token)]
    with log.open("w") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    try:
        yield ("--env-endpoint", _endpoint(server, log), "--token-file", str(token))
    finally:
        server.terminate()
        server.wait(30)


def _endpoint(server: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:[1-9]\d*", log.read_text()):
            return found.group()
        time.sleep(0.2)
    raise AssertionError(f"the server did not start:\n{log.read_text()}")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_tiny_policy_drives_libero(family, checkpoints, attach, tmp_path):
    recipe = tmp_path / "recipe.jsonl"
    recipe.write_text("".join(json.dumps(call) + "\n" for call in CALLS))
    done = rpent(
        "run", "--robot", "libero", *TASK, "--planner", "replay", "--recipe", str(recipe), *attach, "--no-video",
        "--policy", "lerobot", "--checkpoint", str(checkpoints / family), "--device", "cpu",
        "--policy-python", python_for("lerobot"), "--output-dir", str(tmp_path / "runs"),
    )  # fmt: skip
    assert done.returncode == ExitCode.TASK_FAILED, done.stdout + done.stderr
    assert "service vla: loading" in done.stderr

    (run,) = (tmp_path / "runs").glob("*")
    assert "loading the weights" in (run / "logs" / "vla.log").read_text()
    served = json.loads((run / "run.json").read_text())["policy"]["served"]
    assert (served["family"], served["layout"]) == (family, "lerobot")
    called = [event for event in read_events(run / "events.jsonl") if event.type == "tool_returned"]
    by_name = {event.name: event.data for event in called}
    for call in CALLS:
        data, chunks = by_name[call["name"]], call["arguments"]["max_chunks"]
        assert (data["stopped"], data["chunks"]) == ("chunks", chunks), data
        assert data["steps"] == chunks * STEPS_PER_CHUNK
    actions = np.concatenate([np.load(file) for file in sorted(run.glob("steps/*/actions.npy"))])
    assert actions.shape == (3 * STEPS_PER_CHUNK, 7)
    assert np.abs(actions[:, :6]).max() > 0


def test_a_checkpoint_for_another_robot_is_refused_before_anything_starts(checkpoints, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for file in (checkpoints / "smolvla").iterdir():
        (other / file.name).symlink_to(file)
    config = json.loads((other / "config.json").read_text())
    config["input_features"]["observation.images.top"] = config["input_features"].pop(
        "observation.images.image"
    )
    (other / "config.json").unlink()
    (other / "config.json").write_text(json.dumps(config))
    recipe = tmp_path / "recipe.jsonl"
    recipe.write_text(json.dumps(CALLS[0]) + "\n")
    command = ("run", "--robot", "libero", *TASK, "--planner", "replay", "--recipe", str(recipe))
    done = rpent(
        *command, "--policy", "lerobot", "--checkpoint", str(other), "--output-dir", str(tmp_path / "runs")
    )
    assert done.returncode == ExitCode.INFRASTRUCTURE
    assert "camera `observation.images.top`" in done.stderr
    assert "Traceback" not in done.stderr


def rpent(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    return subprocess.run(
        [sys.executable, "-m", "rpent", *arguments],
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
