"""The command line of a run, up to the request; `rpent.run` carries it out."""

import json

import pytest
from click.shell_completion import ShellComplete
from rpent.cli import run as run_module
from rpent.cli import sections
from rpent.errors import ExitCode


@pytest.fixture
def robots(plugin_site):
    plugin_site.add_robot("walker")
    plugin_site.add_robot("crane")
    plugin_site.add_robot("broken", source="import no_such_module")
    return plugin_site


PLANNER = """
    from rpent.api import PlannerSpec, hookimpl
    PLUGIN_API = 1

    @hookimpl
    def rpent_planners():
        home = "thinker_plugin"
        yield PlannerSpec(name="thinker", summary="s", planner=f"{home}:P", config=f"{home}:Config")

    def __getattr__(name):
        from pydantic import BaseModel, Field

        class Config(BaseModel):
            depth: int = Field(1, description="How deep.")
            speed_m_s: float = Field(2.0, description="A name that the robot has too.")
            output_dir: str = Field("", description="A name that the core has too.")

        if name == "Config":
            return Config
        raise AttributeError(name)
    """


@pytest.fixture
def robots_and_planner(robots, plugin_site):
    plugin_site.add(
        "rpent-planner-thinker",
        entry_points={"rpent.planners": {"thinker": "thinker_plugin"}},
        modules={"thinker_plugin.py": PLANNER},
    )


@pytest.fixture
def requests(monkeypatch):
    """What reaches `rpent.run.execute`."""
    import rpent.run

    seen = []

    class Ended:
        exit_code = ExitCode.TASK_FAILED

    def execute(request, **_):
        seen.append(request)
        return Ended()

    monkeypatch.setattr(rpent.run, "execute", execute)
    return seen


def test_choices_are_what_is_installed_and_nothing_is_imported(robots, run_cli):
    text = run_cli("run", "--help").stdout
    assert "broken" in text
    assert "walker" in text
    assert "--speed-m-s" not in text


def test_a_robots_options_stand_under_its_own_heading(robots, run_cli):
    text = run_cli("run", "--robot", "walker", "--help").stdout
    core, _, own = text.partition("Options of the robot `walker`")
    assert "--speed-m-s" not in core
    assert "--speed-m-s FLOAT RANGE" in own
    assert "RPENT_WALKER_SPEED_M_S" in own


def test_robot_and_planner_options_do_not_clash(robots_and_planner, run_cli):
    text = run_cli("run", "--help", "--planner", "thinker", "--robot", "walker").stdout
    own = text.partition("Options of the planner `thinker`")[2]
    assert "--depth" in own
    assert "--planner-speed-m-s" in own
    assert "--planner-output-dir" in own


def test_the_request_holds_what_was_given(robots_and_planner, run_cli, requests, tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    result = run_cli(
        *(
            "run",
            "--robot",
            "walker",
            "--speed-m-s",
            "0.5",
            "--planner",
            "thinker",
            "--planner-speed-m-s",
            "9",
        ),
        *(
            "--output-dir",
            str(tmp_path),
            "--max-turns",
            "none",
            "--time-limit-s",
            "2.5",
            "--no-video",
            "--json",
        ),
        *("--token-file", str(tmp_path / "token"), "--perceptor", "none"),
        env={"RPENT_THINKER_DEPTH": "4"},
    )
    assert result.exit_code == ExitCode.TASK_FAILED, result.stderr
    (request,) = requests
    assert (request.robot, request.planner, request.perceptor) == ("walker", "thinker", "none")
    assert request.robot_config == {"speed_m_s": 0.5}
    assert request.planner_config == {"depth": 4, "speed_m_s": 9.0}
    assert request.output_dir == tmp_path
    assert request.limits.max_turns is None
    assert request.limits.time_limit_s == 2.5
    assert request.token == "s3cret"
    assert request.progress == "json"
    assert request.record_video is False


def test_an_exploration_sums_up_its_sessions(robots_and_planner, run_cli, monkeypatch, tmp_path):
    import rpent.run
    from rpent.run.explore import Exploration
    from rpent.runs.outcome import Outcome

    seen = []

    def explore(request, **_):
        seen.append(request)
        outcomes = [
            Outcome(
                benchmark_success=success, planner_status=None, reason="finished", run_dir=tmp_path / name
            )
            for name, success in (("one", False), ("two", True))
        ]
        return Exploration(outcomes=tuple(outcomes), folder=tmp_path)

    monkeypatch.setattr(rpent.run, "explore", explore)
    options = ("--robot", "walker", "--planner", "thinker", "--explore", "--sessions", "2")
    result = run_cli("run", *options)
    assert result.exit_code == ExitCode.SUCCESS, result.stderr
    assert (seen[0].explore.attempts, seen[0].explore.sessions, seen[0].memory) == (3, 2, True)
    assert "session 1: not solved (finished)" in result.stdout
    assert "session 2: success (finished)" in result.stdout
    last = json.loads(run_cli("run", *options, "--json").stdout.splitlines()[-1])
    assert [session["outcome"]["benchmark_success"] for session in last["sessions"]] == [False, True]


def test_the_default_planner_has_its_options_too(robots_and_planner, run_cli, requests, monkeypatch):
    monkeypatch.setattr(sections, "DEFAULT_PLANNERS", ("absent", "thinker"))
    assert run_cli("run", "--robot", "walker", "--depth", "3").exit_code == ExitCode.TASK_FAILED
    assert (requests[0].planner, requests[0].planner_config) == ("thinker", {"depth": 3})


def test_without_a_usual_planner_one_must_be_named(robots_and_planner, run_cli, requests, monkeypatch):
    monkeypatch.setattr(sections, "DEFAULT_PLANNERS", ())
    result = run_cli("run", "--robot", "walker")
    assert result.exit_code == ExitCode.USAGE
    assert "Missing option '--planner'" in result.stderr
    assert "`thinker`" in result.stderr


def test_defaults_are_those_of_the_session():
    from rpent.session.limits import Limits

    limits = Limits()
    for name, value in run_module.LIMITS.items():
        assert getattr(limits, name) == value


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "Missing option '--robot'"),
        (["--speed-m-s", "1"], "Missing option '--robot'"),
        (["--robot", "wlker"], "No robot is named `wlker`; did you mean `walker`?"),
        (["--robot", "walker", "--planner", "thinkr"], "No planner is named `thinkr`"),
        (["--robot", "walker", "--sped-m-s", "1"], "No such option '--sped-m-s'"),
        (["--robot", "walker", "--speed-m-s", "7"], "7.0 is not in the range 0<x<=1"),
        (["--robot", "walker", "--speed-m-s", "fast"], "'fast' is not a valid float"),
        (["--robot", "walker", "--speed-m-s", "nan"], "`--speed-m-s`"),
        (["--robot", "walker", "--max-turns", "0"], "`0` is not a positive integer (or `none` for no limit)"),
        (["--robot", "walker", "--time-limit-s", "nan"], "`nan` is not a positive number"),
        (["--robot", "walker", "--no-plugin", "walker"], "The robot `walker` is disabled."),
        (
            ["--robot", "walker", "--token-file", "/no/such/file"],
            "`--token-file` /no/such/file cannot be read",
        ),
        (["--robot", "walker", "--transport", "inproc"], "`inproc` cannot be used here"),
        (["--robot", "walker", "--attempts", "2"], "`--attempts` is for exploration"),
        (["--robot", "walker", "--explore", "--attempts", "0"], "0 is not in the range x>=1"),
        (["--robot", "walker", "--explore", "--no-memory"], "`--explore` teaches the memory"),
        (["--robot", "walker", "surplus"], "Got unexpected extra argument (surplus)"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(robots_and_planner, run_cli, requests, args, sentence):
    result = run_cli("run", *args, *([] if "--planner" in args else ["--planner", "thinker"]))
    assert result.exit_code == ExitCode.USAGE
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert requests == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("rpent run --robot wal", "walker"),
        ("rpent run --robot walker --spe", "--speed-m-s"),
        ("rpent ru", "runs"),
    ],
)
def test_shell_completion(robots, words, expected):
    from rpent.cli import main

    *args, incomplete = words.split()[1:]
    found = [
        item.value
        for item in ShellComplete(main, {}, "rpent", "_RPENT_COMPLETE").get_completions(args, incomplete)
    ]
    assert expected in found


def test_a_broken_robot_shows_its_record(robots, run_cli):
    result = run_cli("run", "--robot", "broken", "--help")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "needs the module `no_such_module`, which is not installed" in result.stderr
    assert "pip install no_such_module" in result.stderr


def test_an_import_string_that_leads_nowhere_is_an_error_of_the_plugin(plugin_site, run_cli):
    plugin_site.add_robot(
        "lost",
        source="from rpent.api import RobotSpec, hookimpl\nPLUGIN_API = 1\n@hookimpl\ndef rpent_robots():\n"
        "    yield RobotSpec(name='lost', summary='s', robot='nowhere:R', config='nowhere:C')\n",
    )
    result = run_cli("run", "--robot", "lost", "--help")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "The robot `lost` names `nowhere:C`, which cannot be imported" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "memory"),
    [
        ((), False),
        (("--memory",), True),
        (("--memory-dir", "notes"), True),
        (("--memory-dir", "notes", "--no-memory"), False),
    ],
)
def test_memory_is_off_unless_it_or_its_directory_is_asked_for(
    robots_and_planner, run_cli, requests, arguments, memory
):
    run_cli("run", "--robot", "walker", "--planner", "thinker", *arguments)
    assert requests[0].memory is memory
