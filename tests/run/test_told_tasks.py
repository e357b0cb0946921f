"""Tasks that only the scene puts into words, and runs whose results are not the benchmark's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rpent.cli.runs.list import command as list_runs
from rpent.run import Limits, resume
from rpent.run.progress import result_lines
from rpent.runs import events as ev
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.runs.show import show_lines
from rpent.testing.fake_robot.robot import SPEC, solution
from rpent.testing.registry import FakeRegistry, fake_specs

TOLD, CAVEAT = "Put the cube that stands here on the pad.", "The cubes are made of paper."


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> FakeRegistry:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    specs = fake_specs()
    specs["robots"] = {"fake": replace(SPEC, robot="scene_told:SceneTold")}
    return FakeRegistry(specs)


def test_the_planner_is_told_what_the_scene_says(run_fake, registry):
    outcome = run_fake(solution(), registry=registry)
    assert outcome.benchmark_success
    found = list(read_events(outcome.run_dir / "events.jsonl"))
    kinds = [event.type for event in found]
    assert kinds.index("task_stated") < kinds.index("prompts")
    assert next(event for event in found if isinstance(event, ev.RunStarted)).instruction == "cubes"
    assert next(event for event in found if isinstance(event, ev.PromptsRendered)).user == f"Task: {TOLD}."
    manifest = RunDirectory(outcome.run_dir).read_manifest()
    assert manifest["task"]["instruction"] == TOLD
    assert manifest["caveats"] == [CAVEAT]
    shown = "\n".join(show_lines(RunDirectory(outcome.run_dir)))
    assert f"task        {TOLD}" in shown
    assert f"caveat      {CAVEAT}" in shown
    assert f"caveat:    {CAVEAT}" in result_lines(outcome)


def test_a_resumed_run_is_told_the_same(run_fake, registry):
    outcome = run_fake(solution(), registry=registry, limits=Limits(max_turns=3))
    assert outcome.benchmark_success is False
    again = resume(outcome.run_dir, registry=registry, progress="quiet", limits=Limits())
    manifest = RunDirectory(again.run_dir).read_manifest()
    assert manifest["task"]["instruction"] == TOLD
    assert manifest["caveats"] == [CAVEAT]
    told = [event for event in read_events(again.run_dir / "events.jsonl") if event.type == "task_stated"]
    assert len(told) == 1


def test_what_is_published_leaves_such_runs_out_and_says_so(run_fake, registry, tmp_path):
    run_fake(solution(), registry=registry)
    kept = run_fake(solution())
    where = ["--output-dir", str(tmp_path / "runs"), "--json"]
    listed = CliRunner().invoke(list_runs, [*where, "--publishable"])
    assert listed.exit_code == 0, listed.output
    assert [run["path"] for run in json.loads(listed.stdout)["runs"]] == [str(kept.run_dir)]
    assert "1 run is left out" in listed.stderr
    assert CAVEAT in listed.stderr
    everything = CliRunner().invoke(list_runs, where)
    assert [run["caveats"] for run in json.loads(everything.stdout)["runs"]] == [[], [CAVEAT]]


def test_a_run_that_never_came_to_a_verdict_is_not_published(run_fake, tmp_path):
    failed = run_fake(solution(), limits=Limits(max_turns=1))
    manifest = RunDirectory(failed.run_dir).read_manifest()
    manifest["outcome"] |= {"benchmark_success": None, "reason": "infrastructure"}
    RunDirectory(failed.run_dir).write_manifest(manifest)
    listed = CliRunner().invoke(
        list_runs, ["--output-dir", str(tmp_path / "runs"), "--json", "--publishable"]
    )
    assert json.loads(listed.stdout)["runs"] == []
    assert "Without a verdict" in listed.stderr
