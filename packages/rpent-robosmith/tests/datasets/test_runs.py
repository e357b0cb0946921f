"""RPent's run directories as a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from rpent.errors import UsageError
from rpent.runs.directory import create
from rpent_robosmith.datasets.open import open_dataset
from rpent_robosmith.inspect.find import find

if TYPE_CHECKING:
    from pathlib import Path


def _run(folder: Path, tag: str, success: bool | None, parts: tuple[int, ...], robot: str = "libero") -> None:
    directory = create(folder, tag, "flash")
    directory.write_manifest(
        {
            "format": 1,
            "rpent": "0.1.0",
            "created": 0.0,
            "robot": {"name": robot},
            "planner": {"name": "flash"},
            "task": {"instruction": f"do {tag}", "tag": tag},
            "request": {"robot": robot, "planner": "flash"},
            "services": {},
            "timings_s": {},
            "processes": [],
            "outcome": {
                "reason": "finished",
                "detail": "",
                "benchmark_success": success,
                "planner_status": "success",
            },
        }
    )
    for number, steps in enumerate(parts):
        step = directory.step(number)
        step.mkdir(parents=True, exist_ok=True)
        if steps:
            np.save(step / "actions.npy", np.full((steps, 7), float(number)))


def test_an_inspector_tells_of_them(tmp_path: Path) -> None:
    _run(tmp_path, "a", True, (0, 3, 4))
    _run(tmp_path, "b", False, (0, 5))
    folder = tmp_path / next(open_dataset(tmp_path).episodes()).name
    facts = find(str(tmp_path), ("dataset",)).inspect(samples=2)
    assert (facts.format, facts.robot, facts.episodes, facts.frames) == ("rpent-runs", "libero", 2, 12)
    assert facts.action["action"].shape == (7,)
    assert (facts.observation, facts.success_field) == ({}, "outcome.benchmark_success")
    assert (facts.details["success_rate"], facts.tasks) == (0.5, ("do a", "do b"))
    assert [len(sample["action"]) for sample in facts.details["samples"]] == [7, 7]
    assert find(str(folder)).inspect().frames == 7


def test_each_run_is_an_episode_over_all_of_its_steps(tmp_path: Path) -> None:
    _run(tmp_path, "a", True, (0, 3, 4))
    _run(tmp_path, "b", False, (0, 5))
    _run(tmp_path, "c", None, (0, 2))
    _run(tmp_path, "d", True, (0,))
    reader = open_dataset(tmp_path)
    assert (reader.format, reader.robot, reader.total_episodes) == ("rpent-runs", "libero", 3)
    assert any("1 of 4 runs kept no control actions" in note for note in reader.notes)
    episodes = list(reader.episodes())
    assert [each.success for each in episodes] == [True, False, None]
    assert [each.task for each in episodes] == ["do a", "do b", "do c"]
    np.testing.assert_array_equal(episodes[0].actions[:, 0], [1, 1, 1, 2, 2, 2, 2])
    assert [each.index for each in reader.episodes(1, 1)] == [1]


def test_what_the_planner_claims_is_no_success(tmp_path: Path) -> None:
    _run(tmp_path, "a", False, (0, 3))
    assert [each.success for each in open_dataset(tmp_path).episodes()] == [False]


def test_runs_without_actions_and_of_different_robots_are_refused(tmp_path: Path) -> None:
    _run(tmp_path / "none", "a", True, (0,))
    with pytest.raises(UsageError, match="kept its control actions"):
        open_dataset(tmp_path / "none")
    _run(tmp_path / "two", "a", True, (0, 1))
    _run(tmp_path / "two", "b", True, (0, 1), robot="robocasa")
    with pytest.raises(UsageError, match="different robots: libero, robocasa"):
        open_dataset(tmp_path / "two")


def test_a_run_in_which_nothing_was_done_is_an_empty_episode(tmp_path: Path) -> None:
    _run(tmp_path, "a", False, (0,))
    folder = next(tmp_path.iterdir())
    np.save(folder / "steps" / "0000" / "actions.npy", np.zeros((0, 7)))
    _run(tmp_path, "b", True, (0, 3))
    assert [each.actions.shape for each in open_dataset(tmp_path).episodes()] == [(0, 7), (3, 7)]
