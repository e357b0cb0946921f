"""Runs are found by id or an unambiguous beginning, and listed as what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rpent.errors import RunDirectoryError, UsageError
from rpent.run.lock import RunLock
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.workflow.run_state import Keeper
from rpent_robosmith.workflow.runs import find_run, is_locked, list_runs, new_run, remove_run, slug, summary
from rpent_robosmith.workflow.state import RunState

if TYPE_CHECKING:
    from pathlib import Path


def made(runs_dir: Path, sentence: str) -> Path:
    folder = new_run(runs_dir, sentence)
    Keeper.begin(folder, RunState(run_id=folder.name, task=TaskSpec(sentence=sentence)), versions={})
    return folder


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Swing the pendulum up, and keep it upright!", "swing-pendulum-up-upright"),
        ("CartPole-v1", "cartpole-v1"),
        ("../../etc/passwd", "etc-passwd"),
        ("日本語", "run"),
        ("the", "run"),
        ("x" * 300, "x" * 40),
    ],
)
def test_names_come_from_the_sentence(sentence: str, name: str) -> None:
    assert slug(sentence) == name


def test_ids_are_numbered(tmp_path: Path) -> None:
    assert [made(tmp_path / "runs", "balance").name for _ in range(3)] == [
        "balance-001",
        "balance-002",
        "balance-003",
    ]


def test_by_id_and_by_prefix(tmp_path: Path) -> None:
    first, _, reach = (made(tmp_path, sentence) for sentence in ("balance", "balance", "reach far"))

    assert find_run("reach", tmp_path) == reach
    assert find_run("balance-001", tmp_path) == first
    with pytest.raises(UsageError, match="`balance-001`, `balance-002`"):
        find_run("balance", tmp_path)
    with pytest.raises(UsageError, match="did you mean `balance-001`"):
        find_run("balanse-001", tmp_path)


def test_an_id_that_another_begins_with_is_itself(tmp_path: Path) -> None:
    for name in ("a-1", "a-10"):
        (tmp_path / name).mkdir()
        Keeper.begin(tmp_path / name, RunState(run_id=name, task=TaskSpec(sentence="a")), versions={})

    assert find_run("a-1", tmp_path).name == "a-1"


@pytest.mark.parametrize(
    "name", ["..", "../runs/a-001", "/tmp", "a/../b", ".", "", "~", "A*", "a b", "a\n", "-a"]
)
def test_parts_of_paths_are_no_ids(tmp_path: Path, name: str) -> None:
    made(tmp_path, "a")
    with pytest.raises(UsageError, match="no run id"):
        find_run(name, tmp_path)


def test_a_killed_run_is_interrupted_and_a_locked_one_is_running(tmp_path: Path) -> None:
    folder = made(tmp_path, "balance")

    assert summary(folder).status == "interrupted"
    with RunLock(folder):
        assert is_locked(folder)
        assert summary(folder).status == "running"
        with pytest.raises(RunDirectoryError, match="in use"):
            remove_run(folder)
    assert not is_locked(folder)


def test_a_damaged_run_is_listed_with_its_problem(tmp_path: Path) -> None:
    good, bad = made(tmp_path, "good"), made(tmp_path, "bad")
    (bad / "run_state.json").write_text("{")

    runs = list_runs(tmp_path)

    assert [(run.run_id, run.status) for run in runs] == [(good.name, "interrupted"), (bad.name, "damaged")]
    assert "cannot be read" in runs[1].problem


def test_a_removed_run_is_gone(tmp_path: Path) -> None:
    folder = made(tmp_path, "balance")

    remove_run(folder)

    assert list(tmp_path.iterdir()) == []
    assert list_runs(tmp_path / "nowhere") == []
