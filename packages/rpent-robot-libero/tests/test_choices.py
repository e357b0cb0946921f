"""What the dashboard offers for choosing a task of LIBERO."""

import pytest
from rpent_robot_libero.catalog import DEFAULT_SUITE, STANDARD_SUITES, suites, tasks
from rpent_robot_libero.choices import choices
from rpent_robot_libero.config import LiberoConfig


def values(field, **given):
    return [choice.value for choice in choices(field, given)]


def test_suites_are_those_of_the_catalogue():
    assert values("suite") == list(suites())
    assert set(values("suite", libero_type="standard")) == set(STANDARD_SUITES)


def test_tasks_are_those_of_the_suite_with_their_instructions():
    offered = list(choices("task", {"suite": "libero_goal_swap"}))
    expected = [(task.index, task.instruction) for task in tasks("libero_goal_swap")]
    assert [(choice.value, choice.label) for choice in offered] == expected


def test_without_a_suite_the_default_one_is_meant():
    assert LiberoConfig().suite == DEFAULT_SUITE
    assert list(choices("task", {})) == list(choices("task", {"suite": DEFAULT_SUITE}))


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("task", {"suite": "libero_g"}),
        ("task", {"suite": 7}),
        ("task", {"suite": "libero_goal_swap", "libero_type": "standard"}),
        ("seed", {}),
        ("gl", {}),
    ],
)
def test_nothing_is_offered_where_there_is_nothing_to_choose(field, given):
    assert values(field, **given) == []
