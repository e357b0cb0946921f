"""Front ends of `rpent run`: a flag each, options of their own, and a request that may lack its task."""

import json

import pytest
from click.shell_completion import ShellComplete
from rpent.errors import ExitCode

FRONTEND = """
    from rpent.api import FrontendSpec, hookimpl

    PLUGIN_API = 1
    HOME = "wall_plugin"

    @hookimpl
    def rpent_frontends():
        yield FrontendSpec(
            name="wall", summary="Shows runs on a wall.", frontend=f"{HOME}:run", config=f"{HOME}:Config"
        )

    def run(request, config, *, task_given):
        import json

        seen = {"robot": dict(request.robot_config), "config": config.model_dump(), "task_given": task_given}
        print(json.dumps({**seen, "type": type(config).__name__, "progress": request.progress}))
        return 7

    def __getattr__(name):
        from pydantic import BaseModel, Field

        if name != "Config":
            raise AttributeError(name)

        class Config(BaseModel):
            height_m: float = Field(2.0, gt=0, description="How high it hangs.")
            bright: bool = Field(False, description="Whether it is bright.")
            also_on: list[str] = Field([], description="Further walls.")

        return Config
    """
ROBOT = """
    from rpent.api import DashboardSpec, RobotSpec, hookimpl

    PLUGIN_API = 1

    @hookimpl
    def rpent_robots():
        yield RobotSpec(
            name="mover", summary="s", robot="mover_plugin:Robot", config="mover_plugin:Config",
            dashboard=DashboardSpec(task_fields={fields!r}),
        )

    def __getattr__(name):
        from pydantic import BaseModel, Field

        if name != "Config":
            raise AttributeError(name)

        class Config(BaseModel):
            scene: str = Field(description="Where it is.")
            goal: int = Field(ge=0, description="What to do there.")
            speed: float = Field(1.0, gt=0, description="How fast.")

        return Config
    """


@pytest.fixture
def wall(plugin_site):
    plugin_site.add(
        "rpent-wall",
        entry_points={"rpent.frontends": {"wall": "wall_plugin"}},
        modules={"wall_plugin.py": FRONTEND},
    )
    return plugin_site


@pytest.fixture
def mover(wall):
    """A robot whose task must be given; by default any field is part of it."""

    def add(*fields):
        wall.add(
            "rpent-robot-mover",
            entry_points={"rpent.robots": {"mover": "mover_plugin"}},
            modules={"mover_plugin.py": ROBOT.format(fields=fields)},
        )

    return add


@pytest.fixture
def run(run_cli):
    def run(*args, **kwargs):
        return run_cli(
            "run", "--robot", "mover", "--planner", "replay", "--recipe", "r.jsonl", *args, **kwargs
        )

    return run


def told(result):
    assert result.exit_code == 7, result.stderr
    return json.loads(result.stdout)


def test_the_flag_is_there_from_metadata_alone(plugin_site, run_cli):
    plugin_site.add(
        "rpent-wall",
        entry_points={"rpent.frontends": {"wall": "wall_plugin"}},
        modules={"wall_plugin.py": "raise RuntimeError('imported')"},
    )
    result = run_cli("run", "--help")
    assert result.exit_code == 0
    assert "--wall" in result.stdout
    assert "--wall-height-m" not in result.stdout


def test_its_options_stand_under_a_heading_when_it_is_asked_for(wall, run_cli):
    text = run_cli("run", "--wall", "--help").stdout
    core, _, own = text.partition("Options of the front end `wall`")
    assert "--wall-height-m" not in core
    assert "--wall-height-m FLOAT RANGE" in own
    assert "--wall-bright / --no-wall-bright" in own
    assert "RPENT_WALL_HEIGHT_M" in own


def test_it_gets_the_request_and_its_own_options(mover, run):
    mover()
    options = ["--wall-height-m", "3", "--wall-bright", "--wall-also-on", "a", "--wall-also-on", "b"]
    seen = told(run("--scene", "attic", "--goal", "1", "--wall", *options, "--progress", "plain"))
    assert seen == {
        "robot": {"scene": "attic", "goal": 1},
        "config": {"height_m": 3.0, "bright": True, "also_on": ["a", "b"]},
        "task_given": True,
        "type": "Config",
        "progress": "plain",
    }


def test_an_option_can_come_from_the_environment(mover, run):
    mover()
    environment = {"RPENT_WALL_HEIGHT_M": "4", "RPENT_MOVER_SCENE": "attic", "RPENT_MOVER_GOAL": "2"}
    seen = told(run("--wall", env=environment))
    assert seen["config"]["height_m"] == 4.0
    assert (seen["task_given"], seen["robot"]) == (True, {"scene": "attic", "goal": 2})


def test_the_task_may_be_chosen_there(mover, run):
    mover("scene", "goal")
    seen = told(run("--wall", "--speed", "2"))
    assert (seen["task_given"], seen["robot"]) == (False, {"speed": 2.0})


def test_a_task_that_is_begun_must_be_complete(mover, run):
    mover("scene", "goal")
    result = run("--wall", "--scene", "attic")
    assert result.exit_code == ExitCode.USAGE
    assert "The robot `mover` needs `--goal`." in result.stderr


def test_what_is_no_part_of_the_task_is_demanded(mover, run):
    mover("goal")
    result = run("--wall")
    assert result.exit_code == ExitCode.USAGE
    assert "--scene" in result.stderr


def test_what_is_given_is_checked_although_the_task_is_missing(mover, run):
    mover("scene", "goal")
    result = run("--wall", "--speed", "0")
    assert result.exit_code == ExitCode.USAGE
    assert "--speed" in result.stderr


def test_without_a_front_end_the_task_is_demanded(mover, run):
    mover("scene", "goal")
    result = run()
    assert result.exit_code == ExitCode.USAGE
    assert "Missing option '--scene'" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--interactive"], "`--wall` and `--interactive` both steer the run."),
        (["--explore"], "`--explore` goes on by itself for several attempts; `--wall` waits for you."),
        (
            ["--json"],
            "`--json` prints one run for a program; `--wall` carries out as many as its user likes.",
        ),
        (["--progress", "json"], "`--progress json` prints one run for a program"),
        (["--fence"], "`--fence` and `--wall` both steer the run."),
    ],
)
def test_what_does_not_go_with_it(mover, wall, run, options, said):
    mover()
    wall.add(
        "rpent-fence",
        entry_points={"rpent.frontends": {"fence": "fence_plugin"}},
        modules={"fence_plugin.py": FRONTEND.replace("wall", "fence")},
    )
    result = run("--wall", *options)
    assert result.exit_code == ExitCode.USAGE
    assert said in result.stderr


def test_a_broken_one_matters_only_to_who_asks_for_it(wall, mover, run, run_cli):
    mover()
    wall.add(
        "rpent-fence",
        entry_points={"rpent.frontends": {"fence": "fence_plugin"}},
        modules={"fence_plugin.py": "import no_such_module"},
    )
    assert told(run("--wall"))["task_given"] is False
    result = run("--fence")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "no_such_module" in result.stderr


def test_an_option_of_one_that_was_not_asked_for_names_the_flag(mover, run):
    mover()
    result = run("--scene", "attic", "--goal", "1", "--wall-height-m", "3")
    assert result.exit_code == ExitCode.USAGE
    assert "`--wall-height-m` is an option of the front end `wall`; add `--wall`." in result.stderr


def test_a_value_that_its_model_refuses_is_a_usage_error(mover, run):
    mover()
    result = run("--wall", "--wall-height-m", "-1")
    assert result.exit_code == ExitCode.USAGE
    assert "--wall-height-m" in result.stderr


def test_a_name_that_is_an_option_already_adds_no_flag(plugin_site, run_cli):
    plugin_site.add(
        "rpent-quiet",
        entry_points={"rpent.frontends": {"quiet": "quiet_plugin"}},
        modules={"quiet_plugin.py": "PLUGIN_API = 1"},
    )
    assert run_cli("run", "--help").stdout.count("--quiet") == 1


def test_plugins_list_and_show_know_it(wall, run_cli):
    listed = json.loads(run_cli("plugins", "list", "--kind", "frontends", "--json").stdout)
    assert ("wall", "available") in {(entry["name"], entry["status"]) for entry in listed["plugins"]}
    shown = run_cli("plugins", "show", "wall").stdout
    assert shown.startswith("front end wall")
    assert "Shows runs on a wall." in shown
    assert "--wall-height-m" in shown


@pytest.mark.parametrize(
    ("typed", "incomplete", "offered"),
    [([], "--wal", "--wall"), (["--wall"], "--wall-h", "--wall-height-m")],
)
def test_shell_completion_offers_the_flag_and_its_options(
    wall, plugin_environment, typed, incomplete, offered
):
    from rpent.cli import main

    complete = ShellComplete(main, {}, "rpent", "_RPENT_COMPLETE")
    found = {item.value for item in complete.get_completions(["run", *typed], incomplete)}
    assert offered in found
