"""`rpent robocasa tasks`: every name that it prints can be run."""

import json

import pytest
from click.testing import CliRunner
from rpent_robot_robocasa.catalog import task_names, tasks
from rpent_robot_robocasa.cli import command


@pytest.fixture
def run():
    def invoke(*arguments):
        done = CliRunner().invoke(command, ["tasks", *arguments])
        assert done.exit_code == 0, done.output
        return done.output

    return invoke


def test_all_tasks_are_listed(run):
    assert [line.split()[0] for line in run().splitlines()] == list(task_names())


def test_a_suite_is_numbered_as_the_option_task_counts(run):
    rows = [line.split()[:2] for line in run("--suite", "composite_seen").splitlines()]
    assert rows == [[str(index), task.name] for index, task in enumerate(tasks("composite_seen"))]


def test_only_of_a_kind_as_data(run):
    told = json.loads(run("--kind", "atomic", "--json"))
    assert [row["name"] for row in told["tasks"]] == list(task_names("atomic"))
    assert {row["kind"] for row in told["tasks"]} == {"atomic"}


def test_numbers_stay_those_of_the_suite(run):
    told = json.loads(run("--suite", "target50", "--kind", "composite", "--json"))
    members = tasks("target50")
    assert all(members[row["task"]].name == row["name"] for row in told["tasks"])
