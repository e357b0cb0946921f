"""Wheels alone, without a simulator, drive a LIBERO env that is served by an environment that has one."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from rpent.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TASK = ("--suite", "libero_object_swap", "--task", "2", "--seed", "0")
START_S = 240.0
RECIPE = (
    {"name": "grasp", "arguments": {"target": "salad dressing"}},
    {"name": "place", "arguments": {"on": "basket", "relation": "in"}},
)


@pytest.fixture
def token(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(secrets.token_hex(32))
    path.chmod(0o600)
    return path


@pytest.fixture
def served(tmp_path: Path, token: Path) -> Iterator[str]:
    """The endpoint of `rpent serve libero/env`, run by this environment."""
    log = tmp_path / "serve.log"
    command = [sys.executable, "-m", "rpent", "serve", "libero/env", *TASK]
    command += ["--endpoint", "zmq+tcp://127.0.0.1:0", "--token-file", str(token)]
    with log.open("w") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    try:
        yield _endpoint(server, log)
    finally:
        server.terminate()
        server.wait(30)


def _endpoint(server: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"zmq\+tcp://127\.0\.0\.1:[1-9]\d*", log.read_text())
        if found:
            return found.group()
        time.sleep(0.2)
    raise AssertionError(f"the server did not start:\n{log.read_text()}")


@pytest.mark.wheels
@pytest.mark.sim
def test_light_wheels_replay_a_recipe_on_a_served_env(fresh_environment, served, token):
    env = fresh_environment
    env.install("rpent-core", "rpent-transport-zmq", "rpent-robot-libero")
    for simulator in ("mujoco", "robosuite", "libero"):
        assert env.run("python", "-c", f"import {simulator}").returncode != 0
    recipe = env.folder / "recipe.jsonl"
    recipe.write_text("".join(json.dumps(call) + "\n" for call in RECIPE))
    attach = ("--env-endpoint", served, "--token-file", str(token))
    run = ("run", "--robot", "libero", *TASK, "--planner", "replay", "--recipe", str(recipe))
    done = env.run("rpent", *run, *attach)
    assert done.returncode == ExitCode.SUCCESS, done.stdout + done.stderr
    (record,) = (env.folder / "runs").glob("*/run.json")
    outcome = json.loads(record.read_text())
    assert outcome["outcome"]["benchmark_success"] is True
    assert outcome["privileged_perceptors"] == ["libero-sim"]

    wrong_token = env.folder / "wrong"
    wrong_token.write_text(secrets.token_hex(32))
    refused = env.run("rpent", *run, "--env-endpoint", served, "--token-file", str(wrong_token))
    assert refused.returncode == ExitCode.INFRASTRUCTURE
    assert "token" in refused.stderr
    assert "Traceback" not in refused.stderr
