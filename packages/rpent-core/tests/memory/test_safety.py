"""Parallel writers lose nothing; a kill at any moment leaves a memory that is valid and whole."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest
from rpent.errors import MemoryStoreError
from rpent.memory import journal
from rpent.memory.index import entries, render_index
from rpent.memory.layout import INDEX
from rpent.memory.lock import locked
from rpent.memory.merge import Evidence, merge
from rpent.memory.note import parse_note
from rpent.memory.store import Store
from rpent.memory.view import MemoryView
from rpent.testing.memory import note, write_files

WRITER = """
import sys
from pathlib import Path
from rpent.memory.merge import Evidence, merge
from rpent.memory.publish import publish_recipe
from rpent.memory.store import Store
from rpent.testing.memory import note, recipe_calls, solved_audit, write_files

root, drafts, name, first, count = sys.argv[1:]
store = Store(Path(root), "fake")
for number in range(int(first), int(first) + int(count)):
    run = f"{name}-{number}"
    files = {"global/shared.md": note(f"From {run}."), f"global/{name}.md": note(f"From {run}.")}
    report = merge(store, write_files(Path(drafts) / run, files), Evidence(run=run))
    assert len(report.merged + report.unchanged) == 2, report  # unchanged: merged before a kill
    publish_recipe(store, "t", recipe_calls(2 + number % 3), solved_audit(run=run, env_steps=10_000 - number))
    print(number, flush=True)
"""


def writer(store, drafts, name, first, count):
    command = [sys.executable, "-c", WRITER, str(store.root), str(drafts), name, str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def runs_of(data):
    return [section.run for section in parse_note(data).sections]


def assert_valid(store):
    found = store.read()
    assert found.problems == ()
    assert MemoryView(store.root, "fake", "f", "t").problems == ()
    if found.files and not (store.path / journal.PENDING).exists():
        assert (store.path / INDEX).read_text() == render_index("fake", entries(found.files))
    return found.files


def test_four_processes_merge_at_once_and_nothing_is_lost(store, tmp_path):
    started = [writer(store, tmp_path / "drafts", f"w{number}", 0, 12) for number in range(4)]
    assert [process.wait(120) for process in started] == [0] * 4
    files = assert_valid(store)
    every = {f"w{number}-{run}" for number in range(4) for run in range(12)}
    assert set(runs_of(files["global/shared.md"])) == every
    assert len(runs_of(files["global/shared.md"])) == len(every)
    assert MemoryView(store.root, "fake", "f", "t").recipe().audit.env_steps == 10_000 - 11


def test_kills_at_random_moments_leave_a_valid_memory(store, tmp_path):
    chance, done = random.Random(7), 0
    for _ in range(12):
        process = writer(store, tmp_path / "drafts", "w", done, 20)
        assert process.stdout.readline().strip() == str(done)
        time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[0].split()
        done = int(rest[-1]) + 1 if rest else done + 1
        files = assert_valid(store)
        merged = runs_of(files["global/shared.md"])
        assert merged == runs_of(files["global/w.md"])
        assert merged[:done] == [f"w-{number}" for number in range(done)]
        assert len(merged) <= done + 1
    merge(store, write_files(tmp_path / "last", {"global/last.md": note()}), Evidence(run="last"))
    assert_valid(store)
    assert sorted(file.name for file in store.path.iterdir()) == [".lock", INDEX, "global", "task-specific"]


@pytest.mark.parametrize("moment", range(30))
def test_a_crash_between_any_two_writes_is_all_or_nothing(store, tmp_path, monkeypatch, moment):
    """Every system call that changes the folder is a moment to die; readers and the next writer see one state."""
    merge(
        store,
        write_files(tmp_path / "a", {"global/a.md": note("1"), "global/b.md": note("1")}),
        Evidence(run="r1"),
    )
    drafts = write_files(tmp_path / "b", {"global/a.md": note("2"), "global/b.md": note("2")})
    left = iter(range(moment))

    def dying(original):
        def call(*args, **kwargs):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return original(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        for owner, name in ((os, "fsync"), (os, "replace"), (os, "rename"), (os, "mkdir")):
            patch.setattr(owner, name, dying(getattr(owner, name)))
        with contextlib.suppress(KeyboardInterrupt):
            merge(store, drafts, Evidence(run="r2"))
    files = assert_valid(store)
    seen = {tuple(runs_of(files[path])) for path in ("global/a.md", "global/b.md")}
    assert seen in ({("r1",)}, {("r1", "r2")})
    merge(store, write_files(tmp_path / "c", {"global/c.md": note()}), Evidence(run="r3"))
    after = assert_valid(store)
    assert {tuple(runs_of(after[path])) for path in ("global/a.md", "global/b.md")} == seen


def test_a_writer_that_waits_says_so_and_gives_up_in_the_end(store):
    told = []
    impatient = locked(store.path, waiting=told.append, quiet_s=0.05, timeout_s=0.3)
    with locked(store.path), pytest.raises(MemoryStoreError, match="in use by another process"), impatient:
        raise AssertionError("two writers at once")
    assert told == ["Waiting for the memory of `fake`, which another process is writing."]


def test_a_writer_goes_on_when_the_other_is_done(store, tmp_path):
    release = threading.Event()
    held = threading.Event()

    def hold():
        with locked(store.path):
            held.set()
            release.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    threading.Timer(0.2, release.set).start()
    done = merge(store, write_files(tmp_path / "d", {"global/a.md": note()}), Evidence(run="r"))
    holder.join()
    assert done.merged == ("global/a.md",)


def test_readers_do_not_wait_for_each_other(store, tmp_path):
    merge(store, write_files(tmp_path / "d", {"global/a.md": note()}), Evidence(run="r"))
    with locked(store.path, shared=True):
        assert list(Store(store.root, "fake").read().files) == ["global/a.md"]


def test_a_full_disk_changes_nothing(store, tmp_path, monkeypatch):
    merge(store, write_files(tmp_path / "a", {"global/a.md": note("1")}), Evidence(run="r1"))
    before = (store.path / "global/a.md").read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(MemoryStoreError, match="No space left"):
            merge(store, write_files(tmp_path / "b", {"global/a.md": note("2")}), Evidence(run="r2"))
    assert (store.path / "global/a.md").read_bytes() == before
    assert {path.name for path in store.path.iterdir()} == {".lock", "MEMORY.md", "global"}, (
        "room is given back"
    )
    assert_valid(store)
