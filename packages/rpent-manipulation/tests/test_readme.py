"""The README's robot is whole: it passes the contract of env servers, and its tools move and drive it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.errors import RpentError, ToolError
from rpent.robot import TaskSetup, ToolContext
from rpent.testing import EnvContract, LocalChannel

README = Path(__file__).resolve().parents[1] / "README.md"
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES: dict[str, Any] = {"__name__": "readme"}
exec("\n".join(PYTHON.findall(README.read_text(encoding="utf-8"))), NAMES)


class TestEnvOfTheReadme(EnvContract):
    reachable = (0.5, 0.2, 0.3)

    @classmethod
    def facade(cls):
        return NAMES["create"]()


class TestRoversEnvOfTheReadme(EnvContract):
    reachable = (0.5, 0.2, 0.3)

    @classmethod
    def facade(cls):
        return NAMES["create_rover"]()


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Any]:
    """Build one of the README's toolkits over its env server."""

    def make(toolkit: str, create: str) -> Any:
        return NAMES[toolkit](
            ToolContext(
                setup=TaskSetup(instruction="Lift the hand.", tag="lift", seed=4),
                channels={"env": LocalChannel(NAMES[create]())},
                run_dir=tmp_path,
                cancel=CancelToken,
                progress=lambda _: None,
            )
        )

    return make


def test_its_tools_move_the_hand(build: Callable[..., Any]):
    toolkit = build("MyBotToolkit", "create")
    told = toolkit.move_to(xyz=[0.5, 0.1, 0.3]).data
    np.testing.assert_allclose(told["eef_position"], [0.5, 0.1, 0.3], atol=0.01)
    assert toolkit.capture().images[0].name == "front"
    toolkit.move_to(xyz=[0.5, 0.1, 0.79])
    assert toolkit.benchmark_success()
    toolkit.reset()
    assert (toolkit.env_steps(), toolkit.benchmark_success()) == (0, False)


def test_a_snapshot_comes_back_and_other_bytes_are_refused(build: Callable[..., Any]):
    toolkit = build("MyBotToolkit", "create")
    toolkit.move_to(xyz=[0.5, 0.1, 0.3])
    saved = toolkit.snapshot()
    toolkit.move_to(xyz=[0.5, -0.1, 0.3])
    there = toolkit.snapshot()
    for wrong in (b"", saved[4:], saved[:30], saved[:-30], b"\x02\0\0\0[]" + saved):
        with pytest.raises(RpentError, match="not a snapshot"):
            toolkit.restore(wrong)
        assert toolkit.snapshot() == there
    toolkit.restore(saved)
    assert toolkit.snapshot() == saved


def test_it_offers_what_needs_no_perceptor(build: Callable[..., Any]):
    names = {tool.name for tool in build("MyBotToolkit", "create").tools()}
    assert {"move_to", "set_gripper", "back_project", "view_env_state"} <= names
    assert not {"segment", "grasp", "place", "navigate_to"} & names


def test_its_rover_drives_round_the_wall(build: Callable[..., Any]):
    toolkit = build("MyRoverToolkit", "create_rover")
    assert "navigate_to" in {tool.name for tool in toolkit.tools()}
    told = toolkit.navigate_to(xy=[1.0, -2.0], yaw_rad=1.57).data
    assert told["ok"], told
    np.testing.assert_allclose(told["base_position"], [1.0, -2.0], atol=0.05)
    assert told["route_m"] > np.hypot(1.0, 2.0) + 0.3
    hand = toolkit.world.state.eef_position - [*toolkit.world.state.extra["base_position"][:2], 0.0]
    np.testing.assert_allclose(hand, [0.0, 0.4, 0.4], atol=0.05)


def test_the_rover_comes_back_to_a_snapshot_and_to_its_beginning(build: Callable[..., Any]):
    toolkit = build("MyRoverToolkit", "create_rover")
    toolkit.move_base(forward_m=0.5)
    saved = toolkit.snapshot()
    toolkit.move_base(forward_m=0.5)
    toolkit.restore(saved)
    np.testing.assert_allclose(toolkit.world.state.extra["base_position"][0], 0.5, atol=0.02)
    toolkit.reset()
    np.testing.assert_array_equal(toolkit.world.state.extra["base_position"], np.zeros(3))


def test_an_arm_of_other_joints_moves_where_its_env_server_tells_where_it_stands(
    build: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    observed = NAMES["Episode"].observation
    left_out: set[str] = set()

    def other(episode: Any) -> dict[str, Any]:
        told = observed(episode)
        extra = {key: value for key, value in told["extra"].items() if key not in left_out}
        return {**told, "joint_positions": np.zeros(6), "extra": extra}

    monkeypatch.setattr(NAMES["Episode"], "observation", other)
    toolkit = build("MyBotToolkit", "create")
    np.testing.assert_allclose(
        toolkit.move_to(xyz=[0.5, 0.1, 0.3]).data["eef_position"], [0.5, 0.1, 0.3], atol=0.01
    )
    assert toolkit.world.wrist == "front"
    left_out.add("arm_base_position")
    with pytest.raises(ToolError, match="6 joints are not a Panda's 7"):
        build("MyBotToolkit", "create")
