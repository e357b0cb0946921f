import asyncio
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic_core import to_json
from rpent_dashboard.reading.keys import MissingError
from rpent_dashboard.reading.library import Library
from rpent_dashboard.reading.query import Query
from rpent_dashboard.reading.rows import Row

MakeRun = Callable[..., Path]


@contextmanager
def held(run: Path) -> Iterator[None]:
    """Hold a run as the process that writes it does."""
    file = os.open(run / ".lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(file)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "runs")


def only(library: Library) -> Row:
    (row,) = library.rows()
    return library.row(library.run(row.key))


def test_a_run_that_succeeded(library: Library, make_run: MakeRun) -> None:
    run = make_run()
    (run / "episode.mp4").write_bytes(b"video")
    found = only(library).to_json()
    thumbnail = found.pop("thumbnail")
    assert found == {
        "key": run.name,
        "name": run.name,
        "session": None,
        "created": 1_790_000_000.0,
        "finished": 1_790_000_020.0,
        "duration_s": 20.0,
        "robot": "fake",
        "suite": None,
        "task": "0",
        "seed": 0,
        "instruction": "put the red cube on the pad",
        "planner": "scripted",
        "planners": ("scripted",),
        "model": "some/model",
        "policy": None,
        "state": "ended",
        "outcome": "success",
        "benchmark_success": True,
        "planner_status": "success",
        "reason": "finished",
        "detail": "Done.",
        "cost_usd": 0.25,
        "input_tokens": 10,
        "output_tokens": 5,
        "turns": 2,
        "tool_calls": 3,
        "env_steps": 40,
        "attempts": None,
        "has_video": True,
        "problem": "",
    }
    assert thumbnail["path"] == "steps/0001/table.jpg"
    assert len(thumbnail["sha256"]) == 64


@pytest.mark.parametrize(
    ("success", "reason", "outcome"),
    [
        (True, "finished", "success"),
        (False, "finished", "failure"),
        (None, "finished", "unknown"),
        (None, "infrastructure", "infrastructure"),
        (False, "infrastructure", "infrastructure"),
        (True, "infrastructure", "success"),
        (None, "interrupted", "interrupted"),
        (False, "interrupted", "interrupted"),
        (True, "interrupted", "success"),
    ],
)
def test_the_outcome_in_a_word(
    library: Library, make_run: MakeRun, success: bool | None, reason: str, outcome: str
) -> None:
    ended = {"reason": reason, "detail": "", "benchmark_success": success, "planner_status": None}
    make_run(manifest={"outcome": ended})
    assert only(library).outcome == outcome


def test_a_run_that_goes_on_and_one_that_was_interrupted(library: Library, make_run: MakeRun) -> None:
    run = make_run(manifest={"outcome": None, "finished": None}, events=[])
    with held(run):
        assert (only(library).state, only(library).outcome) == ("running", "running")
    assert (only(library).state, only(library).outcome) == ("interrupted", "interrupted")


def test_the_last_event_knows_the_outcome_that_run_json_lacks(library: Library, make_run: MakeRun) -> None:
    make_run(manifest={"outcome": None})
    assert (only(library).state, only(library).outcome) == ("ended", "success")


def test_the_runs_of_groups_have_keys_of_their_own(library: Library, make_run: MakeRun) -> None:
    make_run("20260922-120000_dashboard_fake/fake_t0_s0_scripted_20260922-120001")
    make_run("20260922-120000_explore_fake/fake_t0_s0_scripted_20260922-120002")
    make_run("somewhere/else")
    rows = library.rows()
    assert [row.key for row in rows] == [
        "20260922-120000_explore_fake~fake_t0_s0_scripted_20260922-120002",
        "20260922-120000_dashboard_fake~fake_t0_s0_scripted_20260922-120001",
    ]
    assert rows[1].session == "20260922-120000_dashboard_fake"
    assert library.run(rows[1].key).name == "fake_t0_s0_scripted_20260922-120001"


def test_a_damaged_run_is_listed_with_what_the_events_say(library: Library, make_run: MakeRun) -> None:
    make_run(manifest=b'{"format": 1, "robot": {"na')
    row = only(library)
    assert (row.state, row.outcome) == ("damaged", "damaged")
    assert (row.robot, row.task, row.planner, row.seed) == ("fake", "fake_t0_s0", "scripted", 0)
    assert (row.instruction, row.created) == ("put the red cube on the pad", 1_790_000_000.0)
    assert row.benchmark_success is True
    assert "damaged" in row.problem


@pytest.mark.parametrize("manifest", [b"", b"[1]", b"\x00\xff", b"null", b'{"a":' * 100_000])
def test_whatever_is_in_run_json_the_run_is_listed(
    library: Library, make_run: MakeRun, manifest: bytes
) -> None:
    make_run(manifest=manifest)
    assert only(library).state == "damaged"


@pytest.mark.parametrize(
    "change",
    [
        {"robot": "fake"},
        {"robot": None, "planner": 7},
        {"task": "put the red cube on the pad"},
        {"task": None},
        {"created": "2026-09-22T12:00:00+00:00"},
        {"created": None, "processes": None, "usage": [], "counts": 5},
        {"created": True, "processes": [1, None], "attempts": {}},
        {"outcome": "success", "policy": "none"},
        {"outcome": [], "planner": {"name": ["x"]}},
        {"usage": {"cost_usd": float("nan"), "input_tokens": 10**100, "model": "\ud800"}},
        {"policy": {"name": "\udfff"}, "outcome": {"reason": "a\ud800", "detail": 5}},
    ],
)
def test_run_json_of_another_shape_is_read_as_far_as_it_goes(
    library: Library, make_run: MakeRun, change: dict
) -> None:
    make_run(manifest=change)
    row = only(library)
    assert (row.robot, row.instruction) == ("fake", "put the red cube on the pad")
    assert row.created is not None
    assert to_json(library.page(Query(), 0, 10), inf_nan_mode="null")


def test_a_run_without_run_json_and_events_that_say_nothing(library: Library, make_run: MakeRun) -> None:
    make_run(manifest=None, events=[], lines=b"\x00nonsense\n{}\n")
    row = only(library)
    assert (row.state, row.task, row.planner) == ("damaged", "fake_t0_s0", "scripted")
    assert row.created is not None
    assert row.thumbnail is None


def test_a_run_that_has_just_begun_has_no_problem(library: Library, make_run: MakeRun) -> None:
    run = make_run(manifest=None, events=[])
    with held(run):
        assert (only(library).state, only(library).problem) == ("running", "")


def test_the_thumbnail_of_a_run_that_recorded_no_hashes(library: Library, make_run: MakeRun) -> None:
    run = make_run(events=[])
    (run / "steps/0003").mkdir()
    (run / "steps/0003/call_1_overlay.jpg").write_bytes(b"x")
    (run / "steps/0003/table.jpg").write_bytes(b"x")
    assert only(library).thumbnail == {"path": "steps/0003/table.jpg", "sha256": "-"}


@pytest.mark.parametrize(
    "path", ["../../secret.jpg", "/etc/passwd", "steps/../run.json", "steps/0000/.x.jpg", 5]
)
def test_a_picture_that_an_event_names_elsewhere_is_no_thumbnail(
    library: Library, make_run: MakeRun, path: object
) -> None:
    make_run(events=[{"type": "step", "step": 0, "images": [{"name": "table", "path": path}]}])
    assert only(library).thumbnail is None


def test_the_thumbnail_skips_pictures_that_were_deleted(library: Library, make_run: MakeRun) -> None:
    run = make_run()
    (run / "steps/0001/table.jpg").unlink()
    thumbnail = only(library).thumbnail
    assert thumbnail is not None
    assert thumbnail["path"] == "steps/0000/table.jpg"


def test_what_changes_is_read_again(library: Library, make_run: MakeRun) -> None:
    run = make_run()
    assert only(library).outcome == "success"
    values = json.loads((run / "run.json").read_text())
    values["outcome"]["benchmark_success"] = False
    (run / "run.json").write_text(json.dumps(values))
    assert only(library).outcome == "failure"
    shutil.rmtree(run)
    assert library.rows() == []
    with pytest.raises(MissingError):
        library.run(run.name)


def test_an_output_directory_that_does_not_exist(library: Library) -> None:
    page = library.page(Query(), 0, 100)
    assert (page["total"], page["runs"]) == (0, [])
    assert page["problem"]


@pytest.mark.parametrize("name", ["run.json", "events.jsonl", ".lock", "episode.mp4", "steps"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_stands_in_the_place_of_a_file(
    library: Library, make_run: MakeRun, tmp_path: Path, kind: str, name: str
) -> None:
    run = make_run("fake_t0_s0_scripted_20260922-120000")
    (tmp_path / "secret").write_text(json.dumps({"robot": {"name": "secret"}}))
    place = run / name
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to(tmp_path / "secret")
    row = only(library)
    assert row.robot == "fake"


def test_folders_that_are_no_runs_are_not_listed(library: Library, make_run: MakeRun, tmp_path: Path) -> None:
    make_run()
    (tmp_path / "runs/notes").mkdir()
    (tmp_path / "runs/file_explore_x").write_text("")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/run.json").write_text("{}")
    (tmp_path / "runs/link").symlink_to(tmp_path / "elsewhere")
    assert len(library.rows()) == 1


def test_pages_are_the_newest_first(library: Library, make_run: MakeRun) -> None:
    for number in range(5):
        make_run(f"run{number}", manifest={"created": 1_790_000_000.0 + number})
    page = library.page(Query(), 1, 2)
    assert page["total"] == 5
    assert [run["name"] for run in page["runs"]] == ["run3", "run2"]
    assert page["facets"]["robot"] == [{"value": "fake", "count": 5}]


def test_a_folder_that_becomes_a_run_only_later_is_told(library: Library, tmp_path: Path) -> None:
    async def main() -> None:
        changes = library.changes()
        await anext(changes)
        later = asyncio.create_task(anext(changes))
        for name in ("slow", "20260922-120000_dashboard_fake/slow"):
            (tmp_path / "runs" / name).mkdir(parents=True)
            await asyncio.sleep(1.0)
            assert not later.done()
            (tmp_path / "runs" / name / "run.json").write_text("{}")
            await asyncio.wait_for(later, 20)
            later = asyncio.create_task(anext(changes))
        later.cancel()

    asyncio.run(main())


def test_changes_are_told(library: Library, make_run: MakeRun) -> None:
    async def main() -> None:
        changes = library.changes()
        await anext(changes)
        make_run("first", events=[], manifest={"outcome": None})
        await asyncio.wait_for(anext(changes), 20)
        make_run("20260922-120000_dashboard_fake/inner")
        await asyncio.wait_for(anext(changes), 20)
        with held(library.run("first")):
            await asyncio.wait_for(anext(changes), 20)
        await asyncio.wait_for(anext(changes), 20)
        shutil.rmtree(library.run("first"))
        await asyncio.wait_for(anext(changes), 20)
        await changes.aclose()

    asyncio.run(main())
