"""What the toolkit tells of an episode, and the tools of the hand, over the stand-in for the simulator."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.robot import ToolContext
from rpent.testing import LocalChannel
from rpent_robot_robocasa.config import EnvServerConfig, RobocasaConfig
from rpent_robot_robocasa.robot import RobocasaRobot
from rpent_robot_robocasa.testing.fake_kitchen import FakeKitchen, facade


@pytest.fixture
def build(tmp_path):
    """Build a toolkit over a kitchen: its options, and those of its env server."""

    def make(kitchen=None, **values):
        robot = RobocasaRobot(RobocasaConfig(task_name="OpenDrawer", **values))
        setup = robot.setup()
        kitchen = kitchen or FakeKitchen(EnvServerConfig(**setup.service_configs["env"]))
        return robot.toolkit(
            ToolContext(
                setup=setup,
                channels={"env": LocalChannel(facade(kitchen))},
                run_dir=tmp_path,
                cancel=CancelToken,
                progress=lambda _: None,
            )
        )

    return make


def test_the_scene_says_what_the_task_is(build):
    toolkit = build(seed=7)
    assert toolkit.instruction() == "Do OpenDrawer at number 7."
    details = toolkit.details()
    assert (details["layout"], details["style"], details["kind"]) == (8, 8, "atomic")
    assert details["assets"] == "placeholder"


def test_placeholder_assets_are_a_caveat_and_real_ones_are_none(build):
    (caveat,) = build().caveats()
    assert "placeholder" in caveat
    assert build(assets="real").caveats() == ()


def test_a_capture_shows_the_main_camera_only(build):
    capture = build().capture()
    (image,) = capture.images
    assert image.name == "agentview_left"
    assert image.pixels.shape == (256, 256, 3)
    assert set(capture.depth) == set(capture.cameras) == {"agentview_left"}


def test_the_main_picture_may_be_larger_and_its_pixels_are_those_that_tools_take(build):
    toolkit = build(hi_res=512)
    capture = toolkit.capture()
    assert capture.images[0].pixels.shape == (512, 512, 3)
    assert capture.cameras["agentview_left"]["width"] == 512
    assert toolkit.view_camera_meta().data["size"] == [512, 512]
    assert toolkit.view_camera_meta("wrist").data["size"] == [256, 256]
    assert toolkit.back_project(row=500, col=500).data["size"] == [512, 512]


def test_all_cameras_are_shown_on_request(build):
    names = [image.name for image in build().view_env_state().images]
    assert names == ["agentview_left", "agentview_right", "wrist", "navview"]


def test_tools_of_other_robots_are_left_out(build):
    names = {tool.name for tool in build().tools()}
    assert {"move_to", "retract", "check_grasp"} <= names
    assert not {"turn", "rotate_pitch", "progress"} & names


@pytest.mark.parametrize(
    ("left", "right", "opening", "grasped"),
    [(True, True, 0.03, True), (True, False, 0.03, False), (True, True, 0.0, False)],
)
def test_the_fingers_tell_whether_they_hold_something(build, left, right, opening, grasped):
    toolkit = build()
    state = toolkit.world.state
    state.extra["finger_contacts"].update(left=left, right=right)
    object.__setattr__(state, "gripper_opening_m", opening)
    told = toolkit.check_grasp().data
    assert told["grasped"] is grasped
    assert (told["left_contact"], told["right_contact"]) == (left, right)


@pytest.mark.parametrize(("base", "yaw"), [((0.0, 0.0), 0.0), ((1.0, -0.5), 1.57), ((-0.5, 0.5), -2.5)])
def test_the_hand_comes_back_before_the_robot_wherever_that_stands(build, base, yaw):
    kitchen = FakeKitchen(EnvServerConfig(task_name="OpenDrawer"))
    toolkit = build(kitchen)
    facing = np.array([np.cos(yaw), np.sin(yaw)])
    kitchen.state |= {"base": list(base), "yaw": yaw, "hand": [*(np.array(base) + 0.6 * facing), 1.0]}
    toolkit.world.note(toolkit.world.env.observe())
    told = toolkit.retract().data
    assert told["ok"]
    assert told["eef_position"] == pytest.approx([*(np.array(base) + 0.25 * facing), 1.3], abs=1e-3)


def test_an_episode_begins_anew_in_the_same_kitchen(build):
    kitchen = FakeKitchen(EnvServerConfig(task_name="OpenDrawer", seed=4, layout=2))
    toolkit = build(kitchen, seed=4, layout=2)
    toolkit.move_to([0.4, 0.1, 1.2])
    assert toolkit.env_steps() > 0
    toolkit.reset()
    assert toolkit.env_steps() == 0
    assert (kitchen.episode["seed"], kitchen.episode["layout"], kitchen.episode["style"]) == (4, 2, None)
