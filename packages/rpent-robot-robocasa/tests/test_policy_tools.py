"""`rldx_skill` over the stand-in for the simulator and a policy server with scripted actions."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.errors import ToolError
from rpent.robot import ToolContext
from rpent.testing import LocalChannel
from rpent.testing.policies.scripted import ScriptedPolicyServer
from rpent_robot_robocasa.config import EnvServerConfig, RobocasaConfig
from rpent_robot_robocasa.robot import RobocasaRobot
from rpent_robot_robocasa.testing.fake_kitchen import FakeKitchen, facade

WANTS = {
    "cameras": {"agentview_left": [256, 256], "agentview_right": [256, 256], "wrist": [256, 256]},
    "state": {"base_position": 3, "base_to_eef_position": 3, "gripper_qpos": 2},
    "history": [-6, -4, -2],
    "action_dim": 12,
    "execute_steps": 8,
}
PROMPT = "Pick the apple from the counter."


def action(**parts):
    """One row of the simulator's action; what is not named is zero, in arm mode."""
    row = np.zeros(12)
    row[11] = -1.0
    for name, value in parts.items():
        row[{"arm": slice(0, 3), "grip": 6, "base": slice(7, 10)}[name]] = value
    return row


class Kitchen:
    """A toolkit with a policy that does the same all the time."""

    def __init__(self, tmp_path, row, **options):
        robot = RobocasaRobot(RobocasaConfig(task_name="OpenDrawer", **options))
        setup = robot.setup()
        self.kitchen = FakeKitchen(EnvServerConfig(**setup.service_configs["env"]))
        self.row, self.solves_at = row, None
        self.policy = ScriptedPolicyServer(self.chunk, **WANTS)
        self.token = CancelToken()
        channels = {"env": LocalChannel(facade(self.kitchen)), "vla": LocalChannel(self.policy.facade())}
        self.toolkit = robot.toolkit(
            ToolContext(
                setup=setup,
                channels=channels,
                run_dir=tmp_path,
                cancel=lambda: self.token,
                progress=lambda _: None,
            )
        )

    def chunk(self, observation):
        del observation
        if self.kitchen.state["step"] == self.solves_at:
            self.kitchen.state["solved"] = True
        return np.tile(self.row, (16, 1))

    def skill(self, prompt=PROMPT, **options):
        return self.toolkit.rldx_skill(prompt, **options).data


@pytest.fixture
def build(tmp_path):
    return lambda row, **options: Kitchen(tmp_path, row, **options)


DRIVE = action(base=[0.3, 0.4, 0.1])


def test_policy_tools_are_offered_with_a_policy_only(build, tmp_path):
    names = {tool.name for tool in build(DRIVE).toolkit.tools()}
    assert {"rldx_skill", "vla_do", "vla_pick"} <= names
    without = RobocasaRobot(RobocasaConfig(task_name="OpenDrawer"))
    setup = without.setup()
    kitchen = FakeKitchen(EnvServerConfig(**setup.service_configs["env"]))
    context = ToolContext(
        setup=setup,
        channels={"env": LocalChannel(facade(kitchen))},
        run_dir=tmp_path,
        cancel=CancelToken,
        progress=lambda _: None,
    )
    assert not {"rldx_skill", "vla_do", "vla_pick"} & {tool.name for tool in without.toolkit(context).tools()}


def test_a_skill_uses_its_chunks_up_and_says_how_the_base_moved(build):
    result = build(DRIVE).skill(max_chunks=3)
    assert (result["status"], result["reason"]) == ("cap", "it used up its chunks")
    assert (result["chunks"], result["steps_applied"]) == (3, 24)
    assert result["base_drift_m"] == pytest.approx(24 * 0.02 * 0.5)
    assert result["base_turn_rad"] == pytest.approx(24 * 0.1 * 0.1)
    assert result["history"] == "exact"
    assert result["holding"] is result["task_success"] is False
    assert result["gripper_opening_m"] == 0.08


def test_it_ends_with_the_benchmarks_verdict(build):
    scene = build(DRIVE)
    scene.solves_at = 16
    result = scene.skill()
    assert (result["status"], result["reason"], result["chunks"]) == ("success", "", 3)
    assert result["task_success"]


def test_it_settles_where_nothing_moves(build):
    result = build(action()).skill()
    assert result["status"] == "settled"
    assert "stood still" in result["reason"]
    assert result["chunks"] < 20


def test_closed_fingers_alone_are_no_hold(build):
    result = build(action(grip=1.0, arm=[0, 0, 0.2])).skill(max_chunks=2)
    assert result["gripper_opening_m"] == 0.0
    assert not result["holding"]


def test_it_is_cancelled(build):
    scene = build(DRIVE)
    scene.token.cancel()
    assert scene.skill()["status"] == "cancelled"


def shown(scene):
    """How many steps ago the frames of before are that went with each question."""
    return [[step for step, _ in asked["history"]] for asked in scene.policy.asked]


def test_the_same_skill_again_goes_on_with_its_memory(build):
    scene = build(DRIVE)
    scene.skill(max_chunks=2)
    scene.skill(max_chunks=2)
    assert len(scene.policy.resets) == 1
    assert shown(scene) == [[], *[[-6, -4, -2]] * 3]
    assert len({asked["episode"] for asked in scene.policy.asked}) == 1


@pytest.mark.parametrize("change", ["a motion", "another skill", "other words", "a reset"])
def test_a_memory_begins_anew_when_something_was_between(build, change):
    scene = build(DRIVE)
    scene.skill(max_chunks=2)
    if change == "a motion":
        scene.toolkit.set_gripper("close")
    elif change == "another skill":
        scene.toolkit.vla_do("Turn the knob.", max_chunks=1)
    elif change == "a reset":
        scene.toolkit.reset()
    scene.policy.resets.clear()
    scene.policy.asked.clear()
    scene.skill("Put it down." if change == "other words" else PROMPT, max_chunks=2)
    assert len(scene.policy.resets) == 1
    assert shown(scene) == [[], [-6, -4, -2]]


@pytest.mark.parametrize("meanwhile", ["another skill", "a failure"])
def test_a_world_that_is_put_back_does_not_bring_a_lost_memory_back(build, meanwhile):
    scene = build(DRIVE)
    scene.skill(max_chunks=2)
    there = scene.toolkit.snapshot()
    if meanwhile == "another skill":
        scene.toolkit.vla_do("Turn the knob.", max_chunks=1)
    else:
        scene.policy.chunk = lambda _: np.full((16, 12), np.nan)
        with pytest.raises(ToolError, match="NaN"):
            scene.skill()
        scene.policy.chunk = scene.chunk
    scene.toolkit.restore(there)
    scene.policy.resets.clear()
    scene.skill(max_chunks=1)
    assert len(scene.policy.resets) == 1
    assert shown(scene)[-1] == []


def test_two_runs_never_share_a_memory(build):
    one, other = build(DRIVE), build(DRIVE)
    one.skill(max_chunks=1)
    other.skill(max_chunks=1)
    ((first, _),), ((second, _),) = one.policy.resets, other.policy.resets
    assert first != second
