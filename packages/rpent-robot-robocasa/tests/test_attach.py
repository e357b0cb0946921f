"""A served kitchen is brought to the episode that a run asks for, and only where it is not there already."""

import pytest
from rpent.env.client import EnvClient
from rpent.errors import UsageError
from rpent.testing import LocalChannel
from rpent_robot_robocasa.attach import start_episode
from rpent_robot_robocasa.config import EnvServerConfig, RobocasaConfig
from rpent_robot_robocasa.robot import RobocasaRobot
from rpent_robot_robocasa.testing.fake_kitchen import FakeKitchen, facade


@pytest.fixture
def kitchen():
    return FakeKitchen(EnvServerConfig(task_name="OpenDrawer", seed=2, layout=3, assets="placeholder"))


@pytest.fixture
def start(kitchen):
    def run(**values):
        values = {"task_name": "OpenDrawer", "seed": 2, "layout": 3, **values}
        wanted = RobocasaRobot(RobocasaConfig(**values)).setup().service_configs["env"]
        start_episode(EnvClient(LocalChannel(facade(kitchen))), wanted)

    return run


def test_the_wanted_episode_at_its_beginning_stays(start, kitchen):
    start()
    assert kitchen.resets == 0


@pytest.mark.parametrize(
    "values",
    [
        {"task_name": "StartCoffeeMachine"},
        {"seed": 1},
        {"split": "all"},
        {"layout": 4},
        {"layout": None},
        {"style": 5},
    ],
)
def test_another_episode_is_begun(start, kitchen, values):
    start(**values)
    assert kitchen.resets == 1
    wanted = {"task_name": "OpenDrawer", "seed": 2, "layout": 3, "style": None, "split": "target", **values}
    assert kitchen.episode == wanted


def test_one_that_is_under_way_is_begun_anew(start, kitchen):
    kitchen.state["step"] = 4
    start()
    assert kitchen.resets == 1
    assert kitchen.state["step"] == 0


def test_other_assets_are_refused(start):
    start(assets="placeholder")
    with pytest.raises(UsageError, match="placeholder assets") as caught:
        start(assets="real")
    assert "rpent serve robocasa/env --assets real" in caught.value.hint
