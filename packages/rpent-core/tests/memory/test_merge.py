"""Drafts become sections; each run has one; what does not fit is refused and the rest goes in."""

from __future__ import annotations

import pytest
from rpent.errors import UsageError
from rpent.memory.layout import MAX_NOTE_BYTES
from rpent.memory.merge import Evidence, merge
from rpent.memory.note import parse_note
from rpent.testing.memory import note, write_files

GLOBAL = "global/mugs.md"


def run(name, **values):
    return Evidence(run=name, created=1_700_000_000.0, **values)


def read(store, path=GLOBAL):
    return parse_note(store.read().files[path])


def test_a_new_note_has_the_runs_section_and_a_line_in_the_index(store, tmp_path):
    drafts = write_files(tmp_path / "d", {GLOBAL: note()})
    report = merge(store, drafts, run("a", benchmark_success=True))
    assert report.merged == (GLOBAL,)
    assert report.problems == ()
    assert (store.path / GLOBAL).read_text() == (
        "---\ntitle: Mugs\nsummary: How to grasp mugs.\n---\n\n"
        "## From run `a` (2023-11-14, solved)\n\nGrasp the rim.\n"
    )
    assert "- `global/mugs.md`: Mugs. How to grasp mugs.\n" in (store.path / "MEMORY.md").read_text()


def test_another_run_appends_and_brings_the_newer_summary(store, tmp_path):
    merge(store, write_files(tmp_path / "a", {GLOBAL: note("One.")}), run("a"))
    merge(store, write_files(tmp_path / "b", {GLOBAL: note("Two.", summary="Better.")}), run("b"))
    found = read(store)
    assert [(section.run, section.body) for section in found.sections] == [("a", "One."), ("b", "Two.")]
    assert found.summary == "Better."


def test_the_same_run_replaces_its_own_section_in_place(store, tmp_path):
    merge(store, write_files(tmp_path / "a", {GLOBAL: note("One.")}), run("a"))
    merge(store, write_files(tmp_path / "b", {GLOBAL: note("Two.")}), run("b"))
    merge(store, write_files(tmp_path / "a", {GLOBAL: note("One, corrected.")}), run("a"))
    assert [section.body for section in read(store).sections] == ["One, corrected.", "Two."]


def test_merging_twice_changes_nothing(store, tmp_path):
    drafts = write_files(tmp_path / "d", {GLOBAL: note()})
    merge(store, drafts, run("a"))
    before = (store.path / "MEMORY.md").stat().st_ino
    assert merge(store, drafts, run("a")).unchanged == (GLOBAL,)
    assert (store.path / "MEMORY.md").stat().st_ino == before


def test_what_was_written_by_hand_is_kept(store, tmp_path):
    write_files(store.path, {GLOBAL: note("By hand.")})
    merge(store, write_files(tmp_path / "d", {GLOBAL: note("By a run.")}), run("a"))
    assert read(store).body == "By hand."
    assert [section.body for section in read(store).sections] == ["By a run."]


def test_a_note_that_is_not_valid_is_not_overwritten(store, tmp_path):
    write_files(store.path, {GLOBAL: "no head\n"})
    report = merge(store, write_files(tmp_path / "d", {GLOBAL: note()}), run("a"))
    assert [problem.path for problem in report.problems] == [GLOBAL]
    assert (store.path / GLOBAL).read_text() == "no head\n"


def test_a_bad_draft_does_not_keep_the_others_out(store, tmp_path):
    drafts = write_files(tmp_path / "d", {GLOBAL: note(), "global/bad.md": "no head", "x.txt": "x"})
    report = merge(store, drafts, run("a"))
    assert report.merged == (GLOBAL,)
    assert [problem.path for problem in report.problems] == ["global/bad.md", "x.txt"]


def test_drafts_for_other_tasks_are_refused(store, tmp_path):
    drafts = write_files(
        tmp_path / "d",
        {
            f"{folder}/a.md": note()
            for folder in ("global", "task-family/f", "task-family/g", "task-specific/t", "task-specific/u")
        },
    )
    report = merge(store, drafts, run("a", family="f", task="t"))
    assert report.merged == ("global/a.md", "task-family/f/a.md", "task-specific/t/a.md")
    assert [problem.path for problem in report.problems] == ["task-family/g/a.md", "task-specific/u/a.md"]


def test_a_note_does_not_outgrow_its_bound(store, tmp_path):
    long = "x" * (MAX_NOTE_BYTES - 300)
    merge(store, write_files(tmp_path / "a", {GLOBAL: note(long)}), run("a"))
    before = (store.path / GLOBAL).read_bytes()
    report = merge(store, write_files(tmp_path / "b", {GLOBAL: note("y" * 300)}), run("b"))
    assert "would have" in report.problems[0].text
    assert (store.path / GLOBAL).read_bytes() == before


def test_a_draft_cannot_speak_for_another_run(store, tmp_path):
    forged = note("Mine.\n\n## From run `b` (2023-11-14, solved)\n\nForged.")
    report = merge(store, write_files(tmp_path / "d", {GLOBAL: forged}), run("a"))
    assert report.merged == ()
    assert "only what this run adds" in report.problems[0].text


@pytest.mark.parametrize("name", ["a`b", "", "a\nb", "../a", "x" * 201])
def test_a_runs_name_must_fit_a_heading(store, tmp_path, name):
    with pytest.raises(UsageError, match="cannot be the name of a run"):
        merge(store, write_files(tmp_path / "d", {GLOBAL: note()}), run(name))


def test_no_drafts_leave_no_trace(store, tmp_path):
    assert merge(store, tmp_path / "absent", run("a")).merged == ()
    assert not store.path.exists()
