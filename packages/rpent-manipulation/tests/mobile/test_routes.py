"""Routes over floor plans."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from rpent_manipulation.planning.floor import FloorPlan, Footprint, Pose
from rpent_manipulation.planning.routes import Routes

BASE = Footprint(front_m=0.15, back_m=0.55, half_width_m=0.25, pivot_m=-0.2)
CELL = 0.05
SHRUNK = Footprint(front_m=0.125, back_m=0.525, half_width_m=0.225, pivot_m=-0.2)
"""Lines are looked at once a cell: between two such places a corner may reach half a cell into the outline."""


def room(*boxes: tuple[float, float, float, float], size: tuple[float, float] = (5.0, 4.0)) -> FloorPlan:
    """A room from (0, 0) on with boxes (x0, y0, x1, y1) in it."""
    occupied = np.zeros((round(size[1] / CELL), round(size[0] / CELL)), dtype=bool)
    for x0, y0, x1, y1 in boxes:
        occupied[round(y0 / CELL) : round(y1 / CELL), round(x0 / CELL) : round(x1 / CELL)] = True
    return FloorPlan(np.zeros(2), CELL, occupied)


def driven(plan: FloorPlan, start: Pose, poses: tuple[Pose, ...], exact: tuple[bool, ...]) -> None:
    """Check that the base may drive through the poses: as a disc where it turns, else with its own outline."""
    before = start
    for pose, is_exact in zip(poses, exact, strict=True):
        turn = abs(math.remainder(pose.yaw - before.yaw, 2 * math.pi))
        for share in np.linspace(0, 1, 30):
            xy = before.xy + share * (pose.xy - before.xy)
            if turn < 0.01:
                assert plan.stands_free(
                    Pose(*xy, pose.yaw), SHRUNK, except_at=plan.cells(BASE.points(start, 0.02))
                )
            else:
                pivot = before.ahead(BASE.pivot_m) + share * (
                    pose.ahead(BASE.pivot_m) - before.ahead(BASE.pivot_m)
                )
                assert plan.clearance_at(pivot)[0] >= BASE.radius_m - CELL / 2
        before = pose
        assert is_exact or plan.clearance_at(pose.ahead(BASE.pivot_m))[0] >= BASE.radius_m


def test_an_empty_room_is_crossed_in_one_leg() -> None:
    route = Routes(room(), BASE, Pose(1.0, 1.0, 0.0)).to(Pose(4.0, 3.0, 1.0))
    assert route is not None
    assert route.poses == (Pose(4.0, 3.0, 1.0),)
    assert route.length_m == pytest.approx(math.hypot(3.0, 2.0))


def test_it_goes_round_an_island() -> None:
    plan = room((2.0, 0.8, 3.0, 3.2))
    start, goal = Pose(1.0, 2.0, 0.0), Pose(4.2, 2.0, 0.0)
    route = Routes(plan, BASE, start).to(goal)
    assert route is None  # 0.8 m on either side are too narrow for its disc
    plan = room((2.0, 1.2, 3.0, 3.2))
    route = Routes(plan, BASE, start).to(goal)
    assert route is not None
    assert min(pose.y for pose in route.poses) < 0.8
    assert 3.2 < route.length_m < 5.0
    driven(plan, start, route.poses, route.exact)


def test_it_backs_out_from_a_counter_before_it_turns_and_drives_straight_up_to_the_next() -> None:
    plan = room((0.0, 0.0, 0.6, 4.0), (4.4, 0.0, 5.0, 4.0))
    start, goal = Pose(0.8, 2.0, math.pi), Pose(4.2, 2.0, 0.0)
    route = Routes(plan, BASE, start).to(goal)
    assert route is not None
    first, last = route.poses[0], route.poses[-2]
    assert first.yaw == start.yaw
    assert first.x > start.x
    assert last.yaw == goal.yaw
    assert last.x < goal.x
    assert route.poses[-1] == goal
    driven(plan, start, route.poses, route.exact)


def test_along_a_counter_it_slides_without_turning() -> None:
    plan = room((0.0, 0.0, 0.6, 4.0))
    route = Routes(plan, BASE, Pose(0.8, 1.5, math.pi)).to(Pose(0.8, 2.3, math.pi))
    assert route is not None
    assert route.poses == (Pose(0.8, 2.3, math.pi),)


def test_nothing_leads_into_furniture_or_through_walls() -> None:
    plan = room((2.0, 0.0, 2.2, 4.0))
    routes = Routes(plan, BASE, Pose(1.0, 2.0, 0.0))
    assert routes.to(Pose(2.1, 2.0, 0.0)) is None
    assert routes.to(Pose(4.0, 2.0, 0.0)) is None
    assert math.isinf(routes.cost(Pose(4.0, 2.0, 0.0)))


def test_who_stands_where_nothing_should_be_gets_away() -> None:
    plan = room((0.0, 0.0, 1.0, 4.0))
    start = Pose(1.1, 2.0, math.pi)  # 5 cm into the counter
    route = Routes(plan, BASE, start).to(Pose(3.0, 3.0, 0.0))
    assert route is not None


boxes = st.tuples(st.floats(0.0, 4.5), st.floats(0.0, 3.5), st.floats(0.2, 1.5), st.floats(0.2, 1.5)).map(
    lambda box: (box[0], box[1], min(box[0] + box[2], 5.0), min(box[1] + box[3], 4.0))
)
poses = st.builds(
    Pose, st.floats(0.2, 4.8), st.floats(0.2, 3.8), st.sampled_from([0.0, 1.57, 3.14, -1.57, 0.7])
)


@example(
    furniture=[(0.0, 0.6875, 0.3125, 1.6875)], start=Pose(1.0, 1.0, 0.0), goal=Pose(0.59375, 0.390625, 0.0)
)
@settings(deadline=None, max_examples=60)
@given(furniture=st.lists(boxes, max_size=4), start=poses, goal=poses)
def test_a_route_is_free_and_ends_at_the_goal(
    furniture: list[tuple[float, float, float, float]], start: Pose, goal: Pose
) -> None:
    plan = room(*furniture)
    assume(plan.stands_free(start, BASE))
    routes = Routes(plan, BASE, start)
    route = routes.to(goal)
    assert (route is None) == math.isinf(routes.cost(goal))
    if route is None or not route.poses:
        return
    assert route.poses[-1] == goal
    assert route.exact[-1]
    assert plan.stands_free(goal, BASE, except_at=plan.cells(BASE.points(start, 0.02)))
    driven(plan, start, route.poses, route.exact)
    legs = [start, *route.poses]
    assert route.length_m == pytest.approx(sum(float(np.linalg.norm(b.xy - a.xy)) for a, b in pairwise(legs)))
    assert route.length_m >= np.linalg.norm(goal.xy - start.xy) - 1e-9


def test_the_roomiest_place_is_reachable() -> None:
    plan = room((1.5, 0.0, 1.7, 4.0))  # the right part is larger, and walled off
    place = Routes(plan, BASE, Pose(0.9, 2.0, 1.57)).roomiest(0.0)
    assert place is not None
    assert place.ahead(BASE.pivot_m)[0] < 1.5
    place = Routes(plan, BASE, Pose(3.0, 2.0, 0.0)).roomiest(0.0)
    assert place is not None
    assert place.ahead(BASE.pivot_m)[0] == pytest.approx(3.35, abs=0.1)
