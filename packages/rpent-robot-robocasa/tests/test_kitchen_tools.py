"""The tools for kitchens solve atomic tasks of the real simulator, by its own predicate, from what is seen."""

from __future__ import annotations

import pytest
from rpent.cancel import CancelToken
from rpent.perception import PerceptorContext
from rpent.robot import ToolContext
from rpent_robot_robocasa.config import RobocasaConfig
from rpent_robot_robocasa.perception import RobocasaPerceptor
from rpent_robot_robocasa.robot import RobocasaRobot

pytestmark = pytest.mark.sim


@pytest.fixture
def toolkit_for(make_env, tmp_path):
    """Put the robot at the beginning of a task, and return its tools."""

    def build(task: str, seed: int = 0):
        env = make_env(task_name=task, seed=seed)
        robot = RobocasaRobot(RobocasaConfig(task_name=task, seed=seed))
        channels = {"env": env.channel}
        token = CancelToken()
        context = ToolContext(
            setup=robot.setup(),
            channels=channels,
            run_dir=tmp_path,
            cancel=lambda: token,
            progress=lambda _: None,
            perceptor=RobocasaPerceptor(PerceptorContext(channels=channels)),
        )
        return robot.toolkit(context)

    return build


def test_a_button_is_pressed_and_the_hand_withdraws(toolkit_for) -> None:
    tools = toolkit_for("StartCoffeeMachine")
    answer = tools.press("button on the coffee machine").data
    assert (answer["ok"], answer["touched"]) == (True, True)
    assert tools.benchmark_success()


def test_a_button_above_the_counter_is_reached_by_raising_the_torso(toolkit_for) -> None:
    tools = toolkit_for("TurnOffMicrowave")
    assert tools.press("stop button of the microwave").data["ok"]
    assert tools.world.torso_m > 0.1
    assert tools.benchmark_success()


def test_a_spout_is_swung_to_the_named_side(toolkit_for) -> None:
    tools = toolkit_for("TurnSinkSpout")
    side = "left" if "left" in tools.instruction() else "right"
    assert tools.push("spout of the sink", direction=side).data["moved_m"] > 0.05
    assert tools.benchmark_success()


def test_a_knob_is_turned_on(toolkit_for) -> None:
    tools = toolkit_for("TurnOnStove")
    burner = tools.instruction().split(" the ")[1].removesuffix(" burner of")
    assert tools.turn_knob(f"{burner} knob of the stove".replace(" burner", "")).data["ok"]
    assert tools.benchmark_success()


def test_a_drawer_under_the_counters_edge_is_drawn_by_its_bar(toolkit_for) -> None:
    tools = toolkit_for("OpenDrawer")
    side = 1 if "left" in tools.instruction() else -1
    x, y = tools.world.facing
    drawers = [
        thing
        for thing in tools.world.find("drawer")
        if side * float((thing.middle - tools.world.base)[:2] @ [-y, x]) > 0.1 and thing.middle[2] > 0.7
    ]
    nearest = max(drawers, key=lambda thing: len(thing.points))
    assert tools.open_drawer(segment_id=nearest.id).data["ok"]
    assert tools.benchmark_success()


def test_a_door_that_only_came_ajar_is_not_said_to_be_open(toolkit_for) -> None:
    tools = toolkit_for("OpenToasterOvenDoor")
    answer = tools.open_door("toaster oven door", angle_rad=0.3).data
    assert answer["seen"]
    assert answer["angle_rad"] == pytest.approx(0.3, abs=0.25)
    assert not tools.benchmark_success()
