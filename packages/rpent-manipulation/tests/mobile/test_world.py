"""A world whose robot drives: where it stands, what it drives to, what that costs in calls."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.errors import ToolError
from rpent_manipulation.mobile.world import MobileWorld
from rpent_manipulation.planning.floor import Footprint
from rpent_manipulation.primitives.held import Held
from rpent_manipulation.tools.navigation import NavigationTools

BASE = Footprint(front_m=0.15, back_m=0.55, half_width_m=0.25, pivot_m=-0.2)
CELL = 0.05


class Context:
    """What a world needs of a run."""

    perceptor = None

    @staticmethod
    def cancel() -> CancelToken:
        return CancelToken()


class Tools(NavigationTools):
    """The tools alone."""

    def __init__(self, world: MobileWorld) -> None:
        self.world = world


@pytest.fixture
def build(make_episode: Any, make_env: Any) -> Callable[..., MobileWorld]:
    """Build a world: a room of 5 m by 4 m, the robot at (1.5, 2) facing +x, a counter from x = 4 on."""

    def make(yaw: float = 0.0, **options: Any) -> MobileWorld:
        occupied = np.zeros((round(4 / CELL), round(5 / CELL)), dtype=bool)
        occupied[:, round(4 / CELL) :] = True
        episode = make_episode()
        episode.base.position, episode.base.yaw = np.array([1.5, 2.0]), yaw
        hand = 0.25 * np.array([math.cos(yaw), math.sin(yaw)])
        episode.arm.position = np.array([*(episode.base.position + hand), 1.28])
        return MobileWorld(
            Context(),  # type: ignore[arg-type]
            make_env(episode, occupied),
            footprint=BASE,
            torso_range_m=(0.0, 0.34),
            cameras=("left", "wrist"),
            **options,
        )

    return make


@pytest.mark.parametrize("yaw", [0.0, 1.2, -2.0])
def test_it_knows_where_it_stands(build: Callable[..., MobileWorld], yaw: float) -> None:
    world = build(yaw)
    ahead = np.array([math.cos(yaw), math.sin(yaw)])
    assert world.home_yaw == pytest.approx(yaw)
    assert world.facing == pytest.approx(ahead)
    assert world.base == pytest.approx([1.5, 2.0, 0.7])
    assert world.work_middle == pytest.approx([1.5, 2.0] + 0.6 * ahead)
    sides = world.viewer().sides()
    assert sides["behind"] == pytest.approx(ahead)
    assert sides["left_of"] == pytest.approx([-ahead[1], ahead[0]])


@pytest.mark.parametrize(("step", "opening", "closing"), [(0.25, 8, 11), (0.2, 10, 13)])
def test_slower_fingers_are_given_longer(
    build: Callable[..., MobileWorld], step: float, opening: int, closing: int
) -> None:
    world = build(finger_step=step)
    assert (world.open_steps, world.close_steps) == (opening, closing)


def test_one_drive_is_one_call_once_the_floor_is_known(build: Callable[..., MobileWorld]) -> None:
    world = build()
    calls = world.env.calls  # type: ignore[attr-defined]
    calls.clear()
    assert world.drive_to(np.array([3.0, 1.0]), 1.5).ok
    assert calls == ["floor_plan", "servo"]
    assert world.drive_to(np.array([1.0, 3.0]), 0.0).ok
    assert calls == ["floor_plan", "servo", "servo"]


def test_what_is_held_is_lifted_before_it_is_drawn_in(build: Callable[..., MobileWorld]) -> None:
    """It may stand in a sink, whose wall is between it and the robot."""
    world = build()
    world.state = replace(world.state, eef_position=np.array([2.1, 2.0, 0.85]))
    assert world._tuck()[0]["position"][0] < 2.0
    world.held = Held(label="can", strategy="top", yaw_rad=0.0, offset=(0.0, 0.0), below_m=0.06, reach_m=0.04)
    up, back = world._tuck()[:2]
    assert up["position"][:2] == pytest.approx([2.1, 2.0])
    assert up["position"][2] > 1.1
    assert back["position"][0] < 2.0


def test_what_no_map_shows_is_driven_round(build: Callable[..., MobileWorld]) -> None:
    world = build()
    world.env.episode.chair = (2.2, 2.0, 0.3)  # type: ignore[attr-defined]
    drive = world.drive_to(np.array([3.0, 2.0]), 0.0)
    assert drive.ok, drive.reason
    assert world.pose.xy == pytest.approx([3.0, 2.0], abs=0.05)
    track = np.array(world.env.episode.track)  # type: ignore[attr-defined]
    assert np.abs(track[:, 1] - 2.0).max() > 0.25


def test_after_three_ways_it_says_that_it_is_blocked(build: Callable[..., MobileWorld]) -> None:
    world = build()
    world.env.episode.wall_x = 2.0  # type: ignore[attr-defined]
    drive = world.drive_to(np.array([3.0, 2.0]), 0.0)
    assert not drive.ok
    assert "blocked" in drive.reason
    assert world.env.calls.count("servo") <= 3  # type: ignore[attr-defined]
    assert drive.steps == world.state.step


def test_the_floor_is_looked_at_again_after_the_hand_has_moved(build: Callable[..., MobileWorld]) -> None:
    world = build()
    calls = world.env.calls  # type: ignore[attr-defined]
    world.drive_to(np.array([3.0, 1.0]), 0.0)
    world.move([{"position": np.add(world.state.eef_position, [0.0, 0.0, 0.02])}])
    world.drive_to(np.array([1.5, 2.0]), 0.0)
    assert calls.count("floor_plan") == 2


def test_it_comes_within_reach_and_stays_there(build: Callable[..., MobileWorld]) -> None:
    world = build()
    point = np.array([4.3, 1.0, 0.95])
    assert world.bring_within_reach(point)
    ahead, left, _ = world._in_base(point)
    assert 0.4 < ahead < 0.8
    assert abs(left) < 0.2
    assert world.torso_m == 0.0
    assert not world.bring_within_reach(point)


def test_it_raises_the_torso_for_what_is_high_and_lowers_it_again(build: Callable[..., MobileWorld]) -> None:
    world = build()
    world.bring_within_reach(np.array([4.3, 1.0, 1.5]))
    assert world.torso_m == pytest.approx(0.3, abs=0.01)
    world.bring_within_reach(np.array([4.3, 1.0, 0.95]))
    assert world.torso_m == pytest.approx(0.0, abs=0.01)


def test_it_stands_on_the_wanted_side(build: Callable[..., MobileWorld]) -> None:
    world = build()
    point = np.array([2.5, 2.0, 0.9])
    world.bring_within_reach(point, np.array([0.0, 1.0, 0.0]))
    assert world.pose.y > 2.4
    assert math.cos(world.base_yaw + math.pi / 2) > 0.9


def test_a_stretched_hand_is_drawn_in_before_it_drives(build: Callable[..., MobileWorld]) -> None:
    world = build()
    rest = world._in_base(world.state.eef_position)
    world.move([{"position": np.add(world.state.eef_position, [0.3, 0.0, -0.3])}])
    world.drive_to(np.array([1.0, 1.0]), math.pi)
    assert np.linalg.norm(world._in_base(world.state.eef_position) - rest) < 0.1


def test_positions_beyond_the_arm_are_refused(build: Callable[..., MobileWorld]) -> None:
    with pytest.raises(ToolError, match=r"is 1\.5\d m from the arm's base, which reaches 1\.00 m"):
        build().check_position([3.0, 2.0, 0.9])


def test_navigate_to_a_place(build: Callable[..., MobileWorld]) -> None:
    data = Tools(build()).navigate_to(xy=[3.0, 1.0], yaw_rad=-1.57).data
    assert data["ok"]
    assert data["base_position"] == pytest.approx([3.0, 1.0], abs=0.03)
    assert data["base_yaw_rad"] == pytest.approx(-1.57, abs=0.03)
    assert data["route_m"] == pytest.approx(math.hypot(1.5, 1.0), abs=0.01)
    assert data["reason"] == ""


@pytest.mark.parametrize("xy", [[50.0, 2.0], [-3.0, 2.0], [1e308, -1e308]])
@pytest.mark.filterwarnings("error")
def test_a_place_outside_of_the_room_is_told_as_that(
    build: Callable[..., MobileWorld], xy: list[float]
) -> None:
    with pytest.raises(ToolError, match="is outside the room") as caught:
        Tools(build()).navigate_to(xy=xy)
    assert "from [0.0, 0.0] to [5.0, 4.0]" in str(caught.value.hint)


def test_navigate_to_furniture_stands_before_it(build: Callable[..., MobileWorld]) -> None:
    data = Tools(build()).navigate_to(xy=[4.3, 2.0]).data
    assert data["ok"]
    assert data["base_position"] == pytest.approx([3.8, 2.0], abs=0.06)
    assert data["base_yaw_rad"] == pytest.approx(0.0, abs=0.03)


def test_navigate_through_a_wall_says_why_not(build: Callable[..., MobileWorld]) -> None:
    world = build()
    world.plan.occupied[:, 50:52] = True
    data = Tools(world).navigate_to(xy=[3.4, 2.0]).data
    assert not data["ok"]
    assert data["steps"] == 0
    assert data["reason"].startswith("no way leads there")


def test_where_to_must_be_said_once(build: Callable[..., MobileWorld]) -> None:
    with pytest.raises(ToolError, match="one of them"):
        Tools(build()).navigate_to()
    with pytest.raises(ToolError, match="one of them"):
        Tools(build()).navigate_to(xy=[0.0, 0.0], target="sink")


def test_turn_base_turns_about_its_pivot(build: Callable[..., MobileWorld]) -> None:
    world = build()
    pivot = world.pose.ahead(BASE.pivot_m)
    data = Tools(world).turn_base(1.57).data
    assert data["ok"]
    assert world.pose.ahead(BASE.pivot_m) == pytest.approx(pivot, abs=0.04)
    assert data["base_yaw_rad"] == pytest.approx(1.57, abs=0.03)


def test_move_base_goes_by_so_much_and_stops_at_a_wall(
    build: Callable[..., MobileWorld], make_episode: Any
) -> None:
    world = build(yaw=math.pi / 2)
    data = Tools(world).move_base(forward_m=0.5, left_m=-0.2).data
    assert data["base_position"] == pytest.approx([1.7, 2.5], abs=0.03)
    world.env.episode.wall_x = 2.0  # type: ignore[attr-defined]
    data = Tools(world).move_base(left_m=-1.0).data
    assert not data["ok"]
    assert data["distance_left_m"] == pytest.approx(0.7, abs=0.03)
    assert data["reason"].startswith("it is blocked")
