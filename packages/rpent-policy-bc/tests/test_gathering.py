from __future__ import annotations

import errno
import shutil

import numpy as np
import pytest
from rpent.errors import PolicyError, RunDirectoryError
from rpent.testing.registry import FakeRegistry
from rpent_policy_bc.demonstrations import read_run
from rpent_policy_bc.frames import Frames, View
from rpent_policy_bc.gathering import gather
from rpent_policy_bc.simulation import embodiment_of


def gathered(runs, folder, view, **changes):
    recordings = [read_run(run, calls=["move_to"], after_steps=4) for run in runs]
    embodiment = embodiment_of(recordings[0], FakeRegistry())
    return gather(recordings, embodiment, view, folder, registry=FakeRegistry(), **changes)


def test_frames_show_what_the_run_went_through(record, tmp_path):
    found = gathered([record(0), record(1)], tmp_path, View(size=48, every=2, perturbed=0))
    assert len(found) == 10
    first = Frames.load(found[0].files[0])
    demonstration = found[0].demonstration
    np.testing.assert_array_equal(first.actions[: len(demonstration.actions)], demonstration.actions)
    assert first.images["top"].shape == (len(first.at), 48, 48, 3)
    np.testing.assert_array_equal(first.at, np.arange(0, len(first.actions), 2))
    # The hand is where the actions before have brought it.
    moved = np.diff(first.state["eef_position"], axis=0)
    commanded = np.add.reduceat(first.actions[:, :3], first.at, axis=0)[:-1] * 0.02
    np.testing.assert_allclose(moved, commanded, atol=1e-6)


def test_what_was_rendered_is_not_rendered_again(record, tmp_path):
    view = View(size=48, perturbed=0)
    before = gathered([record(0)], tmp_path, view)
    times = [each.files[0].stat().st_mtime_ns for each in before]
    seen: list[tuple[int, int]] = []
    again = gathered([record(0)], tmp_path, view, progress=lambda *counts: seen.append(counts))
    assert [each.files[0].stat().st_mtime_ns for each in again] == times
    assert set(seen) == {(5, 5)}
    assert gathered([record(0)], tmp_path, View(size=32, perturbed=0))[0].files != before[0].files


def test_frames_that_were_cut_off_are_rendered_again(record, tmp_path):
    view = View(size=32, perturbed=0)
    files = [each.files[0] for each in gathered([record(0)], tmp_path, view)]
    whole = files[1].read_bytes()
    files[1].write_bytes(whole[:1000])
    gathered([record(0)], tmp_path, view)
    assert Frames.load(files[1]).images["top"].shape[1:] == (32, 32, 3)
    assert len(files[1].read_bytes()) == len(whole)


def test_a_full_disk_is_one_sentence(record, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Frames, "save", full)
    with pytest.raises(PolicyError, match=r"Frames cannot be kept in .* \(No space left on device\)"):
        gathered([record(0)], tmp_path, View(size=32, perturbed=0))


def test_an_unforeseen_failure_of_a_thread_is_not_lost(record, tmp_path, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("of the test")

    monkeypatch.setattr(Frames, "save", fail)
    with pytest.raises(ZeroDivisionError):
        gathered([record(0)], tmp_path, View(size=32, perturbed=0))


def test_a_hand_that_was_pushed_finds_back(record, tmp_path):
    found = gathered([record(0)], tmp_path, View(size=32, every=1, perturbed=1))
    for each in found:
        exact, pushed = map(Frames.load, each.files)
        if not len(pushed.at):
            continue
        away = np.linalg.norm(exact.state["eef_position"] - pushed.state["eef_position"], axis=1)
        end = min(len(each.demonstration.actions), len(away) - 1)
        assert away[end] < 0.021
        if away.max() > 0.005:
            break
    else:
        pytest.fail("No repetition was pushed away and came back.")


def test_actions_that_lead_elsewhere_are_refused(record, tmp_path):
    run = shutil.copytree(record(0), tmp_path / "changed")
    path = run / "steps" / "0001" / "actions.npy"
    np.save(path, np.load(path)[:-3])
    with pytest.raises(PolicyError, match=r"changed step 1 do not lead where they led") as caught:
        gathered([run], tmp_path / "frames", View(size=32, perturbed=0))
    assert "\n" not in caught.value.message


def test_a_damaged_file_of_frames_is_named(tmp_path):
    (tmp_path / "x.npz").write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(RunDirectoryError, match="holds no frames"):
        Frames.load(tmp_path / "x.npz")
