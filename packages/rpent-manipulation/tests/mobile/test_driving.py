"""Closed-loop driving inside the env server."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rpent_manipulation.env.guardrails import GuardrailError
from rpent_manipulation.env.servo import Servo
from rpent_manipulation.env.targets import parse_targets, parse_until


def servo(episode: Any, call: Any, targets: list[dict[str, Any]], **until: Any) -> dict[str, Any]:
    checked = parse_targets(targets, episode.workspace, torso_range_m=episode.drivetrain.torso_range_m)
    return Servo(episode, checked, parse_until(until), call).run()


@settings(deadline=None, max_examples=40)
@given(x=st.floats(-3, 3), y=st.floats(-3, 3), yaw=st.floats(-7, 7), start_yaw=st.floats(-3, 3))
def test_it_comes_to_a_pose_and_stands_still(  # noqa: PLR0917
    make_episode: Any, make_call: Any, x: float, y: float, yaw: float, start_yaw: float
) -> None:
    episode = make_episode()
    episode.base.yaw = start_yaw
    result = servo(episode, make_call(), [{"base_position": [x, y], "base_yaw": yaw}])
    assert result["status"] == "reached"
    assert np.linalg.norm(episode.base.position - [x, y]) <= 0.03
    assert math.cos(episode.base.yaw - yaw) >= math.cos(0.03)
    assert result["position_error_m"] <= 0.03
    assert len(episode.track) < 2 or np.linalg.norm(episode.track[-1] - episode.track[-2]) <= 0.002


def test_a_turn_alone_keeps_the_place(make_episode: Any, make_call: Any) -> None:
    episode = make_episode()
    servo(episode, make_call(), [{"base_yaw": math.pi / 2}])
    assert np.linalg.norm(episode.base.position) <= 0.03
    assert episode.base.yaw == pytest.approx(math.pi / 2, abs=0.03)


def test_it_turns_the_short_way_round(make_episode: Any, make_call: Any) -> None:
    episode = make_episode()
    episode.base.yaw = 3.0
    servo(episode, make_call(), [{"base_yaw": -3.0}])
    assert episode.base.yaw == pytest.approx(2 * math.pi - 3.0, abs=0.03)


def test_corners_are_passed_without_stopping(make_episode: Any, make_call: Any) -> None:
    through, stopping = make_episode(), make_episode()
    corners = [[1.0, 0.0], [1.0, 1.0]]
    servo(through, make_call(), [{"base_position": place} for place in corners])
    for place in corners:
        servo(stopping, make_call(), [{"base_position": place}])
    assert min(np.linalg.norm(place - [1.0, 0.0]) for place in through.track) < 0.13
    assert np.linalg.norm(through.base.position - [1.0, 1.0]) <= 0.03
    assert through.steps < stopping.steps - 5


def test_a_waypoint_that_names_its_yaw_is_reached_before_it_drives_on(
    make_episode: Any, make_call: Any
) -> None:
    episode = make_episode()
    episode.base.yaw = 1.0
    servo(
        episode,
        make_call(),
        [{"base_position": [1.0, 0.0], "base_yaw": 0.0}, {"base_position": [2.0, 0.0], "base_yaw": 0.0}],
    )
    assert min(np.linalg.norm(place - [1.0, 0.0]) for place in episode.track) <= 0.03


def test_it_turns_to_the_next_yaw_on_the_way(make_episode: Any, make_call: Any) -> None:
    episode = make_episode()
    result = servo(
        episode,
        make_call(),
        [{"base_position": [2.0, 0.0]}, {"base_position": [2.2, 0.0], "base_yaw": 1.5}],
        max_steps=58,
    )
    assert result["waypoints_reached"] == 1
    assert episode.base.yaw > 1.3


def test_the_speed_is_limited(make_episode: Any, make_call: Any) -> None:
    episode = make_episode()
    servo(episode, make_call(), [{"base_position": [1.0, 1.0], "base_yaw": 1.0, "max_step_m": 0.01}])
    assert episode.fastest[0] <= 0.2 + 1e-9


def test_it_stops_at_a_wall(make_episode: Any, make_call: Any) -> None:
    episode = make_episode(wall_x=0.5)
    result = servo(episode, make_call(), [{"base_position": [2.0, 0.0]}])
    assert result["status"] == "stalled"
    assert "1.500 m short, most along +x" in result["detail"]


def test_it_stops_when_cancelled(make_episode: Any, make_call: Any) -> None:
    episode = make_episode()
    result = servo(episode, make_call(cancel_after=1), [{"base_position": [4.0, 0.0]}])
    assert result["status"] == "cancelled"
    assert episode.base.position[0] < 1.0


def test_it_stops_with_the_episode(make_episode: Any, make_call: Any) -> None:
    episode = make_episode(max_steps=10)
    assert servo(episode, make_call(), [{"base_position": [4.0, 0.0]}])["status"] == "episode_over"
    assert episode.steps == 10


def test_hand_and_base_take_turns(make_episode: Any, make_call: Any) -> None:
    episode = make_episode()
    result = servo(
        episode,
        make_call(),
        [
            {"position": [0.3, 0.1, 1.1], "gripper": "close"},
            {"torso_m": 0.2, "base_position": [0.5, 0.5]},
            {"position": [0.4, 0.1, 1.1], "gripper": "open"},
        ],
    )
    assert result["status"] == "reached"
    assert result["waypoints_reached"] == 3
    assert episode.base.torso_m == pytest.approx(0.2, abs=0.01)
    assert episode.arm.gripper_command == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("waypoint", "message"),
    [
        ({"base_position": [1.0, 2.0, 3.0]}, r"`targets\[0\].base_position` must have shape"),
        ({"base_position": [1.0, float("nan")]}, "NaN"),
        ({"base_position": [9.0, 0.0]}, "outside the workspace"),
        ({"torso_m": 0.5}, r"`targets\[0\].torso_m` must be between 0 and 0.34"),
        ({"base_yaw": 0.0, "yaw": 1.0}, "moves both the base and the hand"),
    ],
)
def test_senseless_waypoints_are_refused(
    make_episode: Any, make_call: Any, waypoint: dict[str, Any], message: str
) -> None:
    episode = make_episode()
    with pytest.raises(GuardrailError, match=message):
        servo(episode, make_call(), [waypoint])
    assert episode.steps == 0


def test_a_fixed_base_is_not_driven(make_episode: Any) -> None:
    with pytest.raises(GuardrailError, match="this robot's base is fixed"):
        parse_targets([{"base_yaw": 1.0}], make_episode().workspace)
