"""Driving in a real kitchen: the mobile world over the env server."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent_manipulation.mobile.world import MobileWorld
from rpent_robot_robocasa.base import TORSO_RANGE_M
from rpent_robot_robocasa.toolkit import FOOTPRINT

pytestmark = pytest.mark.sim


class Context:
    """What a world needs of a run."""

    perceptor = None

    @staticmethod
    def cancel() -> CancelToken:
        return CancelToken()


class Counted:
    """A channel that counts its calls."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel
        self.calls: list[str] = []

    def call(self, method: str, **values: Any) -> Any:
        self.calls.append(method)
        return self._channel.call(method, **values)


@pytest.fixture
def world(make_env: Any) -> MobileWorld:
    env = make_env(task_name="NavigateKitchen", seed=1)
    env.channel = Counted(env.channel)
    return MobileWorld(
        Context(),  # type: ignore[arg-type]
        env,
        footprint=FOOTPRINT,
        torso_range_m=TORSO_RANGE_M,
        cameras=("agentview_left", "wrist"),
    )


def test_it_backs_out_from_the_counter_turns_and_drives_through_the_room_in_one_call(
    world: MobileWorld,
) -> None:
    start, hand = world.pose, world._in_base(world.state.eef_position)
    goal = start.ahead(-1.2)
    assert len(world.plan.occupied) > 0
    calls: list[str] = world.env.channel.calls  # type: ignore[attr-defined]
    calls.clear()
    drive = world.drive_to(goal, start.yaw + math.pi / 2)
    assert calls == ["servo"]
    assert drive.ok, drive.reason
    assert drive.distance_left_m <= 0.03
    assert math.cos(world.base_yaw - start.yaw - math.pi / 2) > math.cos(0.03)
    assert np.linalg.norm(world._in_base(world.state.eef_position) - hand) < 0.04  # the arm rode along
    assert world.state.joint_positions.shape == (7,)


def test_what_stands_in_the_way_stops_it(world: MobileWorld) -> None:
    drive = world.drive_straight(0.5, 0.0, 0.0)  # into the counter that it stands at
    assert not drive.ok
    assert drive.reason.startswith("it is blocked")
    assert drive.distance_left_m > 0.3


def test_it_comes_within_reach_and_raises_its_torso(world: MobileWorld) -> None:
    side = np.array([-math.sin(world.base_yaw), math.cos(world.base_yaw)])
    point = np.array([*(world.pose.ahead(0.45) + 0.6 * side), 1.5])
    assert world.bring_within_reach(point, np.array([*-world.facing, 0.0]))
    ahead, left, _ = world._in_base(point)
    assert 0.4 < ahead < 0.8
    assert abs(left) < 0.3
    assert world.torso_m == pytest.approx(0.3, abs=0.02)
    assert not world.bring_within_reach(point)  # there already
