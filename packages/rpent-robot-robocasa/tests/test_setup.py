"""From options to a task, and what is refused, each time with the command that mends it."""

import pytest
from pydantic import ValidationError
from rpent.errors import UsageError
from rpent_robot_robocasa.catalog import find_task, suites, tasks
from rpent_robot_robocasa.config import EnvServerConfig, RobocasaConfig
from rpent_robot_robocasa.naming import spoken
from rpent_robot_robocasa.robot import RobocasaRobot


def setup(**values):
    return RobocasaRobot(RobocasaConfig(**values)).setup()


def refused(**values):
    with pytest.raises(UsageError) as caught:
        setup(**values)
    return caught.value


def test_a_task_is_named_by_itself():
    task = setup(task_name="PickPlaceCounterToSink", split="pretrain", seed=3)
    assert task.tag == "PickPlaceCounterToSink_pretrain_s3"
    assert task.task == "PickPlaceCounterToSink_pretrain"
    assert task.family == "PickPlaceCounterToSink"
    assert task.instruction == "pick place counter to sink"
    assert task.provisional
    assert task.details["kind"] == "atomic"
    assert task.details["max_episode_steps"] == find_task("PickPlaceCounterToSink").horizon


def test_or_by_its_place_in_a_suite():
    names = [setup(suite="atomic_seen", task=index).family for index in range(len(tasks("atomic_seen")))]
    assert names == [task.name for task in tasks("atomic_seen")]


def test_a_name_may_come_with_a_suite_that_holds_it():
    first = tasks("composite_seen")[0].name
    assert setup(task_name=first, suite="composite_seen").family == first


def test_what_the_env_server_is_started_with():
    values = {"layout": 4, "style": 9, "split": "all", "seed": 8, "max_episode_steps": 70, "gl": "osmesa"}
    given = setup(task_name="OpenDrawer", assets="placeholder", **values).service_configs["env"]
    served = EnvServerConfig(**given)
    assert served.model_dump(include=set(values)) == values
    assert (served.task_name, served.assets) == ("OpenDrawer", "placeholder")
    assert served.privileged is False


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("StartCoffeeMachine", "start coffee machine"),
        ("TurnOnElectricKettle", "turn on electric kettle"),
        ("PBJPrep", "pbj prep"),
        ("MakeABLT2", "make ablt 2"),
    ],
)
def test_a_name_is_spoken(name, words):
    assert spoken(name) == words


def test_without_a_task_the_default_one_is_meant():
    assert setup().family == EnvServerConfig().task_name


def test_an_index_without_a_suite():
    error = refused(task=3)
    assert "`--task 3` counts in a suite" in error.message
    assert "--suite atomic_seen --task 3" in error.hint


def test_an_unknown_task():
    error = refused(task_name="OpenDrawr")
    assert "`OpenDrawr`" in error.message
    assert "`OpenDrawer`" in error.message
    assert "rpent robocasa tasks" in error.hint


def test_a_base_class_is_no_task():
    assert "cannot be run" in refused(task_name="ManipulateLowerDoor").message


def test_an_unknown_suite():
    error = refused(suite="atomic", task=0)
    assert "`atomic`" in error.message
    assert all(suite in error.hint for suite in suites())


def test_an_index_out_of_range():
    error = refused(suite="atomic_seen", task=18)
    assert "18 tasks" in error.message
    assert "0 to 17" in error.hint


def test_a_suite_without_a_task():
    error = refused(suite="atomic_seen")
    assert "none of them is chosen" in error.message
    assert "--task" in error.hint


def test_a_name_and_an_index():
    assert "both choose a task" in refused(task_name="OpenDrawer", suite="atomic_seen", task=1).message


def test_a_name_from_another_suite():
    error = refused(task_name="OpenDrawer", suite="composite_seen")
    assert "`composite_seen`" in error.message
    assert "--task-name OpenDrawer" in error.hint


def test_a_layout_that_the_split_does_not_have():
    error = refused(task_name="OpenDrawer", layout=30)
    assert "floor plan 30" in error.message
    assert "--split all" in error.hint
    assert setup(task_name="OpenDrawer", layout=30, split="pretrain").details["layout"] == 30


def test_a_layout_that_the_task_leaves_out():
    left_out = sorted(find_task("AddLemonToFish").excluded_layouts)[0]
    error = refused(task_name="AddLemonToFish", layout=left_out)
    assert f"leaves out the floor plan {left_out}" in error.message


@pytest.mark.parametrize(
    "values",
    [
        {"split": "test"},
        {"seed": -1},
        {"seed": 2**31},
        {"layout": 0},
        {"layout": 61},
        {"style": 61},
        {"assets": "some"},
        {"hi_res": 4096},
        {"hi_res": 3},
        {"gl": "glx"},
        {"task": -1},
        {"tsk": 1},
    ],
)
def test_values_out_of_range(values):
    with pytest.raises(ValidationError):
        RobocasaConfig(task_name="OpenDrawer", **values)
