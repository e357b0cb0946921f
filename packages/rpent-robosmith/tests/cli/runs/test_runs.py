"""`rpent smith runs` and `resume` over run directories that are there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from rpent.cli import main
from rpent.run.lock import RunLock
from rpent_robosmith.catalog.load import find
from rpent_robosmith.reports import EpisodeRecord, EvaluationReport, Interval, Verdict
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.run_state import Keeper
from rpent_robosmith.workflow.runs import new_run
from rpent_robosmith.workflow.state import RunState

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def smith(*words: str) -> Result:
    return CliRunner().invoke(main, ["smith", *words])


def verdict(rate: float, low: float, high: float) -> Verdict:
    report = EvaluationReport(
        policy="trained",
        episodes=(EpisodeRecord(seed=1_000_000, length=5, total=1.0, success=True),),
        metrics={"success_rate": rate, "mean_length": 5.0},
        intervals={"success_rate": Interval(low=low, high=high)},
    )
    return Verdict(
        accepted=True,
        trained=report,
        baselines=(),
        criteria={},
        margin=0.1,
        beats_baselines=True,
        reasons=("Fine.",),
    )


def made(tmp_path: Path, sentence: str, *, ended: str | None = None, **fields: Any) -> Path:
    folder = new_run(tmp_path / "robosmith_runs", sentence)
    state = RunState(run_id=folder.name, task=TaskSpec(sentence=sentence), **fields)
    keeper = Keeper.begin(folder, state, versions={})
    checkpoint.save(folder, state)
    if ended is not None:
        keeper.ended(ended, accepted=ended == "succeeded", node=None)  # type: ignore[arg-type]
    return folder


def test_listing(tmp_path: Path) -> None:
    made(tmp_path, "balance", ended="succeeded")
    made(tmp_path, "reach")

    document = json.loads(smith("runs", "list", "--json").stdout)
    assert {(run["run_id"], run["status"]) for run in document["runs"]} == {
        ("balance-001", "succeeded"),
        ("reach-001", "interrupted"),
    }
    assert "reach-001" not in smith("runs", "list", "--status", "succeeded").stdout
    assert smith("runs", "list", "--runs-dir", "nowhere").stdout == "No runs in `nowhere`.\n"


def test_showing_needs_no_lock_and_names_what_comes_next(tmp_path: Path) -> None:
    folder = made(tmp_path, "balance", next_node="training")

    with RunLock(folder):
        done = smith("runs", "show", "bal")

    assert done.exit_code == 0, done.output
    assert "training of iteration 1: rpent smith resume balance-001" in done.stdout
    assert json.loads(smith("runs", "show", "bal", "--json").stdout)["state"]["next_node"] == "training"
    assert smith("runs", "show", "bal", "--reward").exit_code == 3
    assert smith("runs", "show", "bal", "--reward", "--log").exit_code == 2


def test_differences_are_named_only_where_intervals_part(tmp_path: Path) -> None:
    made(tmp_path, "one", verdicts=(verdict(0.2, 0.1, 0.4),), best_iteration=1)
    made(tmp_path, "two", verdicts=(verdict(0.3, 0.2, 0.5),), best_iteration=1)
    made(tmp_path, "three", verdicts=(verdict(0.9, 0.8, 1.0),), best_iteration=1)

    def finding(first: str, second: str) -> tuple[bool, str]:
        document = json.loads(smith("runs", "compare", first, second, "--json").stdout)
        row = next(row for row in document["metrics"] if row["metric"] == "success_rate")
        return row["told_apart"], row["finding"]

    assert finding("one", "two") == (False, "no difference shown")
    assert finding("one", "three") == (True, "better")
    assert finding("three", "one") == (True, "worse")
    made(tmp_path, "four", verdicts=(verdict(0.9, 0.8, 1.0),), best_iteration=1, entry=find("pendulum"))
    made(tmp_path, "five", verdicts=(verdict(0.1, 0.0, 0.2),), best_iteration=1, entry=find("cartpole"))
    assert finding("four", "five") == (True, "of two environments")
    made(tmp_path, "nothing")
    assert "evaluated no policy" in smith("runs", "compare", "one", "nothing").stdout


def test_removing(tmp_path: Path) -> None:
    keep, go = made(tmp_path, "stay"), made(tmp_path, "go")

    assert smith("runs", "remove").exit_code == 2
    assert smith("runs", "remove", "go", "--json").exit_code == 2
    assert json.loads(smith("runs", "remove", "go", "--dry-run", "--json").stdout)["removed"] == []
    assert go.is_dir()
    assert json.loads(smith("runs", "remove", "go", "--yes", "--json").stdout)["removed"] == ["go-001"]
    assert not go.exists()
    with RunLock(keep):
        assert smith("runs", "remove", "stay", "--yes").exit_code == 3
    assert keep.is_dir()
    assert "nothing to delete" in smith("runs", "remove", "--older-than", "1").stdout


@pytest.mark.parametrize(
    ("word", "said"), [("bal", "`balance-001`, `balance-002`"), ("../x", "no run id"), ("nix", "No run")]
)
def test_resume_refuses_what_is_no_run(tmp_path: Path, word: str, said: str) -> None:
    made(tmp_path, "balance")
    made(tmp_path, "balance")
    done = smith("resume", word)
    assert done.exit_code == 2
    assert said in done.stderr


def test_resume_refuses_an_ended_run_and_one_that_goes_on(tmp_path: Path) -> None:
    made(tmp_path, "done", ended="succeeded", next_node=None, status="succeeded")
    done = smith("resume", "done")
    assert done.exit_code == 2
    assert "has ended (succeeded)" in done.stderr
    folder = made(tmp_path, "busy")
    before = (folder / "checkpoint.json").read_bytes()
    with RunLock(folder):
        busy = smith("resume", "busy")
    assert busy.exit_code == 3
    assert "still going on" in busy.stderr
    assert (folder / "checkpoint.json").read_bytes() == before
