"""Tiny models of transformers in real runs of LIBERO: a PI0 moves the robot, a SAM 3 finds things and is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rpent.errors import ExitCode
from rpent.run import RunRequest, execute
from rpent.runs.events import read_events
from rpent.testing.environments import python_for, run_code
from rpent.testing.registry import FakeRegistry

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from rpent.run import Outcome

pytestmark = [pytest.mark.sim, pytest.mark.models, pytest.mark.timeout(900)]

EPISODE = {"suite": "libero_object_swap", "task": 2, "seed": 0}
MAKE = "import sys, pathlib; from {module}.server.tiny import make; make(pathlib.Path(sys.argv[1]))"
FINISH = ("finish", {"status": "stuck", "summary": "The test is over."})
CHUNK = 16


@pytest.fixture(scope="module")
def pi0(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny PI0."""
    folder = tmp_path_factory.mktemp("pi0") / "tiny"
    run_code("transformers", MAKE.format(module="rpent_policy_pi0"), folder, distribution="rpent-policy-pi0")
    return folder


@pytest.fixture(scope="module")
def sam3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny SAM 3."""
    folder = tmp_path_factory.mktemp("sam3") / "tiny"
    distribution = "rpent-perception-sam3"
    run_code("transformers", MAKE.format(module="rpent_perception_sam3"), folder, distribution=distribution)
    return folder


def run(tmp_path: Path, sam3: Path, calls: list[tuple[str, dict[str, Any]]], **more: Any) -> Outcome:
    """Run an episode with SAM 3 as the perceptor; it finds everything."""
    python = python_for("transformers")
    on_event = more.pop("on_event", None)
    request = RunRequest(
        robot="libero",
        robot_config=EPISODE,
        planner="scripted",
        planner_config={"calls": [*calls, FINISH], "retry": False},
        perceptor="sam3",
        perceptor_service_config={"checkpoint": str(sam3), "score_threshold": 0.0, "device": "cpu"},
        pythons={"perception": python, **({"vla": python} if "policy" in more else {})},
        output_dir=tmp_path / "runs",
        progress="quiet",
        record_video=False,
        **more,
    )
    return execute(request, registry=FakeRegistry(), on_event=on_event)


def answers(outcome: Outcome) -> list[tuple[str, dict[str, Any]]]:
    """Return what the tools answered, in order."""
    events = read_events(outcome.run_dir / "events.jsonl")
    return [(event.name, event.data) for event in events if event.type == "tool_returned"]


def test_pi0_moves_and_sam3_finds(tmp_path, pi0, sam3):
    calls = [
        ("segment", {"prompt": "salad dressing"}),
        ("segment", {"point": [100, 120], "max_candidates": 1}),
        ("segment", {"prompt": "basket", "camera": "wrist"}),
        ("pi0_pick", {"prompt": "pick up the salad dressing", "max_chunks": 2}),
        ("pi0_doubled", {"prompt": "put the salad dressing in the basket", "max_chunks": 1}),
        ("grasp", {"target": "salad dressing"}),
    ]
    more = {"policy": "pi0", "policy_config": {"checkpoint": str(pi0), "device": "cpu"}}
    outcome = run(tmp_path, sam3, calls, **more)
    assert outcome.reason == "finished", outcome.detail
    by_text, by_point, wrist, picked, done, grasped = [data for _, data in answers(outcome)[:6]]

    assert by_text["candidates"][0]["label"] == "salad dressing"
    assert len(by_point["candidates"]) == 1
    assert wrist["camera"] == "wrist"
    assert wrist["found"]

    assert (picked["stopped"], picked["chunks"], picked["held"]) == ("chunks", 2, False)
    assert (done["stopped"], done["steps"]) == ("chunks", CHUNK)
    assert "held" in grasped or "error" in grasped
    actions = np.concatenate([np.load(file) for file in sorted(outcome.run_dir.glob("steps/*/actions.npy"))])
    assert np.abs(actions[: 3 * CHUNK, :6]).max() > 0

    manifest = json.loads((outcome.run_dir / "run.json").read_text())
    assert manifest["privileged_perceptors"] == []
    assert manifest["perceptor"]["name"] == "sam3"
    assert manifest["policy"]["served"]["layout"] == "lerobot"
    assert manifest["services"]["perception"]["name"] == "sam3/perception"


def test_a_killed_perception_server_comes_back(tmp_path, sam3):
    pids = []

    def watch(event):
        if event.type == "service" and event.service == "perception" and event.state == "ready":
            pids.append(event.pid)
        if event.type == "tool_returned" and event.name == "segment" and len(pids) == 1:
            os.kill(pids[0], signal.SIGKILL)

    look = ("segment", {"prompt": "salad dressing"})
    move = ("move_to", {"xyz": [-0.1, 0.05, 0.25]})
    outcome = run(tmp_path, sam3, [look, move, look, look], on_event=watch)
    assert outcome.reason == "finished", outcome.detail
    first, moved, lost, again, _ = [data for _, data in answers(outcome)]
    assert first["found"]
    assert moved["observation"]["step"] > 0
    assert "The service `perception` crashed and was restarted" in lost["error"]
    assert again["found"]
    assert len(pids) == 2
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    assert [event.service for event in events if event.type == "recovered"] == ["perception"]


def test_a_run_attaches_to_a_perception_server(tmp_path, sam3):
    token, recipe = tmp_path / "token", tmp_path / "recipe.jsonl"
    recipe.write_text(json.dumps({"name": "segment", "arguments": {"prompt": "basket"}}) + "\n")
    serve = [sys.executable, "-m", "rpent", "serve", "sam3/perception", "--checkpoint", str(sam3)]
    serve += [
        "--score-threshold",
        "0",
        "--env-python",
        python_for("transformers"),
        "--token-file",
        str(token),
    ]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    try:
        assert server.stdout is not None
        endpoint = next(
            found.group() for line in server.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+", line))
        )
        ended = rpent(
            "run", "--robot", "libero", "--suite", "libero_object_swap", "--task", "2", "--no-video",
            "--planner", "replay", "--recipe", str(recipe), "--perceptor", "sam3",
            "--perception-endpoint", endpoint, "--token-file", str(token), "--output-dir", str(tmp_path / "runs"),
        )  # fmt: skip
        assert ended.returncode == ExitCode.TASK_FAILED, ended.stdout + ended.stderr
        assert server.poll() is None, "the run left the server alone"
    finally:
        server.terminate()
        server.wait(30)
    (folder,) = (tmp_path / "runs").iterdir()
    (found,) = [
        event.data
        for event in read_events(folder / "events.jsonl")
        if event.type == "tool_returned" and event.name == "segment"
    ]
    assert found["found"]
    perception = json.loads((folder / "run.json").read_text())["services"]["perception"]
    assert perception["owned"] is False
    assert perception["name"] == "sam3/perception"


@pytest.mark.parametrize("lost", ["detector/tokenizer.json", "detector/model.safetensors"])
def test_an_incomplete_checkpoint_is_refused_before_anything_starts(tmp_path, sam3, lost):
    broken = tmp_path / "broken"
    for file in (path for path in sam3.rglob("*") if path.is_file()):
        place = broken / file.relative_to(sam3)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(file)
    (broken / lost).unlink()
    ended = rpent(
        "run", "--robot", "libero", "--suite", "libero_object_swap", "--task", "2", "--planner", "flash",
        "--perceptor", "sam3", "--checkpoint", str(broken), "--output-dir", str(tmp_path / "runs"),
    )  # fmt: skip
    assert ended.returncode == ExitCode.INFRASTRUCTURE
    assert "detector" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list((tmp_path / "runs").glob("*/logs/*"))


def rpent(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    return subprocess.run(
        [sys.executable, "-m", "rpent", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        stdin=subprocess.DEVNULL,
    )
