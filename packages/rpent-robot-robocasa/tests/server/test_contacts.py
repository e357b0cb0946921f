"""What the fingers feel."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.sim


def felt(observation) -> dict[str, bool]:
    return dict(observation.extra["finger_contacts"])


def test_a_hand_that_presses_on_the_counter_feels_it_and_one_in_the_air_does_not(coffee_env) -> None:
    observation = coffee_env.observe()
    assert felt(observation) == {"left": False, "right": False}
    closed = coffee_env.servo([{"gripper": 1.0, "steps": 12}], {"max_steps": 20})
    assert closed.steps > 0
    # Closed on nothing the fingers touch each other, which is no contact with a thing.
    assert felt(coffee_env.observe()) == {"left": False, "right": False}
    down = observation.eef_position - [0.0, 0.0, 0.6]
    coffee_env.servo([{"position": down.tolist(), "max_step_m": 0.02}], {"max_steps": 150, "stall_steps": 20})
    assert any(felt(coffee_env.observe()).values())
