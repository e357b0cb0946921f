"""A run goes on with other options of its planner, or with another planner; its record says who did what."""

from __future__ import annotations

import json

import pytest
from rpent.errors import UsageError
from rpent.run import Limits, resume
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.runs.index import list_runs
from rpent.runs.show import show_lines
from rpent.specs import PlannerSpec
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry, fake_specs
from rpent.testing.scripted_planner import ScriptConfig, ScriptedPlanner


class Other(ScriptedPlanner):
    """A planner of another name."""


SPEC = PlannerSpec(
    name="other",
    summary="For this test.",
    planner=f"{__name__}:Other",
    config=f"{ScriptConfig.__module__}:ScriptConfig",
    uses_model=False,
)


@pytest.fixture
def go_on():
    """Resume, for one more turn unless other limits are given."""
    specs = fake_specs()
    specs["planners"]["other"] = SPEC

    def run(run_dir, turns=100, **changes):
        limits = Limits(max_turns=turns)
        return resume(run_dir, registry=FakeRegistry(specs), progress="quiet", limits=limits, **changes)

    return run


@pytest.fixture
def stopped(run_fake):
    """A run that stopped after two turns."""
    return run_fake(solution(), limits=Limits(max_turns=2)).run_dir


def manifest_of(run_dir):
    return json.loads((run_dir / "run.json").read_text())


def resumed_events(run_dir):
    return [event for event in read_events(run_dir / "events.jsonl") if event.type == "run_resumed"]


def test_other_options_of_the_same_planner(stopped, go_on):
    started = manifest_of(stopped)
    outcome = go_on(stopped, planner_config={"tokens_per_turn": 5})
    assert outcome.benchmark_success is True, outcome.detail
    run = manifest_of(stopped)
    assert (run["planner"], run["request"]) == (started["planner"], started["request"])
    first, second = run["processes"]
    assert first["planner"]["config"]["tokens_per_turn"] == 0
    assert second["planner"]["config"]["tokens_per_turn"] == 5
    assert second["planner"]["config"]["calls"] == first["planner"]["config"]["calls"]
    (event,) = resumed_events(stopped)
    assert (event.planner, event.options) == ("scripted", {"tokens_per_turn": 5})
    (line,) = [line for line in show_lines(RunDirectory(stopped)) if line.startswith("— resumed")]
    assert line.endswith(" with scripted (tokens_per_turn=5)")


def test_another_planner_and_then_the_first_again(stopped, go_on):
    go_on(stopped, 3, planner="other", planner_config={"calls": solution()})
    again = go_on(stopped, 4)
    assert again.reason == "turn_limit", again.detail
    outcome = go_on(stopped, planner="scripted", planner_config={"calls": solution()})
    assert outcome.benchmark_success is True, outcome.detail
    run = manifest_of(stopped)
    assert [process["planner"]["name"] for process in run["processes"]] == [
        "scripted",
        "other",
        "other",
        "scripted",
    ]
    assert run["processes"][2]["request"] == run["processes"][1]["request"]
    assert [event.planner for event in resumed_events(stopped)] == ["other", "other", ""]
    (summary,) = list_runs(stopped.parent)
    assert (summary.planner, summary.planners) == ("scripted", ("scripted", "other"))
    head = "\n".join(show_lines(RunDirectory(stopped))).partition("created")[0]
    assert head.count("then other (calls=") == 1
    assert head.index("then other") < head.index("then as started")


def test_a_run_that_changes_nothing_says_nothing(stopped, go_on):
    go_on(stopped)
    assert resumed_events(stopped)[0].planner == ""
    assert "then" not in "\n".join(show_lines(RunDirectory(stopped))).partition("created")[0]


def test_the_new_options_are_checked_before_anything_is_written(stopped, go_on, monkeypatch):
    before = (stopped / "run.json").read_bytes()
    with pytest.raises(UsageError, match="no option `modle`"):
        go_on(stopped, planner_config={"modle": "m"})
    seen = []

    def check(planner, _limits):
        seen.append(planner.config.tokens_per_turn)
        raise UsageError("Not now.")

    monkeypatch.setattr(ScriptedPlanner, "check", check, raising=False)
    with pytest.raises(UsageError, match="Not now"):
        go_on(stopped, planner_config={"tokens_per_turn": 9})
    assert seen == [9]
    assert (stopped / "run.json").read_bytes() == before


def test_a_run_of_an_earlier_version(stopped, go_on):
    run = manifest_of(stopped)
    for process in run["processes"]:
        del process["planner"], process["request"]
    (stopped / "run.json").write_text(json.dumps(run))
    assert go_on(stopped, planner_config={"tokens_per_turn": 1}).benchmark_success is True
    assert resumed_events(stopped)[0].options == {"tokens_per_turn": 1}
