"""The policy tools, over a server that speaks the VLA contract with scripted actions."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.robot import TaskSetup, ToolContext
from rpent.rpc.facade import Facade, Method
from rpent.testing import LocalChannel

pytestmark = pytest.mark.sim
CHUNK = 5


class Policy:
    """Moves up, with open fingers; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict] = []

    def infer(self, call, *, observation, instruction, episode):
        self.asked.append({"images": sorted(observation["images"]), "said": instruction, "run": episode})
        actions = np.zeros((CHUNK, 7))
        actions[:, 2], actions[:, 6] = 0.5, -1.0
        return actions

    def facade(self) -> Facade:
        return Facade(name="test/vla", version="1", methods={"infer": Method(handler=self.infer)})


@pytest.fixture
def policy():
    return Policy()


@pytest.fixture
def toolkit(fresh, policy, tmp_path):
    from rpent_robot_libero.toolkit import LiberoToolkit

    return LiberoToolkit(
        ToolContext(
            setup=TaskSetup(instruction="", tag="test", seed=0),
            channels={"env": fresh.channel, "vla": LocalChannel(policy.facade())},
            run_dir=tmp_path,
            cancel=CancelToken,
            progress=lambda _: None,
        )
    )


def test_they_are_offered_with_a_policy_only(toolkit, toolkit_over, fresh):
    policy_tools = {"pi0_pick", "pi0_doubled"}
    assert policy_tools <= {tool.name for tool in toolkit.tools()}
    assert not policy_tools & {tool.name for tool in toolkit_over(fresh).tools()}


def test_chunks_are_carried_out_and_an_empty_hand_is_no_pick(toolkit, policy, tmp_path):
    before = toolkit.world.state
    result = toolkit.pi0_pick("pick up the salad dressing", max_chunks=3).data
    after = toolkit.world.state
    assert after.step - before.step == 3 * CHUNK
    assert after.eef_position[2] > before.eef_position[2] + 0.05
    assert result["chunks"] == 3
    assert result["ok"] is result["held"] is False
    assert policy.asked[0] == {
        "images": ["agentview", "wrist"],
        "said": "pick up the salad dressing",
        "run": tmp_path.name,
    }


def test_a_contact_skill_claims_only_what_the_benchmark_says(toolkit):
    assert toolkit.pi0_doubled("turn on the stove", max_chunks=1).data == {"chunks": 1, "task_success": False}
