"""The folder of a run, and what killed runs left."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rpent_planner_claude_code.private import PREFIX, private_folder


def left() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))


def test_it_is_private_and_goes() -> None:
    with private_folder() as folder:
        assert folder.path.stat().st_mode & 0o077 == 0
        assert list(folder.work.iterdir()) == []
        (folder.config / "pictures").mkdir()
        (folder.config / "pictures" / "1.png").write_bytes(b"x")
    assert left() == []


def test_what_a_killed_run_left_is_removed() -> None:
    stale = Path(tempfile.mkdtemp(prefix=PREFIX))
    (stale / "lock").touch()
    (stale / "config").mkdir()
    with private_folder() as folder:
        assert left() == [folder.path]


def test_that_of_a_run_under_way_stays() -> None:
    with private_folder() as one, private_folder() as two:
        assert set(left()) == {one.path, two.path}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.mkdir()
    (target / "lock").touch()
    Path(tempfile.gettempdir(), f"{PREFIX}x").symlink_to(target)
    with private_folder():
        assert (target / "lock").exists()
