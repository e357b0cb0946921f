from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from rpent.errors import RunDirectoryError, UsageError
from rpent_policy_bc.demonstrations import one_task, read_run
from rpent_policy_bc.training import run_directories


def test_the_calls_of_a_solved_run_with_what_they_did(record):
    found = read_run(record(), calls=["move_to"], after_steps=3)
    first, second = found.demonstrations[:2]
    assert first.call == "move_to"
    assert first.step == 1
    assert first.actions.shape[1] == 4
    np.testing.assert_array_equal(first.following, second.actions[:3])
    assert first.instruction == "put the red cube on the pad"
    assert read_run(record(), calls=["move_to"], instruction="go").demonstrations[0].instruction == "go"


def test_a_run_that_failed_teaches_nothing(record):
    found = read_run(record(solved=False), calls=["move_to"])
    assert found.demonstrations == ()
    assert found.why_none == "it did not succeed"


def test_a_run_without_the_wanted_calls_says_so(record):
    assert read_run(record()).why_none == "it has no successful `grasp`, `pick`, `pick_up`"


def test_a_run_of_an_older_version_says_what_it_lacks(record, tmp_path):
    run = shutil.copytree(record(), tmp_path / "old")
    for path in run.glob("steps/*/actions.npy"):
        path.unlink()
    assert read_run(run, calls=["move_to"]).why_none == "its control actions were not recorded"


@pytest.mark.parametrize(
    "broken",
    [b"", b"not numpy", b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"],
)
def test_damaged_actions_are_one_sentence(record, tmp_path, broken):
    run = shutil.copytree(record(), tmp_path / "damaged")
    (run / "steps" / "0001" / "actions.npy").write_bytes(broken)
    with pytest.raises(RunDirectoryError, match=r"actions\.npy") as caught:
        read_run(run, calls=["move_to"])
    assert "\n" not in caught.value.message


def test_actions_with_nan_are_refused(record, tmp_path):
    run = shutil.copytree(record(), tmp_path / "nan")
    np.save(run / "steps" / "0001" / "actions.npy", np.full((3, 4), np.nan))
    with pytest.raises(RunDirectoryError, match="finite"):
        read_run(run, calls=["move_to"])


def test_runs_of_two_robots_are_not_mixed(record, tmp_path):
    other = shutil.copytree(record(), tmp_path / "other")
    manifest = json.loads((other / "run.json").read_text())
    manifest["robot"]["name"] = "arm"
    (other / "run.json").write_text(json.dumps(manifest))
    recordings = [read_run(run, calls=["move_to"]) for run in (record(), other)]
    with pytest.raises(UsageError, match="different robots: `arm`, `fake`"):
        one_task(recordings)


def test_a_folder_of_runs_stands_for_all_of_them(record, tmp_path):
    for name in ("b", "a"):
        shutil.copytree(record(), tmp_path / "runs" / name)
    assert [run.name for run in run_directories([tmp_path / "runs", tmp_path / "runs" / "b"])] == ["a", "b"]
    with pytest.raises(UsageError, match="neither a run directory"):
        run_directories([tmp_path])
