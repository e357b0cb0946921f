"""A robot from outside the repository, installed with pip beside the built wheels; and faulty ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from rpent.errors import ExitCode

FIXTURES = Path(__file__).parent / "fixtures"
FAULTY = (
    "rpent-robot-broken-import",
    "rpent-robot-outdated",
    "rpent-robot-modern",
    "acme-toy",
    "rpent-robot-exits",
)


@pytest.fixture
def outside(tmp_path):
    """A copy of the fixture distributions, in a folder outside the repository."""
    return Path(shutil.copytree(FIXTURES, tmp_path / "src"))


def robots(environment, *args):
    listed = environment.run("rpent", *args, "plugins", "list", "--json", "--kind", "robots")
    assert listed.returncode == 0, listed.stderr
    return {row["qualified_name"]: row for row in json.loads(listed.stdout)["plugins"]}


@pytest.mark.wheels
def test_it_comes_and_goes(fresh_environment, outside):
    env = fresh_environment
    env.install("rpent-core[testing]", "rpent-transport-zmq", "pytest-timeout")
    assert "toy" not in env.run("rpent", "run", "--help").stdout

    env.install(outside / "rpent-robot-toy")
    shown = env.run("rpent", "run", "--robot", "toy", "--help")
    assert "--robot [toy]" in shown.stdout
    assert "RPENT_TOY_TASK" in shown.stdout
    assert robots(env)["rpent-robot-toy:toy"]["status"] == "available"
    own_tests = env.run(
        "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(outside / "rpent-robot-toy")
    )
    assert own_tests.returncode == 0, own_tests.stdout + own_tests.stderr

    env.uninstall("rpent-robot-toy")
    gone = env.run("rpent", "run", "--robot", "toy")
    assert gone.returncode == ExitCode.USAGE
    assert "No robot is named `toy`" in gone.stderr


@pytest.mark.wheels
def test_it_is_driven_by_a_recipe(fresh_environment, outside):
    env = fresh_environment
    env.install("rpent-core", "rpent-transport-zmq", outside / "rpent-robot-toy")
    recipe = env.folder / "recipe.jsonl"
    calls = [
        {"name": "move_to", "arguments": {"xyz": [0.2, 0.2, 0.1]}},
        {"name": "move_to", "arguments": {"xyz": [0.2, 0.2, 0.0]}},
    ]
    recipe.write_text("".join(json.dumps(call) + "\n" for call in calls))
    run = ("run", "--robot", "toy", "--planner", "replay", "--recipe", str(recipe))
    done = env.run("rpent", *run)
    assert done.returncode == ExitCode.SUCCESS, done.stdout + done.stderr
    (record,) = (env.folder / "runs").glob("*/run.json")
    assert json.loads(record.read_text())["outcome"]["benchmark_success"] is True
    missed = env.run("rpent", *run, "--task", "1")
    assert missed.returncode == ExitCode.TASK_FAILED, missed.stdout + missed.stderr


@pytest.mark.wheels
def test_faulty_ones_are_listed_while_everything_else_works(fresh_environment, outside):
    env = fresh_environment
    env.install("rpent-core", outside / "rpent-robot-toy")
    env.install(*(outside / name for name in FAULTY), deps=False)
    found = robots(env)
    faults = {
        "rpent-robot-broken-import:broken-import": ("broken", "needs the module `no_such_simulator`"),
        "rpent-robot-outdated:outdated": ("incompatible", "plugin interface 0"),
        "rpent-robot-modern:modern": ("incompatible", "needs `rpent-core<100,>=99`"),
        "acme-toy:toy": ("conflict", "taken by `rpent-robot-toy:toy`"),
        "rpent-robot-exits:exits": ("broken", "ends the process when it is imported"),
    }
    for name, (status, reason) in faults.items():
        assert found[name]["status"] == status
        assert reason in found[name]["error"]["reason"]
        assert found[name]["error"]["remedy"]
    assert found["rpent-robot-toy:toy"]["status"] == "available"

    assert env.run("rpent", "--help").returncode == 0
    assert "--task" in env.run("rpent", "run", "--robot", "toy", "--help").stdout
    doctor = env.run("rpent", "doctor", "plugins")
    assert doctor.returncode == ExitCode.INFRASTRUCTURE
    for name in (
        "rpent-robot-broken-import",
        "rpent-robot-outdated",
        "rpent-robot-modern",
        "rpent-robot-exits",
    ):
        assert f"FAIL  plugins/{name}" in doctor.stdout
    asked = env.run("rpent", "run", "--robot", "broken-import")
    assert asked.returncode == ExitCode.INFRASTRUCTURE
    assert "`no_such_simulator`, which is not installed" in asked.stderr
    strict = env.run("rpent", "plugins", "list", "--strict")
    assert strict.returncode == ExitCode.INFRASTRUCTURE


@pytest.mark.wheels
def test_a_new_robot_from_the_template_passes_its_tests(fresh_environment):
    env = fresh_environment
    env.install("rpent-core[testing]", "rpent-transport-zmq")
    made = env.run("rpent", "new", "robot", "pick-o-matic")
    assert made.returncode == 0, made.stderr
    project = env.folder / "rpent-robot-pick-o-matic"
    env.install(project)
    done = env.run("python", "-m", "pytest", "-q", str(project))
    assert done.returncode == 0, done.stdout + done.stderr
    assert robots(env)["rpent-robot-pick-o-matic:pick-o-matic"]["status"] == "available"
