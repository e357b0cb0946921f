"""A memory passed on as a file: what comes out is what went in, and a hostile file changes nothing."""

from __future__ import annotations

import gzip
import io
import json
import tarfile

import pytest
from rpent.errors import MemoryStoreError, UsageError
from rpent.memory.archive import HEADER, export, import_, read_archive
from rpent.memory.publish import publish_recipe
from rpent.memory.store import Store
from rpent.testing.memory import note, recipe_calls, solved_audit, write_files


@pytest.fixture
def full(store):
    write_files(store.path, {"global/a.md": note(), "task-family/f/a.md": note("Family.")})
    publish_recipe(store, "t", recipe_calls(), solved_audit())
    return store


@pytest.fixture
def other(tmp_path):
    return Store(tmp_path / "elsewhere", "fake")


def member(name, data=b"", **values):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in values.items():
        setattr(info, key, value)
    return info, data


def packed(path, *members, header=b'{"format": 1, "robot": "fake"}'):
    with tarfile.open(path, "w:gz") as tar:
        for info, data in [member(HEADER, header), *members]:
            tar.addfile(info, io.BytesIO(data))
    return path


GOOD = member("global/good.md", note().encode())


def test_round_trip(full, other, tmp_path):
    assert export(full, tmp_path / "m.tar.gz") == 4
    archive = read_archive(tmp_path / "m.tar.gz")
    assert archive.robot == "fake"
    assert set(import_(other, archive).added) == set(full.read().files)
    assert other.read().files == full.read().files
    assert (other.path / "MEMORY.md").read_text() == (full.path / "MEMORY.md").read_text()
    assert set(import_(other, archive).unchanged) == set(full.read().files)


def test_the_same_memory_gives_the_same_bytes(full, tmp_path):
    for name in ("a", "b"):
        export(full, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_differing_files_are_kept_and_reported_unless_replaced(full, other, tmp_path):
    export(full, tmp_path / "m")
    write_files(other.path, {"global/a.md": note("Mine."), "global/b.md": note("Mine.")})
    publish_recipe(other, "t", recipe_calls(4), solved_audit(run="mine", env_steps=7))
    before = other.read().files
    report = import_(other, read_archive(tmp_path / "m"))
    recipe = ("task-specific/t/recipe.jsonl", "task-specific/t/audit.json")
    assert report.conflicts == ("global/a.md", *recipe)
    assert report.added == ("task-family/f/a.md",)
    assert {path: data for path, data in other.read().files.items() if path in before} == before
    assert import_(other, read_archive(tmp_path / "m"), replace=True).replaced == report.conflicts
    assert other.read().files == full.read().files | {"global/b.md": before["global/b.md"]}


def test_an_invalid_file_in_the_memory_is_a_conflict_too(full, other, tmp_path):
    export(full, tmp_path / "m")
    write_files(other.path, {"global/a.md": "not a note"})
    assert import_(other, read_archive(tmp_path / "m")).conflicts == ("global/a.md",)
    assert (other.path / "global/a.md").read_text() == "not a note"


@pytest.mark.parametrize(
    "bad",
    [
        member("../evil.md", b"x"),
        member("global/../../evil.md", b"x"),
        member("/tmp/evil.md", b"x"),
        member("global/evil.sh", b"x"),
        member("evil.md", b"x"),
        member(".lock", b"x"),
        member("global/link.md", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        member("global/hard.md", type=tarfile.LNKTYPE, linkname="global/good.md"),
        member("global/pipe.md", type=tarfile.FIFOTYPE),
        member("global/device.md", type=tarfile.CHRTYPE),
        member("global/good.md", note("Twice.").encode()),
        member("global/nohead.md", b"no head"),
        member("global/big.md", note("x" * 40_000).encode()),
        member("global/huge.md", b"\0" * 5_000_000),
        member("task-specific/t/recipe.jsonl", b"{}\n"),
        member("task-specific/t/audit.json", b"{}"),
    ],
    ids=lambda bad: bad[0].name,
)
def test_one_bad_member_refuses_the_whole_file(tmp_path, bad):
    file = packed(tmp_path / "m.tar.gz", GOOD, bad)
    with pytest.raises(UsageError) as caught:
        read_archive(file)
    assert caught.value.message.isprintable()
    assert not (tmp_path.parent / "evil.md").exists()


def test_a_recipe_that_no_benchmark_confirmed_is_refused(full, tmp_path):
    audit = json.loads((full.path / "task-specific/t/audit.json").read_bytes())
    recipe = (full.path / "task-specific/t/recipe.jsonl").read_bytes()
    forged = json.dumps(audit | {"benchmark_success": False}).encode()
    members = [member("task-specific/t/recipe.jsonl", recipe), member("task-specific/t/audit.json", forged)]
    with pytest.raises(UsageError, match="did not confirm"):
        read_archive(packed(tmp_path / "m", *members))


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("rpent.memory.archive.MAX_TOTAL_BYTES", 1_000_000)
    members = [member(f"global/n{number}.md", note("x" * 30_000).encode()) for number in range(50)]
    with pytest.raises(UsageError, match="too many bytes"):
        read_archive(packed(tmp_path / "many", *members))
    long = member("x" * 3_000_000, b"")
    with pytest.raises(UsageError, match="too many bytes"):
        read_archive(packed(tmp_path / "name", long))


@pytest.mark.parametrize(
    "header", [b"", b"{}", b"[]", b'{"format": 2, "robot": "fake"}', b'{"format": 1, "robot": "../x"}']
)
def test_a_header_that_is_not_ours_is_refused(tmp_path, header):
    with pytest.raises(UsageError):
        read_archive(packed(tmp_path / "m", GOOD, header=header))


@pytest.mark.parametrize(
    "data", [b"", b"not an archive", gzip.compress(b"not a tar", mtime=0), gzip.compress(b"", mtime=0)]
)
def test_what_is_no_archive_is_one_sentence(tmp_path, data):
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(UsageError, match="is not an archive of a memory"):
        read_archive(tmp_path / "m")


def test_a_torn_archive_is_refused(full, tmp_path):
    export(full, tmp_path / "m")
    data = (tmp_path / "m").read_bytes()
    for end in range(0, len(data), 97):
        (tmp_path / "torn").write_bytes(data[:end])
        with pytest.raises(UsageError):
            read_archive(tmp_path / "torn")


def test_exporting_nothing_or_to_nowhere(store, full, tmp_path):
    with pytest.raises(UsageError, match="no memory of the robot"):
        export(Store(store.root, "nobody"), tmp_path / "m")
    with pytest.raises(MemoryStoreError, match="cannot be written"):
        export(full, tmp_path / "absent" / "m")
