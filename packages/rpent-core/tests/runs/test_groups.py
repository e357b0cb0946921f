"""Folders that hold the runs of one exploration, or of one session of a dashboard."""

from pathlib import Path

import pytest
from rpent.runs.directory import create, create_group
from rpent.runs.index import find_run, list_runs

MANIFEST = {
    "format": 1,
    "rpent": "0",
    "created": 1.0,
    "robot": {"name": "fake"},
    "planner": {"name": "scripted"},
    "task": {"instruction": "put it there", "tag": "t"},
    "request": {"robot": "fake", "planner": "scripted"},
    "services": {},
    "timings_s": {},
    "processes": [],
}


def make(folder, created):
    directory = create(folder, "t", "scripted")
    directory.write_manifest({**MANIFEST, "created": created})
    return directory.path


@pytest.mark.parametrize("kind", ["explore", "dashboard"])
def test_runs_in_a_folder_of_runs_are_listed_and_found(tmp_path, kind, run_cli):
    alone = make(tmp_path, 1.0)
    folder = create_group(tmp_path, "fake t0", kind=kind)
    (folder / "logs").mkdir()
    within = make(folder, 2.0)
    assert f"_{kind}_fake-t0" in folder.name
    assert [run.name for run in list_runs(tmp_path)] == [f"{folder.name}/{within.name}", alone.name]
    assert find_run("latest", tmp_path) == within
    assert find_run(f"{folder.name}/{within.name}", tmp_path) == within
    listed = run_cli("runs", "list", "--output-dir", str(tmp_path)).stdout.splitlines()
    assert listed[0].startswith(f"{folder.name}/{within.name}")


def test_a_run_whose_tag_looks_like_a_folder_of_runs_is_listed_once(tmp_path):
    run = make(tmp_path / "20261201-090000_explore_a_dashboard_b", 1.0)
    assert [Path(each.path) for each in list_runs(tmp_path)] == [run]


def test_an_exploration_is_the_usual_kind(tmp_path):
    assert "_explore_" in create_group(tmp_path, "t").name
