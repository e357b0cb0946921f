"""From recorded runs of the fake robot to a checkpoint, through the real training process."""

from __future__ import annotations

import json
import shutil
import sys

import psutil
import pytest
from rpent.environments.interpreter import Interpreter
from rpent.errors import PolicyError, UsageError
from rpent.testing.environments import python_for
from rpent.testing.registry import FakeRegistry
from rpent_policy_bc.checkpoint import Description, read
from rpent_policy_bc.frames import View
from rpent_policy_bc.job import TrainingJob
from rpent_policy_bc.training import Listener, Plan, _read, run_training, train

SMALL = View(size=32, every=2, perturbed=0)


@pytest.mark.models
def test_recorded_runs_become_a_checkpoint(record, tmp_path):
    out, said, reports = tmp_path / "policy", [], []
    plan = Plan(
        out=out,
        calls=["move_to"],
        view=SMALL,
        epochs=60,
        chunk_length=4,
        execute_steps=9,
        python=python_for("torch"),
    )
    listener = Listener(say=said.append, trained=reports.append)
    runs = [record(0), record(1), record(2, solved=False)]
    found = train(runs, plan, listener, FakeRegistry())
    assert found == read(out)
    assert [report.epoch for report in reports] == list(range(1, 61))
    assert reports[-1].loss < 0.7 * reports[0].loss
    assert any("is left out: it did not succeed" in line for line in said)
    facts = found.training
    assert (facts["demonstrations"], facts["held_out_demonstrations"]) == (9, 1)
    assert facts["instructions"] == ["put the red cube on the pad"]
    assert (found.execute_steps, found.architecture.switches) == (4, ("gripper",))
    assert found.architecture.state == {"eef_position": 3, "gripper_opening_m": 1}
    again = train(runs[:2], plan, None, FakeRegistry())
    assert again.training["data_digest"] == facts["data_digest"]
    assert again.training["loss"] == facts["loss"]


def test_several_instructions_are_pointed_out(record, tmp_path):
    runs = [shutil.copytree(record(0), tmp_path / name) for name in ("one", "two")]
    manifest = json.loads((runs[1] / "run.json").read_text())
    manifest["task"]["instruction"] = "put the blue cube on the pad"
    (runs[1] / "run.json").write_text(json.dumps(manifest))
    said = []
    _read(runs, Plan(out=tmp_path, calls=["move_to"]), Listener(say=said.append))
    assert "10 demonstrations in 2 of 2 runs" in said[0]
    assert "2 instructions (`put the blue cube on the pad`, `put the red cube on the pad`)" in said[1]


@pytest.mark.parametrize(("option", "place"), [("out", "file/policy"), ("frames", "file/frames")])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    record, tmp_path, monkeypatch, option, place
):
    monkeypatch.setattr("rpent_policy_bc.training.choose", lambda *_, **__: None)
    (tmp_path / "file").touch()
    places = {"out": tmp_path / "policy", "frames": tmp_path / "frames"} | {option: tmp_path / place}
    plan = Plan(calls=["move_to"], view=SMALL, **places)
    with pytest.raises(UsageError, match="Nothing can be written into") as caught:
        train([record(0)], plan, None, FakeRegistry())
    assert f"`--{option}`" in caught.value.hint
    assert not list(tmp_path.glob("**/*.npz"))


@pytest.mark.models
def test_runs_without_demonstrations_are_refused(record, tmp_path):
    with pytest.raises(UsageError, match="it did not succeed"):
        train(
            [record(0, solved=False)],
            Plan(out=tmp_path / "policy", calls=["move_to"], python=python_for("torch")),
            None,
            FakeRegistry(),
        )


@pytest.mark.models
def test_an_interrupt_ends_the_training_process(record, tmp_path):
    plan = Plan(
        out=tmp_path / "policy", calls=["move_to"], view=SMALL, epochs=10_000, python=python_for("torch")
    )

    def interrupt(_report):
        raise KeyboardInterrupt

    def training():
        commands = ([*child.cmdline()] for child in psutil.Process().children(recursive=True))
        return [command for command in commands if "rpent_policy_bc.server.train" in command]

    with pytest.raises(KeyboardInterrupt):
        train([record(0)], plan, Listener(trained=interrupt), FakeRegistry())
    assert training() == []
    assert not (plan.out / "config.json").exists()


def test_a_training_process_that_fails_is_one_sentence(tmp_path):
    description = Description.model_validate(
        {
            "robot": "x",
            "control_rate_hz": 1,
            "execute_steps": 1,
            "architecture": {"cameras": {}, "state": {}, "action": {}},
        }
    )
    job = TrainingJob(out=tmp_path, description=description, files=[tmp_path / "missing.npz"])
    with pytest.raises(PolicyError, match="The training failed: ") as caught:
        run_training(job, Interpreter(sys.executable))
    assert "\n" not in caught.value.message
