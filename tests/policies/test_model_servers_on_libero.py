"""Servers that speak openpi's and RLDX's protocols drive the real LIBERO through the tools of a run."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.run import RunRequest, execute
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.testing.registry import FakeRegistry
from rpent_policy_openpi.testing import LocalOpenpiServer, libero_policy
from rpent_policy_rldx.testing import LocalRldxServer, make_checkpoint, make_python

pytestmark = [pytest.mark.sim, pytest.mark.timeout(600)]

PROMPT = "pick up the salad dressing and place it in the basket"
CALLS = [
    ("vla_do", {"prompt": PROMPT, "max_chunks": 3}),
    ("pi0_doubled", {"prompt": PROMPT, "max_chunks": 1}),
    ("finish", {"status": "failure", "summary": "A server without a model cannot do it."}),
]
QUESTIONS = 4
FAILS = ("vla_do", {"prompt": "fail", "max_chunks": 1})


def drive(tmp_path, policy, *, calls=CALLS, **options):
    """Return the run, the answers of its tools by name, and the actions that the simulator carried out."""
    request = RunRequest(
        robot="libero",
        robot_config={"suite": "libero_object_swap", "task": 2, "seed": 0},
        planner="scripted",
        planner_config={"calls": calls, "retry": False},
        policy=policy,
        policy_config=options,
        output_dir=tmp_path / "runs",
        progress="quiet",
    )
    run = execute(request, registry=FakeRegistry()).run_dir
    returned = [each for each in read_events(run / "events.jsonl") if each.type == "tool_returned"]
    replies = {each.name: each for each in reversed(returned)}
    replies["error"] = next((each for each in returned if "error" in each.data), None)
    actions = [np.load(file) for file in sorted(run.glob("steps/*/actions.npy"))]
    return run, replies, np.concatenate(actions)


def failing(observation):
    if observation["prompt"] == "fail":
        raise RuntimeError("CUDA error: an illegal memory access was encountered")
    return libero_policy(observation)


def test_an_openpi_server_that_fails_once(tmp_path):
    calls = [*CALLS[:1], FAILS, *CALLS[1:]]
    with LocalOpenpiServer(failing, metadata={"model": "none"}) as server:
        run, replies, actions = drive(tmp_path, "openpi", calls=calls, checkpoint=server.uri, execute_steps=5)
        asked = [each for each in server.observations if each["prompt"] == PROMPT]
    assert "CUDA error: an illegal memory access" in replies["error"].data["error"]
    assert (replies["vla_do"].data["stopped"], replies["vla_do"].data["steps"]) == ("chunks", 15)
    assert replies["pi0_doubled"].data["steps"] == 5
    assert len(asked) == QUESTIONS
    states = np.array([each["observation/state"] for each in asked])
    assert states[0, 2] > states[-1, 2], "the hand was sent down, and the server saw it"
    pictures = np.array([each["observation/image"] for each in asked])
    assert pictures.std() > 10
    assert actions.shape == (20, 7)
    np.testing.assert_allclose(actions[:, 2], -0.1, atol=1e-6)
    np.testing.assert_allclose(actions[0, 0], pictures[0].mean() / 2550, atol=1e-6)
    assert set(actions[:, 6]) == {-1.0}
    served = RunDirectory(run).read_manifest()["policy"]["served"]
    assert (served["family"], served["layout"]) == ("openpi", "openpi")


def test_an_rldx_server(tmp_path):
    with LocalRldxServer() as server:
        _, replies, actions = drive(tmp_path, "rldx", checkpoint=server.uri, execute_steps=4)
        asked, options = server.model.observations[-QUESTIONS:], server.model.options[-QUESTIONS:]
    assert (replies["vla_do"].data["stopped"], replies["vla_do"].data["steps"]) == ("chunks", 12)
    assert replies["pi0_doubled"].data["steps"] == 4
    assert [each["reset_memory"] for each in options] == [[True], [False], [False], [True]]
    assert asked[0]["video"]["front_view"].shape == (1, 1, 256, 256, 3)
    assert asked[0]["language"] == {"annotation.human.action.task_description": [[PROMPT]]}
    assert actions.shape == (16, 7)
    assert set(actions[:, 6]) <= {-1.0, 1.0}, "0..1 of the checkpoint is a sign for the robot"


def test_a_server_that_is_started_for_a_checkpoint(tmp_path):
    run, replies, actions = drive(
        tmp_path,
        "rldx",
        checkpoint=str(make_checkpoint(tmp_path / "checkpoint")),
        rldx_python=str(make_python(tmp_path / "environment")),
        execute_steps=4,
    )
    assert replies["vla_do"].data["steps"] == 12
    assert actions.shape == (16, 7)
    assert "rldx: Server is ready" in (run / "logs" / "vla.log").read_text()
