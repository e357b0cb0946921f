from __future__ import annotations

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.errors import RpentError

pytestmark = pytest.mark.sim


def test_reaches_a_position_and_stands_still_there(fresh):
    target = np.array([-0.05, 0.1, 0.2])
    result = fresh.servo([{"position": target}])
    assert result.status == "reached"
    np.testing.assert_allclose(result.observation.eef_position, target, atol=0.006)
    later = fresh.servo([{"steps": 5}]).observation
    np.testing.assert_allclose(later.eef_position, target, atol=0.01)


@pytest.mark.parametrize("yaw", [1.2, -1.2])
def test_turns_to_a_yaw_and_holds_the_position(fresh, yaw):
    start = fresh.observe().eef_position
    result = fresh.servo([{"yaw": yaw}])
    assert result.status == "reached"
    assert result.observation.extra["yaw_rad"] == pytest.approx(yaw, abs=0.04)
    np.testing.assert_allclose(result.observation.eef_position, start, atol=0.006)


def test_pitch_alone_keeps_the_yaw(fresh):
    fresh.servo([{"yaw": 0.6}])
    result = fresh.servo([{"pitch": -0.4}], {"max_steps": 200, "stall_steps": 40})
    assert result.observation.extra["pitch_rad"] == pytest.approx(-0.4, abs=0.05)
    assert result.observation.extra["yaw_rad"] == pytest.approx(0.6, abs=0.05)


def test_several_waypoints_in_one_call(fresh):
    start = fresh.observe().eef_position
    targets = [{"position": start + offset} for offset in ([0.1, 0, 0], [0.1, 0.1, 0], [0, 0, 0])]
    result = fresh.servo(targets)
    assert (result.status, result.waypoints_reached) == ("reached", 3)


def test_a_blocked_move_stalls_early_and_says_where(fresh):
    fresh.servo([{"position": [-0.1, 0.0, 0.2], "gripper": "close"}])
    low = fresh.describe()["workspace"]["low"][2]
    result = fresh.servo([{"position": [-0.1, 0.0, low]}])
    assert result.status == "stalled"
    assert "along -z" in result.detail
    assert result.steps < 80


def test_contact_force_stops_a_move(fresh):
    fresh.servo([{"position": [-0.1, 0.0, 0.1]}])
    low = fresh.describe()["workspace"]["low"][2]
    result = fresh.servo([{"position": [-0.1, 0.0, low]}], {"contact_force_n": 5.0})
    assert result.status == "stalled"
    assert "contact force" in result.detail


def test_gripper_opens_closes_and_takes_widths(fresh):
    closed = fresh.servo([{"gripper": "close"}], {"gripper_settled": True}).observation
    assert closed.gripper_opening_m < 0.005
    half = fresh.servo([{"gripper": 0.0, "steps": 10}], {"gripper_settled": True}).observation
    assert 0.02 < half.gripper_opening_m < 0.06
    held = fresh.servo([{"position": half.eef_position + np.array([0, 0, 0.05])}]).observation
    assert held.gripper_opening_m == pytest.approx(half.gripper_opening_m, abs=0.004)
    opened = fresh.servo([{"gripper": "open"}], {"gripper_settled": True}).observation
    assert opened.gripper_opening_m > 0.07


def test_step_budget(fresh):
    result = fresh.servo([{"position": [0.2, 0.3, 0.2]}], {"max_steps": 4})
    assert (result.status, result.steps) == ("step_budget", 4)
    assert result.observation.step == 4


def test_cancel_is_seen_at_the_next_control_step(fresh):
    token = CancelToken()
    reports: list[object] = []

    def cancel_at_first_report(report: object) -> None:
        reports.append(report)
        token.cancel()

    result = fresh.servo([{"position": [0.3, 0.5, 0.6]}], cancel=token, on_progress=cancel_at_first_report)
    assert result.status == "cancelled"
    assert len(reports) == 1
    assert result.steps == 20


@pytest.mark.parametrize(
    ("targets", "until", "message"),
    [
        ([], {}, "list of 1 to"),
        ([{"position": [0, 0]}], {}, r"shape \(3,\)"),
        ([{"position": [0, 0, float("nan")]}], {}, "NaN"),
        ([{"position": [9, 0, 0.2]}], {}, "outside the workspace"),
        ([{"position": [0, 0, -1]}], {}, "outside the workspace"),
        ([{"yaw": float("inf")}], {}, "between"),
        ([{"yaw": "left"}], {}, "must be a number"),
        ([{"quaternion": [0, 0, 0, 0]}], {}, "length 1"),
        ([{"quaternion": [1, 0, 0, 0], "yaw": 1.0}], {}, "give one"),
        ([{"gripper": "shut"}], {}, "`open`, `close`, `hold`"),
        ([{"gripper": 2}], {}, "between -1 and 1"),
        ([{"positon": [0, 0, 0]}], {}, "unknown key `positon`"),
        (["up"], {}, "must be an object"),
        ([{"yaw": 0.0}], {"max_steps": 0}, "max_steps"),
        ([{"yaw": 0.0}], {"max_steps": 10**9}, "max_steps"),
        ([{"yaw": 0.0}], {"max_steps": 2.5}, "whole number"),
        ([{"yaw": 0.0}], {"position_tolerance_m": -1}, "tolerance"),
        ([{"yaw": 0.0}], {"gripper_settled": 1}, "true or false"),
        ([{"max_step_m": 1.0}], {}, "max_step_m"),
    ],
)
def test_bad_arguments_are_one_sentence_and_move_nothing(fresh, targets, until, message):
    before = fresh.observe().step
    with pytest.raises(RpentError, match=message) as caught:
        fresh.servo(targets, until) if all(hasattr(target, "keys") for target in targets) else (
            fresh.channel.call("servo", targets=targets, until=until)
        )
    assert "\n" not in caught.value.message
    assert fresh.observe().step == before
