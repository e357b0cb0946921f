"""The command line of a resumed run, up to `rpent.run.resume`: the recorded planner brings its options."""

import json

import pytest
from rpent.errors import ExitCode

PLUGIN = """
    from rpent.api import PlannerSpec, hookimpl
    PLUGIN_API = 1

    @hookimpl
    def rpent_planners():
        home = "{module}"
        yield PlannerSpec(name="{name}", summary="s", planner=f"{{home}}:P", config=f"{{home}}:Config")

    def __getattr__(name):
        from pydantic import BaseModel, Field

        class Config(BaseModel):
            {fields}

        if name == "Config":
            return Config
        raise AttributeError(name)
    """
THINKER = """model: str = Field(description="Needed.")
            depth: int = Field(1, ge=0, description="How deep.")
            wide: bool = Field(False, description="How wide.")
            speed_m_s: float = Field(2.0, description="A name that the robot has too.")"""
GUESSER = 'luck: int = Field(7, le=9, description="How lucky.")'


def recorded(folder, *processes):
    """Write the run.json of a run that `thinker` was started with."""
    config = {"model": "small", "depth": 5, "wide": True, "speed_m_s": 2.0}
    manifest = {
        "format": 1,
        "rpent": "0.1.0",
        "created": 1.0,
        "robot": {"name": "walker", "config": {}},
        "planner": {"name": "thinker", "config": config},
        "task": {"instruction": "Walk.", "tag": "walk"},
        "request": {
            "robot": "walker",
            "planner": "thinker",
            "planner_config": {"model": "small", "depth": 5},
        },
        "services": {},
        "timings_s": {},
        "processes": list(processes),
        "outcome": None,
    }
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(manifest))


@pytest.fixture
def runs(plugin_site, tmp_path):
    """A folder with one run, and the plugins that it names."""
    plugin_site.add_robot("walker")
    for name, fields in (("thinker", THINKER), ("guesser", GUESSER)):
        source = PLUGIN.format(name=name, module=f"{name}_plugin", fields=fields)
        plugin_site.add(
            f"rpent-planner-{name}",
            entry_points={"rpent.planners": {name: f"{name}_plugin"}},
            modules={f"{name}_plugin.py": source},
        )
    recorded(tmp_path / "runs" / "walk")
    return tmp_path / "runs"


@pytest.fixture
def resumed(monkeypatch):
    """What reaches `rpent.run.resume`."""
    import rpent.run

    seen = []

    class Ended:
        exit_code = ExitCode.TASK_FAILED

    def resume(run_dir, *, steering, **changes):
        seen.append({"run_dir": run_dir, **changes})
        return Ended()

    monkeypatch.setattr(rpent.run, "resume", resume)
    return seen


@pytest.fixture
def again(runs, run_cli):
    """Run `rpent resume latest` with more arguments."""

    def run(*args, **options):
        return run_cli("resume", "latest", "--output-dir", str(runs), *args, **options)

    return run


def test_without_a_run_the_help_says_how_to_see_more(runs, run_cli):
    text = run_cli("resume", "--help").stdout
    assert "rpent resume RUN --help" in text
    assert "  RUN\n" not in text
    assert "--depth" not in text


def test_the_recorded_planners_options_stand_under_its_heading(again):
    text = again("--help").stdout
    core, _, own = text.partition("Options of the planner `thinker`")
    assert "--max-turns" in core
    assert "--depth" not in core
    assert "[recorded: 5]" in own
    assert "[recorded: small]" in own
    assert "[recorded: on]" in own
    assert "[default:" not in own
    assert "RPENT_THINKER" not in own


def test_options_are_named_as_those_of_the_run(again):
    assert "--planner-speed-m-s" in again("--help").stdout


def test_only_what_is_typed_changes(again, resumed, runs):
    result = again(
        "--depth", "3", "--no-wide", env={"RPENT_THINKER_MODEL": "other", "RPENT_PLANNER": "guesser"}
    )
    assert result.exit_code == ExitCode.TASK_FAILED, result.stderr
    (changes,) = resumed
    assert changes["run_dir"] == runs / "walk"
    assert (changes["planner"], changes["planner_config"]) == ("thinker", {"depth": 3, "wide": False})


def test_another_planner_starts_from_its_own_defaults(again, resumed):
    text = again("--planner", "guesser", "--help").stdout
    assert "Options of the planner `guesser`" in text
    assert "[default: 7]" in text
    assert "--depth" not in text
    again("--planner", "guesser", env={"RPENT_GUESSER_LUCK": "8"})
    assert (resumed[0]["planner"], resumed[0]["planner_config"]) == ("guesser", {"luck": 8})


def test_the_last_process_says_who_goes_on(runs, run_cli, resumed):
    process = {
        "planner": {"name": "guesser", "config": {"luck": 2}},
        "request": {"planner": "guesser", "planner_config": {"luck": 2}},
    }
    recorded(runs / "later", {"pid": 1}, process)
    text = run_cli("resume", str(runs / "later"), "--help").stdout
    assert "[recorded: 2]" in text
    run_cli("resume", str(runs / "later"))
    assert resumed[0]["planner"] == "guesser"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--depth", "-1"], "-1 is not in the range x>=0"),
        (["--dept", "1"], "No such option '--dept'"),
        (["--luck", "1"], "No such option '--luck'"),
        (["--planner", "guessr"], "No planner is named `guessr`; did you mean `guesser`?"),
    ],
)
def test_wrong_usage(again, resumed, args, sentence):
    result = again(*args)
    assert result.exit_code == ExitCode.USAGE
    assert sentence in result.stderr
    assert resumed == []


def test_the_run_comes_first(runs, run_cli, resumed):
    recorded(runs / "later")
    command = ("resume", "--output-dir", str(runs))
    result = run_cli(*command, "--model", str(runs / "later"), "walk")
    assert result.exit_code == ExitCode.USAGE
    assert "RUN comes before the planner's options" in result.stderr
    assert resumed == []
    assert run_cli(*command, "--max-turns", "9", "walk").exit_code == ExitCode.TASK_FAILED


def test_a_run_that_does_not_exist(runs, run_cli):
    result = run_cli("resume", "wlk", "--output-dir", str(runs), "--depth", "1")
    assert result.exit_code == ExitCode.USAGE
    assert "There is no run `wlk`; did you mean `walk`?" in result.stderr
    assert "RUN comes before the planner's options" in run_cli("resume", "--model", "m", "latest").stderr
