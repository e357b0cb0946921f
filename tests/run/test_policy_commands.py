"""`rpent run --policy` and `rpent serve policy` as a user types them, with real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from rpent.errors import ExitCode
from rpent.testing.fake_robot.robot import solution
from rpent.testing.policies.fake import make_checkpoint


@pytest.fixture(autouse=True)
def plugins(plugin_site):
    plugin_site.add_fake_robot()
    plugin_site.add_fake_policy()


@pytest.fixture
def checkpoint(tmp_path):
    return make_checkpoint(tmp_path / "checkpoint")


@pytest.fixture
def run(run_cli, tmp_path):
    """Run the fake robot's solution; returns the result and the run directory."""
    recipe = tmp_path / "recipe.jsonl"
    calls = [*solution()[:1], ("vla_do", {"prompt": "wave", "max_chunks": 1}), *solution()]
    recipe.write_text("".join(json.dumps({"name": name, "arguments": args}) + "\n" for name, args in calls))
    runs = tmp_path / "runs"

    def start(*args):
        result = run_cli(
            *("run", "--robot", "fake", "--planner", "replay", "--recipe", str(recipe)),
            *("--output-dir", str(runs), "--progress", "plain", *args),
        )
        return result, next((path.parent for path in runs.rglob("run.json")), None)

    return start


def manifest_of(run_dir: Path) -> dict:
    return json.loads((run_dir / "run.json").read_text())


def test_a_run_starts_its_policy_and_says_what_it_loads(run, checkpoint, run_cli):
    result, run_dir = run("--policy", "fake", "--checkpoint", str(checkpoint), "--load-s", "1.2")
    assert result.exit_code == ExitCode.SUCCESS, result.stderr
    assert "service vla: loading: reading the weights" in result.stderr
    assert "→ vla_do" in result.stderr
    manifest = manifest_of(run_dir)
    assert manifest["policy"]["config"]["checkpoint"] == str(checkpoint)
    assert manifest["policy"]["served"]["layout"] == "front"
    assert manifest["policy"]["served"]["backend"] == "fake"
    assert manifest["services"]["vla"]["owned"]
    assert "policy      fake" in (shown := run_cli("show", str(run_dir)).stdout)
    assert "layout front  [rpent-policy-fake 1.0.0]" in shown


def test_a_resumed_run_starts_the_same_policy(run, checkpoint, run_cli):
    _, run_dir = run("--policy", "fake", "--checkpoint", str(checkpoint), "--max-tool-calls", "1")
    result = run_cli("resume", str(run_dir), "--max-tool-calls", "none", "--json")
    assert result.exit_code == ExitCode.SUCCESS, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    vla = [event["state"] for event in events if event["type"] == "service" and event["service"] == "vla"]
    assert (vla[0], vla[-1]) == ("starting", "ready")
    assert manifest_of(run_dir)["policy"]["served"]["checkpoint"] == str(checkpoint)


def test_a_replay_starts_the_policy_too(run, checkpoint, run_cli):
    _, run_dir = run("--policy", "fake", "--checkpoint", str(checkpoint))
    result = run_cli("replay", str(run_dir), "--output-dir", str(run_dir.parent), "--quiet")
    assert result.exit_code == ExitCode.SUCCESS, result.stderr


@contextmanager
def serving(*args: str, token_file: Path):
    """Serve a policy in a process; yields its endpoint."""
    command = [sys.executable, "-m", "rpent", "serve", "policy", "--backend", "fake", *args]
    process = subprocess.Popen(
        [*command, "--token-file", str(token_file)], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Serving "):
                yield line.split(" at ")[1].split()[0], lines
                break
        else:
            raise AssertionError(f"it did not serve: {lines}")
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_a_served_policy_for_the_robot_is_attached_to(run, checkpoint, tmp_path):
    token = tmp_path / "token"
    with serving("--checkpoint", str(checkpoint), "--embodiment", "fake", token_file=token) as (place, lines):
        assert any(line.startswith("loading: reading the weights") for line in lines)
        result, run_dir = run("--vla-endpoint", place, "--token-file", str(token))
    assert result.exit_code == ExitCode.SUCCESS, result.stderr
    manifest = manifest_of(run_dir)
    assert manifest["policy"] == {"served": manifest["policy"]["served"]}
    assert not manifest["services"]["vla"]["owned"]


def test_one_that_serves_no_robot_is_refused_before_the_first_action(run, checkpoint, tmp_path):
    token = tmp_path / "token"
    with serving("--checkpoint", str(checkpoint), token_file=token) as (place, _):
        result, run_dir = run("--vla-endpoint", place, "--token-file", str(token))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert (
        "The policy server serves no robot; this run needs one for `fake`." in result.stdout + result.stderr
    )
    assert not any("tool_called" in line for line in (run_dir / "events.jsonl").read_text().splitlines())


def test_a_checkpoint_that_does_not_fit_leaves_no_run_behind(run, tmp_path):
    result, run_dir = run("--policy", "fake", "--checkpoint", str(tmp_path / "nowhere"))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "nowhere" in result.stderr
    assert run_dir is None
