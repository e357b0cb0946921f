"""Scratch folders: removed with their worker, or by the next owner."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from rpent_robosmith.work.scratch import Scratch, sweep


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(path: Path) -> Path:
    os.utime(path, (0, 0))
    return path


def test_a_folder_is_removed_with_what_is_in_it(folder: Path) -> None:
    scratch = Scratch()
    (Path(scratch.path) / "x").write_text("x")
    scratch.close()
    assert list(folder.iterdir()) == []


def test_folders_of_owners_that_are_gone_are_swept(folder: Path) -> None:
    left = folder / "rpent-worker-left"
    (left / "deep").mkdir(parents=True)
    young, other = folder / "rpent-worker-young", folder / "other"
    young.mkdir()
    other.mkdir()
    link = folder / "rpent-worker-link"
    link.symlink_to(other)
    aged(left)
    aged(other)
    sweep()
    assert sorted(path.name for path in folder.iterdir()) == ["other", link.name, young.name]


def test_folders_in_use_are_kept_however_old(folder: Path) -> None:
    scratch = Scratch()
    aged(Path(scratch.path))
    sweep()
    assert Path(scratch.path).is_dir()
    scratch.close()
