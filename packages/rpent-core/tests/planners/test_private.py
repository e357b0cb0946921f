"""The private folder of a run: nobody else reads it, it goes, and what killed runs left goes too."""

import os
import tempfile
from pathlib import Path

import pytest
from rpent.planners.private import folder_prefix, private_folder, write_private

PREFIX = folder_prefix("test")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_it_is_private_and_goes(temporary):
    with private_folder("test") as folder:
        assert folder.name.startswith(PREFIX)
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "pictures").mkdir()
        (folder / "pictures" / "1.png").write_bytes(b"x")
    assert list(temporary.iterdir()) == []


def test_what_a_killed_run_left_is_removed(temporary):
    stale = Path(tempfile.mkdtemp(prefix=PREFIX))
    (stale / "lock").touch()
    (stale / "home").mkdir()
    with private_folder("test") as folder:
        assert list(temporary.iterdir()) == [folder]


def test_those_of_others_stay(temporary):
    strange = temporary / f"{PREFIX}without-a-lock"
    other = temporary / f"{folder_prefix('other')}x"
    for folder in (strange, other):
        folder.mkdir()
    (other / "lock").touch()
    with private_folder("test") as one, private_folder("test") as two:
        assert set(temporary.iterdir()) == {strange, other, one, two}


def test_a_link_is_not_followed(temporary, tmp_path):
    target = tmp_path / "precious"
    target.mkdir()
    (target / "lock").touch()
    (temporary / f"{PREFIX}x").symlink_to(target)
    with private_folder("test"):
        assert (target / "lock").exists()


def test_a_file_is_private_from_its_first_byte(tmp_path):
    before = os.umask(0)
    try:
        write_private(tmp_path / "key", "secret")
    finally:
        os.umask(before)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "key").read_text() == "secret"
