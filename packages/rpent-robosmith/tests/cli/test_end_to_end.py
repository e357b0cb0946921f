"""From a sentence to an accepted policy, offline, on the command line: the runs that the workshop promises."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_S = 1800
"""One or two minutes on two quiet cores; nothing here depends on how long it takes."""
pytestmark = [
    pytest.mark.models,
    pytest.mark.usefixtures("robosmith_python"),
    pytest.mark.timeout(TIMEOUT_S + 60),
]

SENTENCES = {
    "pendulum": ["swing the pendulum up and keep it upright"],
    "cartpole": ["balance the pole on the CartPole"],
    "fetch-reach": ["move the gripper to the target on FetchReach"],
}
FILES = {
    "eval_report.json",
    "policy/policy.json",
    "policy/policy.safetensors",
    "policy_rollout.mp4",
    "report.md",
    "reproduce.sh",
    "reward_function.py",
    "task_spec.json",
}


@pytest.mark.parametrize("environment", SENTENCES)
def test_a_sentence_becomes_an_accepted_policy(tmp_path: Path, environment: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "rpent",
            "smith",
            "run",
            *SENTENCES[environment],
            "--candidates",
            "2",
            "--json",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )

    print(done.stderr)
    document = json.loads(done.stdout)
    assert document["environment"] == environment
    assert done.returncode == 0, document
    assert (document["status"], document["accepted"]) == ("succeeded", True)
    assert set(document["files"]) >= {*FILES, f"policy_{document['algorithm']}.zip"}
    folder = tmp_path / "robosmith_runs" / document["run_id"]
    report: dict[str, Any] = json.loads((folder / "eval_report.json").read_text())
    rates = {name: policy["metrics"]["success_rate"] for name, policy in report["policies"].items()}
    assert rates["trained"] >= 0.8
    assert rates["trained"] >= max(rates["random"], rates["zero"]) + report["margin"]
    assert report["seeds"]["evaluation"][0] == 1_000_000
