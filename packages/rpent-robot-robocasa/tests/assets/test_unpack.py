"""Archives: only what lies in their folder, only plain files, all or none of a bad one."""

from __future__ import annotations

import stat

import pytest
from rpent.errors import EnvironmentSetupError
from rpent_robot_robocasa.assets.fetch.unpack import unpack

from .conftest import archive

GOOD = {"textures/a.png": b"a" * 1000, "textures/deep/b.png": b"b"}
LINK = (stat.S_IFLNK | 0o777) << 16


@pytest.fixture
def put(tmp_path):
    def write(content):
        file = tmp_path / "pack.zip"
        file.write_bytes(content)
        return file

    return write


def test_files_come_into_their_folder_over_what_is_there(put, tmp_path):
    target = tmp_path / "out"
    (target / "textures").mkdir(parents=True)
    (target / "textures" / "a.png").write_bytes(b"old")
    (target / "textures" / "own.png").write_bytes(b"kept")
    junk = {"__MACOSX/textures/._a.png": b"x", "textures/.DS_Store": b"x"}
    assert unpack(put(archive(GOOD | junk)), target, brings="textures") == 2
    found = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert found == {*GOOD, "textures/own.png"}
    assert (target / "textures/a.png").read_bytes() == b"a" * 1000


@pytest.mark.parametrize(
    "name", ["../evil", "textures/../../evil", "/etc/evil", "textures\\..\\evil", "C:\\evil"]
)
def test_nothing_is_written_of_an_archive_that_would_write_elsewhere(put, tmp_path, name):
    target = tmp_path / "out"
    with pytest.raises(EnvironmentSetupError, match="would write"):
        unpack(put(archive(GOOD | {name: b"x"})), target, brings="textures")
    assert not target.exists()
    assert not (tmp_path / "evil").exists()


def test_links_are_refused(put, tmp_path):
    content = archive(GOOD | {"textures/link": b"/etc/passwd"}, **{"textures/link": LINK})
    with pytest.raises(EnvironmentSetupError, match="is no plain file"):
        unpack(put(content), tmp_path / "out", brings="textures")


@pytest.mark.parametrize("content", [b"", b"<html>Not found</html>", archive(GOOD)[:200]])
def test_junk_is_no_archive(put, tmp_path, content):
    with pytest.raises(EnvironmentSetupError, match="is no complete ZIP archive"):
        unpack(put(content), tmp_path / "out", brings="textures")


def test_a_damaged_member_is_found(put, tmp_path):
    content = bytearray(archive({"textures/a.bin": bytes(range(256)) * 50}))
    content[60] ^= 0xFF
    with pytest.raises(EnvironmentSetupError, match="is no complete ZIP archive"):
        unpack(put(bytes(content)), tmp_path / "out", brings="textures")


def test_what_is_encrypted_is_refused(put, tmp_path):
    content = bytearray(archive(GOOD))
    content[content.find(b"PK\x03\x04") + 6] |= 1
    content[content.find(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(EnvironmentSetupError, match=r"holds `textures/a\.png`, which is encrypted"):
        unpack(put(bytes(content)), tmp_path / "out", brings="textures")


@pytest.mark.parametrize("name", ["textures/a.png/b.png", f"textures/{'n' * 300}"])
def test_names_that_cannot_be_are_the_archives_fault(put, tmp_path, name):
    """It is told so that the archive is fetched again, not as a lack of room."""
    with pytest.raises(EnvironmentSetupError, match="holds what cannot be unpacked") as caught:
        unpack(put(archive(GOOD | {name: b"x"})), tmp_path / "out", brings="textures")
    assert caught.value.__cause__ is None


def test_an_archive_does_not_write_what_tells_of_the_fetch(put, tmp_path):
    (tmp_path / "manifest.json").write_text("ours")
    theirs = {"manifest.json": b"theirs", ".fetch/lock": b"x"}
    assert unpack(put(archive(GOOD | theirs)), tmp_path, brings="textures") == 2
    assert (tmp_path / "manifest.json").read_text() == "ours"
    assert not (tmp_path / ".fetch").exists()


@pytest.mark.parametrize("files", [{}, {"other/a.png": b"a"}, {"textures_2/a.png": b"a"}])
def test_an_archive_without_its_folder_is_refused(put, tmp_path, files):
    with pytest.raises(EnvironmentSetupError, match="holds nothing in `textures`"):
        unpack(put(archive(files)), tmp_path / "out", brings="textures")


def test_room_is_asked_for_before_anything_is_written(put, tmp_path):
    def full(count):
        assert count == 1001
        raise EnvironmentSetupError("full")

    with pytest.raises(EnvironmentSetupError, match="full"):
        unpack(put(archive(GOOD)), tmp_path / "out", brings="textures", room_for=full)
    assert not (tmp_path / "out").exists()
