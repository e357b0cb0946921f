"""The journal: what survives the process, and who may go on with it."""

from __future__ import annotations

import json
import shutil

import pytest
from rpent.runs.files import LineLog, unwritable
from rpent_dashboard.hosting import folder
from rpent_dashboard.hosting.errors import ConflictError, NotFoundError
from rpent_dashboard.hosting.journal import NAME, Journal, read_entries
from rpent_dashboard.hosting.record import fold

from .conftest import manual, scripted

STUCK = ("finish", {"status": "stuck"})


def opened(path, *entries):
    path.mkdir(parents=True)
    journal = Journal(path)
    journal.append("opened", robot="fake", request={"robot": "fake", "planner": "scripted"})
    for kind, values in entries:
        journal.append(kind, **values)
    journal.close()
    return path


def queued(name, **values):
    return "queued", {"id": name, "values": values, "planner": "scripted", "planner_config": {}}


def test_a_torn_last_line_is_tolerated_and_cut_off(tmp_path):
    path = opened(tmp_path / "s", queued("a"), ("started", {"id": "a"}))
    with (path / NAME).open("ab") as file:
        file.write(b'{"type": "ended", "id": "a", "sta')
    assert fold(read_entries(path)).tasks["a"].status == "starting"
    journal = Journal(path)
    journal.append("withdrawn", id="a")
    journal.close()
    lines = (path / NAME).read_text().splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["opened", "queued", "started", "withdrawn"]


@pytest.mark.parametrize(
    "line",
    ["[]", "7", '{"type": "queued"}', '{"type": "ended", "id": "a"}', '{"type": "later", "id": "a"}', "\xff"],
)
def test_entries_that_are_not_as_they_should_be_change_nothing(tmp_path, line):
    path = opened(tmp_path / "s", queued("a"))
    with (path / NAME).open("ab") as file:
        file.write(line.encode("latin-1") + b"\n")
    record = fold(read_entries(path))
    assert (record.robot, list(record.tasks), record.tasks["a"].outcome) == ("fake", ["a"], None)


@pytest.mark.parametrize(
    "changed",
    [
        {"id": [1]},
        {"id": 7},
        {"values": [1]},
        {"planner": None},
        {"planner_config": "x"},
        {"label": {"a": 1}},
    ],
)
def test_a_task_of_wrong_types_is_passed_over(tmp_path, changed):
    kind, values = queued("b")
    path = opened(tmp_path / "s", queued("a"), (kind, {**values, **changed}))
    assert list(fold(read_entries(path)).tasks) == ["a"]


@pytest.mark.parametrize(
    "changed", [{"status": ["x"]}, {"status": "dancing"}, {"outcome": {}}, {"run": 3}, {"detail": None}]
)
def test_an_end_of_wrong_types_is_passed_over(tmp_path, changed):
    path = opened(tmp_path / "s", queued("a"), ("ended", {"id": "a", "status": "ended", **changed}))
    task = fold(read_entries(path)).tasks["a"]
    assert (task.status, task.outcome, task.run, task.detail) == ("queued", None, None, "")


def test_what_was_under_way_is_interrupted_once_somebody_goes_on(tmp_path):
    path = opened(
        tmp_path / "s",
        queued("a"),
        queued("b"),
        queued("c"),
        ("started", {"id": "a"}),
        ("ended", {"id": "a", "status": "ended", "outcome": "success", "benchmark_success": True}),
        ("started", {"id": "b"}),
        ("run", {"id": "b", "run": "s~run"}),
        ("service", {"service": "vla", "state": "ready"}),
    )
    before = fold(read_entries(path))
    assert before.services["vla"]["state"] == "ready"
    assert [task.id for task in before.interrupted()] == ["b"]
    journal = Journal(path)
    journal.append("continued", pid=1)
    journal.close()
    record = fold(read_entries(path))
    assert [(task.status, task.outcome, task.run) for task in record.tasks.values()] == [
        ("ended", "success", None),
        ("interrupted", "interrupted", "s~run"),
        ("queued", None, None),
    ]
    assert record.services == {}


def test_one_process_holds_a_session(tmp_path):
    path = opened(tmp_path / "20260101-000000_dashboard_fake")
    held = folder.hold(path)
    with pytest.raises(ConflictError, match="another process"):
        folder.hold(path)
    assert folder.earlier(tmp_path)[0]["in_use"]
    held.release()
    folder.hold(path).release()


def test_an_earlier_session_goes_on(stage):
    first = stage(manual())
    first.control.queue({})
    first.control.queue({"task": 1}, "scripted", {"calls": [STUCK]})
    first.wait_for("awaiting")
    name = first.folder.name
    first.host.close()

    second = stage()
    with pytest.raises(NotFoundError, match="no session `other`"):
        second.host.continue_("other")
    second.host.continue_(name)
    second.wait_idle()
    assert second.tasks("planner", "status", "outcome") == [
        ("manual", "interrupted", "interrupted"),
        ("scripted", "ended", "failure"),
    ]
    second.control.queue({"task": 2})
    second.wait_for("awaiting")
    assert len(second.state["tasks"]) == 3
    assert second.folder.name == name


def test_two_hosts_on_one_session(stage):
    first, second = stage(scripted(STUCK)), stage()
    with pytest.raises(ConflictError, match="open in another process"):
        second.host.continue_(first.folder.name)
    assert not second.host.is_open
    assert second.host.earlier()[0]["in_use"]


def test_a_queued_task_that_can_no_longer_run_fails_and_the_next_one_runs(stage):
    first = stage(manual())
    first.control.queue({})
    first.wait_for("awaiting")
    first.host.session.note(
        "queued", id="old", values={"gone": 1}, planner="scripted", planner_config={"calls": [STUCK]}
    )
    first.control.queue({}, "scripted", {"calls": [STUCK]})
    name = first.folder.name
    first.host.close()
    second = stage()
    second.host.continue_(name)
    second.wait_idle()
    assert [status for (status,) in second.tasks("status")] == ["interrupted", "failed", "ended"]
    assert "no option `gone`" in second.state["tasks"][1]["detail"]


def test_what_a_full_disk_refused_is_written_once_there_is_room(stage, monkeypatch):
    one = stage(scripted(STUCK))
    write = LineLog.append

    def full(self, line):
        if self.path.name == NAME:
            raise unwritable(self.path, OSError(28, "No space left on device"))
        write(self, line)

    with monkeypatch.context() as patched:
        patched.setattr(LineLog, "append", full)
        one.control.queue({})
        state = one.wait_idle()
        assert "No space left on device" in state["problem"]
        assert state["tasks"][0]["started_at"] > state["tasks"][0]["queued_at"] > 0
    one.control.queue({"task": 1})
    assert one.wait_idle()["problem"] == ""
    kept = fold(read_entries(one.folder)).tasks.values()
    assert [task.to_json() for task in kept] == one.state["tasks"]


def test_a_session_whose_folder_was_deleted_says_so(stage):
    one = stage(scripted(STUCK))
    one.control.queue({})
    assert one.wait_idle()["problem"] == ""
    shutil.rmtree(one.folder)
    one.control.queue({"task": 1})
    state = one.wait_idle()
    assert "was deleted or moved" in state["problem"]
    assert [task["status"] for task in state["tasks"]] == ["ended", "ended"]
