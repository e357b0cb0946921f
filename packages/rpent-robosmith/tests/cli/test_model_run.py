"""`rpent smith run --model`: a scripted model server drives intake, rewards and decisions through the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rpent.testing.models import Call, ModelServer, Reply, Request
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.runs import list_runs

pytest.importorskip("rpent_planner_api", reason="needs rpent-robosmith[model]")

SENTENCE = "keep that stick standing for me"
CODE = """\
import numpy as np


def compute_reward(obs, action, next_obs, info):
    upright = 1.0 - min(1.0, abs(float(next_obs[2])) / 0.2)
    alive = 0.0 if info["terminated"] else 1.0
    return alive + {weight} * upright, {{"alive": alive, "upright": upright}}
"""
BROKEN = "import os\n" + CODE.format(weight=9)
FEEDBACK = "Weigh the angle more."


class Script:
    """A model whose answers depend on nothing but what it is asked, so that a repeated question is no trouble."""

    def __init__(self) -> None:
        self.arrived: Callable[[str], None] = lambda question: None
        self.always_wrong = False

    def __call__(self, request: Request) -> Reply:
        """Answer a request."""
        (tool,) = request.tools
        again = "That cannot be used." in request.text
        self.arrived(f"{tool}{' again' if again else ''}")
        if tool == "fill_in_task":
            answer = {"environment": "cartpole", "tags": ["balance", "pole"], "criteria": []}
            return Reply(calls=[Call(tool, answer)])
        if tool == "decide":
            answer = {"decision": "refine_reward", "reason": "It falls too often.", "feedback": FEEDBACK}
            return Reply(calls=[Call(tool, answer)])
        if self.always_wrong or ("Write number 2" in request.text and not again):
            return Reply(text=f"With a mistake:\n```python\n{BROKEN}```")
        weight = 0.5 + ("Write number 2" in request.text) + 2 * (FEEDBACK in request.text)
        return Reply(text=f"This one:\n```python\n{CODE.format(weight=weight)}```\nGood luck!")


@pytest.fixture
def script() -> Script:
    """The model."""
    return Script()


@pytest.fixture
def server(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Its server, and the key that it wants."""
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with ModelServer(script) as running:
        yield running
        assert running.problems == []


def model(server: ModelServer) -> list[str]:
    """The options that lead to the server."""
    return ["--model", "openai-chat:test-model", "--base-url", f"{server.url}/v1"]


def test_an_agent_that_needs_a_model_asks_for_one(run_cli: Any) -> None:
    result = run_cli("smith", "run", "balance", "--rewards", "model")
    assert result.exit_code == 2
    assert "The reward agent `model` needs a model, and none is named." in result.stderr
    assert "--model" in result.stderr


def test_an_unknown_provider_is_a_mistake_of_usage(run_cli: Any, tmp_path: Path) -> None:
    result = run_cli("smith", "run", "balance", "--model", "nobody:x", "--runs-dir", str(tmp_path))
    assert result.exit_code == 2
    assert "There is no provider `nobody`" in result.stderr


def test_a_refused_key_ends_it_before_anything_starts(
    run_cli: Any, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another-key")
    result = run_cli("smith", "run", "balance", *model(server), "--runs-dir", str(tmp_path))
    assert result.exit_code == 3
    assert "The key in `OPENAI_API_KEY` is refused by the server at" in result.stderr
    assert server.requests == []
    assert list(tmp_path.iterdir()) == []


def test_a_cost_without_a_known_price_is_refused(run_cli: Any, server: ModelServer, tmp_path: Path) -> None:
    options = [*model(server), "--model-cost", "1", "--runs-dir", str(tmp_path)]
    result = run_cli("smith", "run", "balance", *options)
    assert result.exit_code == 3
    assert "The price of `test-model` is not known" in result.stderr
    assert "Leave out `--model-cost` and give `--model-tokens`." in result.stderr


@pytest.mark.models
@pytest.mark.usefixtures("robosmith_python")
def test_a_spent_budget_can_be_raised_and_the_server_can_have_moved(
    run_cli: Any, script: Script, server: ModelServer, tmp_path: Path
) -> None:
    script.always_wrong = True
    runs, options = str(tmp_path), ["--candidates", "2", "--iterations", "1", "--total-steps", "2000"]
    result = run_cli(
        "smith", "run", SENTENCE, *options, *model(server), "--model-tokens", "300", "--runs-dir", runs
    )
    assert result.exit_code == 3
    assert "The model's budget of 300 tokens is used up (120 spent)." in result.stderr
    (run,) = list_runs(tmp_path)
    assert checkpoint.load(run.path).state.usage.requests == 1
    with ModelServer(script) as moved:
        result = run_cli(
            *("smith", "resume", run.path.name, "--runs-dir", runs, "--model-tokens", "400"),
            *("--base-url", f"{moved.url}/v1"),
        )
        assert result.exit_code == 3
        assert [set(request.tools) for request in moved.requests] == [{"submit_reward"}]
    assert "The model's budget of 400 tokens is used up (240 spent)." in result.stderr


RUN = [
    *("--criterion", "success_rate>=0.99", "--total-steps", "8000", "--candidates", "3"),
    *("--iterations", "2", "--episodes", "4", "--seed", "3"),
]
"""So hard a criterion in so few steps that a second iteration is needed."""


def smith(*arguments: str) -> subprocess.Popen[str]:
    """Start the command line in a process of its own."""
    command = [sys.executable, "-m", "rpent", "smith", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for the end of a run; returns its JSON."""
    out, err = process.communicate(timeout=280)
    assert process.returncode in {0, 1}, err
    document: dict[str, Any] = json.loads(out)
    return document


def files(folder: Path) -> dict[str, bytes]:
    """Return what a run delivered."""
    state = checkpoint.load(folder).state
    return {name: (folder / name).read_bytes() for name in state.files}


KILLED_AT = (0, 2, 3, 4, 6)
"""Questions, by their number: intake's, the second reward's, its correction, the decision, one of the next search."""


@pytest.mark.models
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("robosmith_python")
def test_a_run_and_the_same_run_killed_as_it_asks(
    script: Script, server: ModelServer, tmp_path: Path
) -> None:
    questions: list[str] = []
    script.arrived = questions.append
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    finished(smith("run", SENTENCE, *RUN, *model(server), "--runs-dir", str(whole), "--json"))
    reward = ["submit_reward", "submit_reward", "submit_reward again"]
    assert questions == ["fill_in_task", *reward, "decide", *reward, "submit_reward", "submit_reward again"]

    (run,) = list_runs(whole)
    state = checkpoint.load(run.path).state
    assert state.task.environment == "cartpole"
    assert [candidate.origin for candidate in state.candidates] == [
        "environment",
        *["model:openai-chat:test-model"] * 4,  # the last one was a repetition
    ]
    assert state.decisions[0].by == "model:openai-chat:test-model"
    assert state.usage.requests == len(questions)
    assert "test-key" not in "".join(
        path.read_text("utf-8", "replace") for path in run.path.rglob("*") if path.is_file()
    )
    assert _killed_as_it_asks(script, server, killed) == questions
    (resumed,) = list_runs(killed)
    ours, expected = files(resumed.path), files(run.path)
    assert set(ours) == set(expected)
    for name, content in expected.items():
        assert ours[name] == content, name
    assert checkpoint.load(resumed.path).state.usage == state.usage


def _killed_as_it_asks(script: Script, server: ModelServer, runs_dir: Path) -> list[str]:
    """Kill the run as these questions arrive for the first time, and resume it; returns what was answered."""
    answered: list[str] = []
    left = set(KILLED_AT)
    process: list[subprocess.Popen[str]] = []

    def arrived(question: str) -> None:
        if len(answered) in left:
            left.discard(len(answered))
            os.kill(process[0].pid, signal.SIGKILL)
        else:
            answered.append(question)

    script.arrived = arrived
    command = ["run", SENTENCE, *RUN, *model(server), "--runs-dir", str(runs_dir), "--json"]
    while True:
        process[:] = [smith(*command)]
        _, errors = process[0].communicate(timeout=280)
        if process[0].returncode != -signal.SIGKILL:
            break
        (run,) = list_runs(runs_dir)
        command = ["resume", run.path.name, "--runs-dir", str(runs_dir), "--json"]
    assert process[0].returncode in {0, 1}, errors
    assert not left
    return answered
