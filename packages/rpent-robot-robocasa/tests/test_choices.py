"""What the dashboard offers for choosing a task of RoboCasa."""

import pytest
from rpent_robot_robocasa.catalog import suites, task_names, tasks
from rpent_robot_robocasa.choices import choices
from rpent_robot_robocasa.config import RobocasaConfig


def offered(field, **given):
    return {choice.value: choice.label for choice in choices(field, given)}


def test_tasks_are_those_of_the_catalogue_with_their_names_as_words():
    found = offered("task_name")
    assert list(found) == list(task_names())
    assert found["StartCoffeeMachine"] == "start coffee machine (atomic, coffee)"


def test_a_suite_narrows_them():
    names = [task.name for task in tasks("composite_unseen")]
    assert list(offered("task_name", suite="composite_unseen")) == names
    assert offered("task", suite="composite_unseen") == dict(enumerate(names))


def test_suites_and_splits():
    assert list(offered("suite")) == list(suites())
    assert offered("suite")["atomic_seen"] == "18 tasks"
    for split in offered("split"):
        assert RobocasaConfig(split=split).split == split


@pytest.mark.parametrize(
    ("field", "given"),
    [("task", {}), ("task_name", {"suite": "atomic_"}), ("seed", {}), ("layout", {}), ("gl", {})],
)
def test_nothing_is_offered_where_there_is_nothing_to_choose(field, given):
    assert offered(field, **given) == {}
