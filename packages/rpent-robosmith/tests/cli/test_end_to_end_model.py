"""A sentence without an environment becomes an accepted policy: a scripted model for intake, rewards and decisions."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from rpent.testing.models import Call, ModelServer, Reply
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.runs import list_runs

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.testing.models import Request

pytest.importorskip("rpent_planner_api", reason="needs rpent-robosmith[model]")
pytestmark = [
    pytest.mark.models,
    pytest.mark.usefixtures("robosmith_python"),
    pytest.mark.timeout(2000),
]

REWARDS = {
    "cartpole": """
def compute_reward(obs, action, next_obs, info):
    upright = 1.0 - min(1.0, abs(float(next_obs[2])) / 0.2)
    alive = 0.0 if info["terminated"] else 1.0
    return alive + WEIGHT * upright, {"alive": alive, "upright": upright}
""",
    "pendulum": """
def compute_reward(obs, action, next_obs, info):
    upright = float(next_obs[0])
    slow = -0.01 * float(next_obs[2]) ** 2
    effort = -0.001 * float(action[0]) ** 2
    return WEIGHT * upright + slow + effort, {"upright": upright, "slow": slow, "effort": effort}
""",
    "fetch-reach": """
import numpy as np

def compute_reward(obs, action, next_obs, info):
    distance = float(np.linalg.norm(next_obs["achieved_goal"] - next_obs["desired_goal"]))
    there = 1.0 if distance < 0.05 else 0.0
    return there - 5.0 * WEIGHT * distance, {"distance": distance, "there": there}
""",
}
SENTENCES = {
    "cartpole": "keep that stick standing for me",
    "pendulum": "bring it up there and hold it",
    "fetch-reach": "put the hand where I point",
}


def model(environment: str, request: Request) -> Reply:
    """Play the model for one task."""
    (tool,) = request.tools
    if tool == "fill_in_task":
        return Reply(calls=[Call(tool, {"environment": environment})])
    if tool == "submit_reward":
        tried = request.text.count("model:openai-chat")
        code = REWARDS[environment].replace("WEIGHT", str(1.0 + tried))
        return Reply(text=f"Like this:\n```python{code}```")
    allowed = request.text.rpartition("Allowed: ")[2].partition(".")[0].split(", ")
    kind = "accept" if "accept" in allowed else "refine_reward"
    return Reply(calls=[Call(tool, {"decision": kind, "reason": "As it is.", "feedback": "More."})])


@pytest.mark.parametrize("environment", SENTENCES)
def test_a_model_leads_to_an_accepted_policy(
    tmp_path: Path, environment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with ModelServer(lambda request: model(environment, request)) as server:
        options = ["--model", "openai-chat:test-model", "--base-url", f"{server.url}/v1", "--candidates", "2"]
        done = subprocess.run(
            [sys.executable, "-m", "rpent", "smith", "run", SENTENCES[environment], *options, "--json"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=1900,
            check=False,
        )
        assert server.problems == []
        asked = [next(iter(request.tools)) for request in server.requests]
    print(done.stderr)
    document = json.loads(done.stdout)
    assert done.returncode == 0, document
    assert (document["environment"], document["accepted"]) == (environment, True)
    assert asked[:2] == ["fill_in_task", "submit_reward"]
    (run,) = list_runs(tmp_path / "robosmith_runs")
    state = checkpoint.load(run.path).state
    assert state.task.chosen == ("environment",)
    assert state.usage.requests == len(asked)
    assert {candidate.origin for candidate in state.candidates} == {
        "environment",
        "model:openai-chat:test-model",
    }
