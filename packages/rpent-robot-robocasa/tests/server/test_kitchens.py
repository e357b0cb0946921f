"""Labels and floor plans of the simulator's own kitchens."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rpent_manipulation.planning.floor import FloorPlan, Pose
from rpent_manipulation.planning.routes import Routes
from rpent_robot_robocasa.toolkit import FOOTPRINT

pytestmark = pytest.mark.sim

SCRIPT = Path(__file__).parents[1] / "inside" / "kitchens.py"
NEAR_ENOUGH_M = 0.2
"""What the benchmark asks of NavigateKitchen (`kitchen_navigate.py`)."""


@pytest.fixture(scope="module")
def rooms(run_in_kitchen) -> list[dict[str, Any]]:
    """`NavigateKitchen` in three layouts."""
    return run_in_kitchen(SCRIPT.read_text(), "NavigateKitchen", "1,4,12")


@pytest.fixture(scope="module")
def microwave(run_in_kitchen) -> dict[str, Any]:
    """`TurnOnMicrowave`."""
    return run_in_kitchen(SCRIPT.read_text(), "TurnOnMicrowave", "0", "microwave_1/start_button")[0]


def test_everything_drawn_has_a_label(rooms) -> None:
    assert [room["nameless"] for room in rooms] == [[], [], []]
    for room in rooms:
        labels = set(room["labels"])
        assert {"robot", "scenery", "counter_1", "sink_1", "sink_1/faucet_handle"} <= labels
        assert {"microwave_1/start_button", "microwave_1/door_handle"} <= labels
        assert {"cabinet_1/left_door", "cabinet_1/door"} & labels
        assert "drawer_1/handle" in labels


def test_a_button_that_is_not_drawn_is_seen_where_it_is_touched(microwave) -> None:
    assert microwave["drawn"] > 50
    assert 0.5 < microwave["hidden"] / microwave["drawn"] < 2


def test_the_base_stands_on_free_floor(rooms) -> None:
    assert min(room["free"] for room in rooms) > 0.97
    assert all(0.2 < room["share"] < 0.8 for room in rooms)


def test_the_place_that_a_task_asks_for_can_be_driven_to(rooms) -> None:
    for room in rooms:
        plan = FloorPlan.from_data({**room["plan"], "occupied": np.array(room["plan"]["occupied"])})
        routes = Routes(plan, FOOTPRINT, Pose(*room["base"]))
        goal = Pose(*room["target"])
        left = math.cos(goal.yaw + math.pi / 2), math.sin(goal.yaw + math.pi / 2)
        near = [
            Pose(goal.x + aside * left[0], goal.y + aside * left[1], goal.yaw).ahead(-back)
            for back in (0.0, 0.06, 0.12)
            for aside in (0.0, 0.08, -0.08)
        ]
        assert max(math.dist(place, goal.xy) for place in near) < NEAR_ENOUGH_M
        assert any(routes.to(Pose(float(x), float(y), goal.yaw)) for x, y in near)
