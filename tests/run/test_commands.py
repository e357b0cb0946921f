"""`runs list`, `show`, `resume` and `replay` on the command line, over recorded runs of the fake robot."""

from __future__ import annotations

import json
import shutil

import pytest
from click.testing import CliRunner
from rpent.cli.replay import command as replay
from rpent.cli.resume import command as resume
from rpent.cli.runs.list import command as list_runs
from rpent.cli.show import command as show
from rpent.errors import RpentError, UsageError
from rpent.plugins import registry
from rpent.run import Limits, RunRequest, execute
from rpent.runs import index
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """One solved run and one that was cut short."""
    directory = tmp_path_factory.mktemp("recorded")

    def run(**changes):
        request = RunRequest(
            robot="fake",
            planner="scripted",
            planner_config={"calls": solution()},
            output_dir=directory,
            progress="quiet",
            **changes,
        )
        return execute(request, registry=FakeRegistry())

    run()
    run(limits=Limits(max_turns=3))
    return directory


@pytest.fixture
def runs(recorded, tmp_path):
    """A copy of them that a test may change."""
    return shutil.copytree(recorded, tmp_path / "runs")


@pytest.fixture
def fakes(monkeypatch):
    """The fake robot is 'installed'."""
    fake = FakeRegistry(installed=registry.current())
    monkeypatch.setattr(registry, "current", lambda: fake)


def invoke(command, *arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def test_runs_list_shows_verdicts_newest_first(runs):
    lines = invoke(list_runs, "--output-dir", runs).output.splitlines()
    assert "turn_limit" in lines[0]
    assert "success" in lines[1]
    assert "put the red cube on the pad" in lines[1]


def test_runs_list_json_is_versioned(runs):
    document = json.loads(invoke(list_runs, "--output-dir", runs, "--json", "--limit", 1).output)
    assert document["version"] == 1
    assert [run["reason"] for run in document["runs"]] == ["turn_limit"]


def test_a_damaged_run_is_listed_with_its_problem(runs):
    broken = runs / "broken"
    broken.mkdir()
    (broken / "run.json").write_text("{")
    assert "cannot be read" in invoke(list_runs, "--output-dir", runs).output


def test_show_tells_the_story(runs):
    text = invoke(show, "latest", "--output-dir", runs).output
    assert "task      Task: " in text
    assert "→ move_to(xyz=[" in text
    assert "planner     no claim (turn_limit)" in text


def test_show_json_holds_the_events(runs):
    document = json.loads(invoke(show, "latest", "--output-dir", runs, "--json").output)
    assert document["run"]["robot"]["name"] == "fake"
    assert document["events"][0]["type"] == "run_started"


def test_an_unknown_run_is_a_usage_error(runs):
    with pytest.raises(UsageError, match="no run `nothing`"):
        invoke(show, "nothing", "--output-dir", runs)


def test_resume_goes_on_under_a_new_limit(runs, fakes):
    result = CliRunner().invoke(
        resume, ["latest", "--output-dir", str(runs), "--max-turns", "20", "-q"], standalone_mode=False
    )
    assert result.return_value == 0, result.exception
    assert "benchmark: success" in result.output


def test_resume_under_the_old_limit_ends_at_once(runs, fakes):
    result = CliRunner().invoke(resume, ["latest", "--output-dir", str(runs), "-q"], standalone_mode=False)
    assert result.return_value == 1


def test_replay_writes_a_run_of_its_own(runs, fakes):
    solved = next(run.path for run in index.list_runs(runs) if run.benchmark_success)
    before = len(list(runs.iterdir()))
    result = CliRunner().invoke(
        replay, [str(solved), "--output-dir", str(runs), "--json"], standalone_mode=False
    )
    assert result.return_value == 0, result.exception
    assert len(list(runs.iterdir())) == before + 1
    assert json.loads(result.output.splitlines()[-1])["outcome"]["benchmark_success"] is True


def test_a_replay_is_not_cut_by_the_limits_that_a_resumed_run_went_beyond(runs, fakes):
    cut = next(run.path for run in index.list_runs(runs) if not run.benchmark_success)
    again = [str(cut), "--output-dir", str(runs), "-q"]
    CliRunner().invoke(resume, [*again, "--max-turns", "20"], standalone_mode=False)
    assert CliRunner().invoke(replay, again, standalone_mode=False).return_value == 0
    limited = CliRunner().invoke(replay, [*again, "--max-turns", "3"], standalone_mode=False)
    assert limited.return_value == 1
    assert "turn_limit" in limited.output


def test_a_recipe_of_nowhere_is_one_sentence(tmp_path):
    with pytest.raises(RpentError):
        invoke(replay, tmp_path)
