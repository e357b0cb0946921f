"""The policy tools on the real simulator, over a server that speaks the VLA contract with scripted actions."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.env.client import EnvClient
from rpent.errors import PolicyError, ToolError
from rpent.perception import PerceptorContext
from rpent.robot import TaskSetup, ToolContext
from rpent.testing import LocalChannel
from rpent.testing.policies.scripted import ScriptedPolicyServer

pytestmark = pytest.mark.sim
CHUNK = 5
CAMERAS = {"agentview": [64, 64], "wrist": [96, 96]}
STATE = {"eef_position": 3, "eef_quaternion": 4, "gripper_qpos": 2}


class Policy(ScriptedPolicyServer):
    """Goes through the points of a way with the hand, in closed loop."""

    def __init__(self) -> None:
        wants = {"cameras": CAMERAS, "state": STATE}
        gives = {"action_dim": 7, "chunk_length": 2 * CHUNK, "execute_steps": CHUNK}
        super().__init__(self.follow, **wants, **gives)
        self.way: list[tuple[np.ndarray, float]] = []

    def follow(self, observation):
        here = observation["state"]["eef_position"]
        if len(self.way) > 1 and np.linalg.norm(self.way[0][0] - here) < 0.012:
            self.way.pop(0)
        actions = np.zeros((2 * CHUNK, 7))
        actions[:, 6] = -1.0
        if self.way:
            goal, grip = self.way[0]
            actions[:, :3], actions[:, 6] = np.clip((goal - here) / 0.05, -0.6, 0.6), grip
        return actions


@pytest.fixture
def policy():
    return Policy()


def build(env: EnvClient, policy: Policy, tmp_path, *, perceptor: bool = True):
    from rpent_robot_libero.perception import LiberoPerceptor
    from rpent_robot_libero.toolkit import LiberoToolkit

    channels = {"env": env.channel, "vla": LocalChannel(policy.facade())}
    return LiberoToolkit(
        ToolContext(
            setup=TaskSetup(instruction="", tag="test", seed=3),
            channels=channels,
            run_dir=tmp_path,
            cancel=CancelToken,
            progress=lambda _: None,
            perceptor=LiberoPerceptor(PerceptorContext(channels=channels)) if perceptor else None,
        )
    )


@pytest.fixture
def toolkit(fresh, policy, tmp_path):
    return build(fresh, policy, tmp_path)


def up(position, height: float) -> np.ndarray:
    return np.add(position, [0, 0, height])


def towards(toolkit, name: str) -> list[tuple[np.ndarray, float]]:
    """A way over a thing, down to it, and up with closed fingers."""
    thing = toolkit.world.known(toolkit.segment(name).data["candidates"][0]["id"])
    grasp = np.array([*thing.middle[:2], thing.points[:, 2].max() - 0.02])
    return [(up(grasp, 0.15), -1.0), (grasp, -1.0), (grasp, 1.0), (up(grasp, 0.2), 1.0)]


def test_they_are_offered_with_a_policy_only(toolkit, toolkit_over, fresh):
    policy_tools = {"vla_pick", "vla_do", "pi0_pick", "pi0_doubled"}
    assert policy_tools <= {tool.name for tool in toolkit.tools()}
    assert not policy_tools & {tool.name for tool in toolkit_over(fresh).tools()}


def test_the_policy_sees_what_it_wants_and_an_empty_hand_is_no_pick(toolkit, policy, tmp_path):
    before = toolkit.world.state
    policy.way = [(up(before.eef_position, 0.5), 1.0)]
    result = toolkit.pi0_pick("pick up the salad dressing", max_chunks=4).data
    after = toolkit.world.state
    assert after.step - before.step == result["steps"] == 4 * CHUNK
    assert after.eef_position[2] > before.eef_position[2] + 0.05
    assert (result["chunks"], result["stopped"]) == (4, "chunks")
    assert result["ok"] is result["held"] is False
    assert result["reason"] == "the fingers closed on nothing; it used up its chunks"
    assert toolkit.world.held is None
    (first, *_) = policy.asked
    assert first["images"] == {"agentview": (64, 64, 3), "wrist": (96, 96, 3)}
    assert first["state"] == STATE
    assert first["instruction"] == "pick up the salad dressing"
    ((episode, _),) = policy.resets
    assert {asked["episode"] for asked in policy.asked} == {episode}
    assert episode.startswith(tmp_path.name)


@pytest.mark.parametrize("prompt", ["pick up the salad dressing and place it in the basket", "get going"])
def test_what_a_policy_picked_up_can_be_placed(toolkit, policy, prompt):
    policy.way = towards(toolkit, "salad dressing")
    result = toolkit.vla_pick(prompt, max_chunks=40).data
    assert result["held"], result
    assert result["stopped"] == "done"
    assert result["lifted_m"] >= 0.05
    assert result["target"] == "salad dressing"
    assert toolkit.capture().state["holding"] == "salad dressing"
    assert toolkit.place("basket", relation="in").data["released"]
    assert toolkit.benchmark_success()


def test_a_full_hand_picks_nothing_up(toolkit, policy):
    assert toolkit.grasp("salad dressing").data["held"]
    with pytest.raises(ToolError, match="holds `salad dressing`"):
        toolkit.vla_pick("pick up the basket")


def test_without_a_perceptor_it_is_called_what_the_policy_was_told(fresh, policy, tmp_path):
    policy.way = towards(build(fresh, policy, tmp_path), "salad dressing")
    toolkit = build(fresh, policy, tmp_path, perceptor=False)
    assert toolkit.vla_pick("pick up the salad dressing", max_chunks=40).data["held"]
    assert toolkit.world.held.label == "salad dressing"


def test_a_policy_that_stands_still_is_stopped(toolkit, policy):
    policy.way = [(toolkit.world.state.eef_position, -1.0)]
    result = toolkit.vla_do("turn on the stove", max_chunks=100).data
    assert (result["stopped"], result["task_success"]) == ("stalled", False)
    assert result["chunks"] < 20
    assert "stood still" in result["reason"]


def test_a_policy_that_fails_in_the_middle_says_how_far_it_got(toolkit, policy):
    policy.way = [(up(toolkit.world.state.eef_position, 0.3), -1.0)]

    def break_down(observation):
        if len(policy.asked) > 1:
            raise PolicyError("The policy `test` failed: out of memory.")
        return policy.follow(observation)

    policy.chunk = break_down
    with pytest.raises(ToolError, match=r"out of memory\. The 5 control steps before that stay done"):
        toolkit.vla_do("open the drawer")
    assert toolkit.env_steps() == CHUNK
