"""What a run delivers: whole, repeatable, and honest about what it is."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent.errors import PolicyError, RunDirectoryError
from rpent_robosmith.delivery.package import Package
from rpent_robosmith.policy.files import read_policy
from rpent_robosmith.stages.delivery import run
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.work.api import WorkError
from rpent_robosmith.workflow.state import RunState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent_robosmith.workflow.workshop import Workshop

FILES = {
    "eval_report.json",
    "plots/evaluation.svg",
    "plots/learning_curves.svg",
    "plots/rewards.svg",
    "policy/policy.json",
    "policy/policy.safetensors",
    "policy_rollout.mp4",
    "report.md",
    "reproduce.sh",
    "reward_function.py",
    "task_spec.json",
}


class NoBench:
    """Where nothing can be rendered."""

    def run(self, *_: Any) -> dict[str, Any]:
        raise WorkError("The job `film` found no screen.", hint="Install one.")


def contents(folder: Path, names: Any) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names}


def test_everything_is_delivered_hashed_and_the_same_each_time(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    pytest.importorskip("matplotlib")
    state = make_state()

    done = run(state, make_workshop())

    first = contents(tmp_path, done.files)
    assert set(done.files) == FILES
    assert {name: hashlib.sha256(data).hexdigest() for name, data in first.items()} == done.files
    assert done.status == "succeeded"
    again = run(state.model_copy(update={"run_id": "other-002"}), make_workshop())
    assert contents(tmp_path, again.files) == first
    for data in first.values():
        assert str(tmp_path).encode() not in data
    assert first["policy_rollout.mp4"][4:8] == b"ftyp"


def test_the_best_iteration_is_delivered_and_not_the_last(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    run(make_state(best=1), make_workshop(bench=NoBench()))

    bias = read_policy(tmp_path / "policy").weights["layers.0.bias"]
    assert bias[1] == pytest.approx(0.001)
    report = json.loads((tmp_path / "eval_report.json").read_text())
    assert report["iteration"] == 1
    assert report["policies"]["trained"]["metrics"] == {"success_rate": 0.75, "mean_return": "NaN"}
    assert [row["metrics"]["success_rate"] for row in report["iterations"]] == [0.75, 0.25]
    assert report["failures"] == [1_000_003]


def test_nothing_accepted_is_delivered_as_that(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    done = run(make_state(accepted=False), make_workshop(bench=NoBench()))

    assert done.status == "failed"
    assert json.loads((tmp_path / "eval_report.json").read_text())["status"] == "not accepted"
    assert "Nothing is accepted" in (tmp_path / "report.md").read_text()
    assert "policy/policy.safetensors" in done.files


def test_a_film_that_fails_is_visible_and_stops_nothing(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    workshop = make_workshop(bench=NoBench())
    (tmp_path / "policy_rollout.mp4").write_bytes(b"of an earlier delivery")
    state = make_state().model_copy(update={"files": {"policy_rollout.mp4": ""}})

    done = run(state, workshop)

    assert done.status == "succeeded"
    assert "policy_rollout.mp4" not in done.files
    assert not (tmp_path / "policy_rollout.mp4").exists()
    told = "There is no film: The job `film` found no screen. (Install one.)"
    assert told in workshop.listener.lines  # type: ignore[attr-defined]
    assert "There is no film" in (tmp_path / "report.md").read_text()


def test_without_matplotlib_the_report_says_so(
    tmp_path: Path,
    make_state: Callable[..., RunState],
    make_workshop: Callable[..., Workshop],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rpent_robosmith.delivery.plots.find_spec", lambda _name: None)

    done = run(make_state(), make_workshop(bench=NoBench()))

    report = (tmp_path / "report.md").read_text()
    assert not [name for name in done.files if name.startswith("plots/")]
    assert "matplotlib" in report
    assert "rpent-robosmith" in report
    assert "## Plots" not in report


def test_a_run_that_failed_early_delivers_what_there_is(
    tmp_path: Path, make_workshop: Callable[..., Workshop]
) -> None:
    state = RunState(
        run_id="a-001",
        task=TaskSpec(sentence="x"),
        next_node="environment",
        status="failed",
        detail="The node `environment` of iteration `1` failed: None fits.",
    )

    done = run(state, make_workshop())

    assert set(done.files) == {"eval_report.json", "report.md", "reproduce.sh", "task_spec.json"}
    assert done.status == "failed"
    assert json.loads((tmp_path / "eval_report.json").read_text())["status"] == "failed"
    assert "**The run failed**" in (tmp_path / "report.md").read_text()


def test_texts_of_others_are_shown_and_not_obeyed(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    run(make_state(), make_workshop(bench=NoBench()))

    outside, _, fenced = (tmp_path / "report.md").read_text().partition("````python")
    assert "<script>" not in outside
    assert "<b>" not in outside
    assert "\n# not" not in outside
    assert fenced.count("````") == 1
    source = (tmp_path / "reward_function.py").read_text()
    assert source.startswith("# Task: lift | the")
    compile(source, "reward_function.py", "exec")


def test_an_accepted_policy_that_cannot_be_read_is_no_delivery(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    state = make_state()
    (tmp_path / "training/i1/policy/policy.safetensors").write_bytes(b"torn")

    with pytest.raises(PolicyError):
        run(state, make_workshop(bench=NoBench()))


def test_only_files_of_the_run_are_copied_or_removed(tmp_path: Path) -> None:
    run_dir, secret = tmp_path / "run", tmp_path / "secret"
    run_dir.mkdir()
    secret.write_text("s")
    package = Package(run_dir, ["../secret"])

    with pytest.raises(RunDirectoryError):
        package.add_copy("a", run_dir / ".." / "secret")
    package.close()

    assert secret.exists()


def test_reproduce_says_every_option_and_quotes_it(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    sentence = 'it\'s $(touch x) `id` "quoted" \\ and\na line'
    state = make_state()
    state = state.model_copy(update={"task": state.task.model_copy(update={"sentence": sentence})})
    run(state, make_workshop(bench=NoBench()))

    script = tmp_path / "reproduce.sh"
    assert os.access(script, os.X_OK)
    (tmp_path / "rpent").write_text('#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done\n')
    (tmp_path / "rpent").chmod(0o755)
    done = subprocess.run(
        [str(script), "--quiet"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.split("\0")[:-1] == [
        *(
            "smith",
            "run",
            "--criterion=success_rate>=0.8",
            "--hyperparameter=gamma=0.9",
            "--hyperparameter=x=a'b",
        ),
        *("--seed=0", "--quiet", "--", sentence),
    ]
    assert not (tmp_path / "x").exists()
    assert shlex.quote(sentence) in script.read_text()


class LibraryBench:
    """Where only the library's file can be made."""

    def run(self, job: Any, *_: Any) -> dict[str, Any]:
        if job.label != "export":
            raise WorkError("The job `film` found no screen.")
        assert read_policy(job.params["policy"]).description.algorithm == "ppo"
        return {"name": "ignored/../name.zip", "content": np.frombuffer(b"PK of the library", np.uint8)}


def test_the_librarys_own_file_is_delivered_beside_the_policy(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    done = run(make_state(), make_workshop(bench=LibraryBench()))

    assert (tmp_path / "policy_ppo.zip").read_bytes() == b"PK of the library"
    assert "policy_ppo.zip" in done.files
    assert "`policy_ppo.zip`" in (tmp_path / "report.md").read_text()


def test_why_the_librarys_own_file_is_missing_is_said(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    workshop = make_workshop(bench=NoBench())

    done = run(make_state(), workshop)

    assert "policy_ppo.zip" not in done.files
    assert any(line.startswith("There is no `policy_ppo.zip`: ") for line in workshop.listener.lines)
    assert done.status == "succeeded"
