"""Pictures: right after any number of resets, only when asked for, and where the calibration says things are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from rpent.env.client import EnvClient

pytestmark = pytest.mark.sim

COMPARE = """
import json, sys
from pathlib import Path
from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.server.kitchen import import_simulator
import_simulator(Path(sys.argv[1]))
from itertools import pairwise

import numpy as np
from robosuite.utils.binding_utils import MjRenderContextOffscreen
from rpent_manipulation.mujoco.renderer import Renderer
from rpent_robot_robocasa.server.cameras import CAMERA_NAMES
from rpent_robot_robocasa.server.kitchen import Kitchen
from rpent_robot_robocasa.kitchens import Choice
kitchen = Kitchen(find_task("StartCoffeeMachine"), Choice(split="target"), 0, Path(sys.argv[1]))
sim = kitchen.env.sim
cameras = list(CAMERA_NAMES.values())
renderer = Renderer(kitchen.model)
renderer.follow(kitchen.model, kitchen.data)
ours = [renderer.picture(name, (128, 128)) for name in cameras]
renderer.close()
context = MjRenderContextOffscreen(sim, device_id=-1, max_width=128, max_height=128)
context.vopt.geomgroup[0], context.vopt.geomgroup[1] = 0, 1
theirs = [sim.render(camera_name=name, width=128, height=128)[::-1] for name in cameras]
off = [np.abs(a.astype(int) - b.astype(int)) for a, b in zip(ours, theirs)]
print(json.dumps([[int(each.max()), float((each.max(axis=2) > 0).mean())] for each in off]))
"""


def test_they_are_the_simulators_own(run_in_kitchen):
    """The largest difference of a channel, and how many pixels differ at all, for each camera."""
    for largest, share in run_in_kitchen(COMPARE):
        assert largest <= 2
        assert share <= 0.01


def test_they_are_the_same_before_and_after_resets(make_env):
    env = make_env()
    names = env.describe()["cameras"]
    before = env.observe(names, size=96).images
    for seed in (1, 2):
        env.reset(seed=seed)
        other = env.observe(names, size=96).images
        assert any(np.mean(other[name] != before[name]) > 0.3 for name in names)
    env.reset(seed=0)
    after = env.observe(names, size=96).images
    for name in names:
        np.testing.assert_array_equal(after[name], before[name])
    for one, other in pairwise(names):
        assert np.mean(before[one] != before[other]) > 0.3


@pytest.mark.parametrize("camera", ["agentview_left", "agentview_right", "wrist", "navview"])
def test_a_known_point_is_seen_where_the_calibration_says(make_env, camera: str):
    """The shut fingers meet in the grasp point: within two pixels of its own there is one at its depth."""
    env = make_env(task_name="NavigateKitchen", seed=0)
    assert env.servo([{"gripper": "close", "steps": 12}]).status == "reached"
    seen = env.observe([camera], size=256, depth=True)
    meta = seen.cameras[camera]
    hand = np.linalg.inv(meta.world_from_camera) @ [*seen.eef_position, 1.0]
    column, row, _ = (meta.intrinsics @ (hand[:3] / hand[2])).round().astype(int)
    around = seen.depth[camera][row - 2 : row + 3, column - 2 : column + 3]
    assert around.shape == (5, 5)
    assert np.abs(around - hand[2]).min() < 0.02
    labels, index = env.instances(camera, size=256)
    assert "robot" in {labels[each] for each in np.unique(index[row - 2 : row + 3, column - 2 : column + 3])}


def test_the_views_ride_along(make_env):
    env = make_env(task_name="NavigateKitchen", seed=0)
    start = env.observe()
    before = {name: env.camera_meta(name).world_from_camera for name in ("agentview_left", "navview")}
    yaw, place = start.extra["base_yaw_rad"], start.extra["base_position"][:2]
    behind = place - 0.4 * np.array([np.cos(yaw), np.sin(yaw)])
    after = env.servo(
        [{"base_position": behind.tolist(), "base_yaw": yaw + 0.4}], {"max_steps": 150}
    ).observation
    turned = after.extra["base_yaw_rad"] - yaw
    assert abs(turned) > 0.1
    for name, pose in before.items():
        now = env.camera_meta(name).world_from_camera
        turn = now[:3, :3] @ pose[:3, :3].T
        assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(turned, abs=1e-3)
        expected = after.extra["base_position"] + turn @ (pose[:3, 3] - start.extra["base_position"])
        np.testing.assert_allclose(now[:3, 3], expected, atol=1e-3)


def test_a_control_step_renders_nothing(run_in_kitchen):
    assert run_in_kitchen(COUNT) == {"after_steps": 0, "after_a_picture": 1, "recorded": 3}


COUNT = """
import json, sys
import mujoco
from rpent.cancel import CancelToken
from rpent.rpc.facade import CallContext
from rpent_robot_robocasa.config import EnvServerConfig
from rpent_robot_robocasa.server.create import create
drawn = []
real = mujoco.mjr_render
mujoco.mjr_render = lambda *args: (drawn.append(1), real(*args))
facade = create(EnvServerConfig(assets=sys.argv[1]))
call = CallContext("test", CancelToken(), lambda _: None)
do = lambda name, **params: facade.methods[name].handler(call, **params)
do("step", action=[0.0] * 12)
do("chunk_step", actions=[[0.0] * 12] * 3)
do("servo", targets=[{"torso_m": 0.05}], until={"max_steps": 4})
do("observe")
do("snapshot")
answer = {"after_steps": len(drawn)}
do("observe", cameras=["wrist"], size=64)
answer["after_a_picture"] = len(drawn)
drawn.clear()
do("record", size=64, every=4)
do("chunk_step", actions=[[0.0] * 12] * 8)
answer["recorded"] = len(drawn)
facade.close()
print(json.dumps(answer))
"""


def test_an_observation_holds_what_the_benchmark_measures(coffee_env: EnvClient, run_in_kitchen):
    """Hand, base and fingers, to the last bit of the simulator's own sensors."""
    theirs = run_in_kitchen(SENSORS)
    seen = coffee_env.observe()
    np.testing.assert_array_equal(seen.eef_position, theirs["robot0_eef_pos"])
    np.testing.assert_array_equal(seen.eef_quaternion, theirs["robot0_eef_quat"])
    for ours, name in (
        ("gripper_qpos", "robot0_gripper_qpos"),
        ("base_position", "robot0_base_pos"),
        ("base_quaternion", "robot0_base_quat"),
        ("base_to_eef_position", "robot0_base_to_eef_pos"),
        ("base_to_eef_quaternion", "robot0_base_to_eef_quat"),
    ):
        np.testing.assert_array_equal(seen.extra[ours], np.asarray(theirs[name]), err_msg=name)


SENSORS = """
import json, sys
from pathlib import Path
from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.server.kitchen import import_simulator
import_simulator(Path(sys.argv[1]))
import mujoco
from rpent_robot_robocasa.server.kitchen import Kitchen
from rpent_robot_robocasa.kitchens import Choice
kitchen = Kitchen(find_task("StartCoffeeMachine"), Choice(split="target"), 0, Path(sys.argv[1]))
mujoco.mj_kinematics(kitchen.model, kitchen.data)
seen = kitchen.env._get_observations(force_update=True)
print(json.dumps({name: value.tolist() for name, value in seen.items() if name.startswith("robot0")}))
"""
