"""Plans are carried out, checked, retried in other ways, and claimed honestly."""

from __future__ import annotations

from typing import Any

import pytest
from rpent_planner_flash.config import FlashConfig
from rpent_planner_flash.planner import FlashPlanner

PLATE = (0.16, 0.16, 0.02)
BASKET = (0.2, 0.2, 0.1)


def run(session: Any, **options: Any) -> str:
    FlashPlanner(FlashConfig(**options)).run(session)
    assert session.finished is not None
    return str(session.finished["status"])


def test_pick_and_place(table: Any, thing: Any) -> None:
    basket = thing("basket", (0.0, 0.3, 0.0), BASKET)
    milk = thing("milk", (0.0, 0.0, 0.0))
    session = table("pick the milk and place it in the basket", [basket, milk])
    assert run(session) == "success"
    assert session.names() == ["grasp", "place", "finish"]
    assert milk.position[:2] == (0.0, 0.3)
    assert len(session.calls) == 7  # two questions before, two after


def test_a_look_that_was_cut_short_saw_nothing_and_is_made_again(table: Any, thing: Any) -> None:
    things = [thing("basket", (0.0, 0.3, 0.0), BASKET), thing("milk", (0.0, 0.0, 0.0))]
    lost = ["crash", "interrupt", "crash"]
    session = table("pick the milk and place it in the basket", things, looks_lost=lost)
    assert run(session, max_attempts=1) == "success"
    assert session.names() == ["grasp", "place", "finish"]
    assert len(session.calls) == 10


def test_a_grasp_that_fails_is_tried_otherwise(table: Any, thing: Any) -> None:
    things = [thing("basket", (0.0, 0.3, 0.0), BASKET), thing("milk", (0.0, 0.0, 0.0), grasps_needed=3)]
    session = table("pick the milk and place it in the basket", things)
    assert run(session) == "success"
    grasps = [arguments for name, arguments in session.calls if name == "grasp"]
    assert [g["attempt"] for g in grasps] == [0, 1, 2, 3]
    assert grasps[3]["strategy"] != grasps[0]["strategy"]


def test_a_placement_that_misses_is_repeated(table: Any, thing: Any) -> None:
    plate, bowl = thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.0, -0.1, 0.0))
    session = table("put the bowl on the plate", [plate, bowl], spills=1)
    assert run(session) == "success"
    assert session.names() == ["grasp", "place", "grasp", "place", "finish"]
    assert bowl.position[:2] == (0.1, 0.2)


def test_the_thing_that_was_dropped_is_not_confused_with_its_equal(table: Any, thing: Any) -> None:
    plate, left = thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.0, -0.2, 0.0))
    right = thing("bowl", (0.0, 0.0, 0.0))
    session = table("put the left bowl on the plate", [plate, left, right], spills=1)
    assert run(session) == "success"
    assert left.position[:2] == (0.1, 0.2)
    assert right.position == (0.0, 0.0, 0.0)


def test_it_gives_up_and_says_so(table: Any, thing: Any) -> None:
    things = [thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.0, 0.0, 0.0), grasps_needed=99)]
    session = table("put the bowl on the plate", things)
    assert run(session, max_attempts=3) == "failure"
    assert session.names() == ["grasp"] * 3 + ["finish"]
    assert "Could not grasp `bowl`" in session.finished["summary"]


@pytest.mark.parametrize(
    ("instruction", "status", "said"),
    [
        ("put the spoon on the plate", "failure", "`spoon` is nowhere to be seen"),
        ("put the plate on the tray", "failure", "`tray` is nowhere to be seen"),
        ("dance for me", "stuck", "is not understood"),
    ],
)
def test_what_cannot_be_done(table: Any, thing: Any, instruction: str, status: str, said: str) -> None:
    session = table(instruction, [thing("plate", (0.1, 0.2, 0.0), PLATE)])
    assert run(session) == status
    assert said in session.finished["summary"]


def test_several_goals_in_their_order(table: Any, thing: Any) -> None:
    things = [thing("cabinet", (0.4, 0.0, 0.0), (0.2, 0.2, 0.2)), thing("bowl", (0.0, 0.0, 0.0))]
    things.append(thing("top drawer of the cabinet", (0.3, 0.0, 0.14), (0.2, 0.2, 0.06)))
    session = table(
        "open the top drawer of the cabinet and put the bowl inside and close it and turn on the cabinet",
        things,
    )
    assert run(session) == "success"
    assert session.names() == ["pull", "grasp", "place", "push", "turn", "finish"]


def test_both_of_two_equals(table: Any, thing: Any) -> None:
    pots = [thing("moka pot", (0.0, y, 0.0)) for y in (0.0, 0.2)]
    session = table(
        "put both moka pots on the stove", [thing("stove", (0.3, 0.0, 0.0), (0.3, 0.3, 0.02)), *pots]
    )
    assert run(session) == "success"
    assert all(pot.position[0] == 0.3 for pot in pots)


def test_what_is_done_is_not_done_again_after_a_resume(table: Any, thing: Any) -> None:
    things = [thing("basket", (0.0, 0.3, 0.0), BASKET), thing("milk", (0.0, 0.3, 0.01))]
    things.append(thing("soup", (0.2, 0.0, 0.0)))
    session = table("put both the milk and the soup in the basket", things, history=[{"role": "tool"}])
    assert run(session) == "success"
    grasped = [arguments["target"] for name, arguments in session.calls if name == "grasp"]
    assert grasped == ["soup"]


def test_a_resume_does_not_place_an_equal_of_what_is_placed(table: Any, thing: Any) -> None:
    plate, placed = thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.1, 0.2, 0.02))
    other = thing("bowl", (-0.2, -0.2, 0.0))
    session = table("put the bowl next to the plate on the plate", [plate, placed, other], history=[{}])
    assert run(session) == "success"
    assert session.names() == ["finish"]


def test_what_vanishes_after_a_failed_grasp_is_not_claimed(table: Any, thing: Any) -> None:
    bowl = thing("bowl", (0.0, -0.1, 0.0), grasps_needed=1, vanishes=True)
    session = table("put the bowl on the plate", [thing("plate", (0.1, 0.2, 0.0), PLATE), bowl])
    assert run(session) == "failure"
    assert "nowhere to be seen" in session.finished["summary"]


def test_what_hangs_on_the_open_fingers_is_taken_and_put_again(table: Any, thing: Any) -> None:
    bowl = thing("bowl", (0.0, -0.1, 0.0), sticks=1)
    session = table("put the bowl on the plate", [thing("plate", (0.1, 0.2, 0.0), PLATE), bowl])
    assert run(session) == "success"
    assert session.names() == ["grasp", "place", "set_gripper", "place", "finish"]


def test_a_push_reaches_its_place(table: Any, thing: Any) -> None:
    plate, stove = thing("plate", (0.0, 0.0, 0.0), PLATE), thing("stove", (-0.3, 0.2, 0.0), (0.2, 0.2, 0.02))
    session = table("push the plate to the front of the stove", [stove, plate])
    assert run(session) == "success"
    assert plate.position[0] == pytest.approx(-0.3 + 0.18 + 0.04)
    assert plate.position[1] == pytest.approx(0.2)


def test_it_stops_when_the_session_ends(table: Any, thing: Any) -> None:
    things = [thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.0, 0.0, 0.0))]
    session = table("put the bowl on the plate", things, call_limit=2)
    FlashPlanner(FlashConfig()).run(session)
    assert session.finished is None
    assert len(session.calls) == 3


def test_what_is_held_after_a_resume_is_not_grasped_again(table: Any, thing: Any) -> None:
    milk = thing("milk", (0.0, 0.0, 0.2))
    things = [thing("basket", (0.0, 0.3, 0.0), BASKET), milk]
    session = table("pick the milk and place it in the basket", things, history=[{"role": "tool"}], held=milk)
    assert run(session) == "success"
    assert session.names() == ["place", "finish"]


def test_what_a_crash_left_in_the_hand_is_placed_again(table: Any, thing: Any) -> None:
    things = [thing("basket", (0.0, 0.3, 0.0), BASKET), thing("milk", (0.0, 0.0, 0.0))]
    session = table("pick the milk and place it in the basket", things, crashes=2)
    assert run(session) == "success"
    assert session.names() == ["grasp", "place", "place", "place", "finish"]


def test_what_is_held_is_picked_up(table: Any, thing: Any) -> None:
    milk = thing("milk", (0.0, 0.0, 0.2))
    session = table("pick up the milk", [milk], history=[{"role": "tool"}], held=milk)
    assert run(session) == "success"
    assert session.names() == ["finish"]


def test_an_episode_that_ended_in_mid_motion_is_not_judged_by_a_look(table: Any, thing: Any) -> None:
    things = [thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.0, -0.1, 0.0))]
    session = table("put the bowl on the plate and open the cabinet", things, spills=1, ends_after=2)
    assert run(session) == "success"
    assert session.names() == ["grasp", "place", "finish"]


def test_what_is_hidden_later_was_seen_at_the_start(table: Any, thing: Any) -> None:
    plate, cup = thing("plate", (0.1, 0.2, 0.0), PLATE), thing("cup", (0.0, -0.1, 0.0))
    fork = thing("fork", (0.2, -0.2, 0.0), hidden_after=1)
    session = table("put the cup on the plate and put the fork to the right of the plate", [plate, cup, fork])
    assert run(session) == "success"
    assert session.names() == ["grasp", "place", "view_camera_meta", "grasp", "place", "finish"]
    assert fork.position[1] == pytest.approx(0.3)


@pytest.mark.parametrize("action", [1, 2])
def test_after_an_interrupt_it_goes_on_with_what_was_stopped(table: Any, thing: Any, action: int) -> None:
    """The user stopped the grasp, or the placement, and wrote something; the attempt does not count."""
    plate, bowl = thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.0, -0.1, 0.0))
    session = table("put the bowl on the plate", [plate, bowl], interrupt_at={action: None})
    assert run(session, max_attempts=1) == "success"
    stopped = ["grasp", "place"][action - 1]
    assert session.names() == [
        *(["grasp"] if action == 2 else []),
        stopped,
        *["grasp", "place"][action - 1 :],
        "finish",
    ]
    assert session.notices == ["Flash cannot read messages; it looks again and goes on with its plan."]


def test_what_the_user_did_by_hand_is_not_done_again(table: Any, thing: Any) -> None:
    plate, bowl = thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.0, -0.1, 0.0))

    def put(session: Any) -> None:
        bowl.position = (0.1, 0.2, 0.02)

    session = table("put the bowl on the plate", [plate, bowl], interrupt_at={1: put})
    assert run(session) == "success"
    assert session.names() == ["grasp", "finish"]


def test_what_the_user_took_into_the_hand_is_placed(table: Any, thing: Any) -> None:
    plate, bowl = thing("plate", (0.1, 0.2, 0.0), PLATE), thing("bowl", (0.0, -0.1, 0.0))

    def take(session: Any) -> None:
        session.held = bowl

    session = table("put the bowl on the plate", [plate, bowl], interrupt_at={1: take})
    assert run(session) == "success"
    assert session.names() == ["grasp", "place", "finish"]


def test_without_a_perceptor_it_says_so(table: Any, thing: Any) -> None:
    session = table("pick the milk", [thing("milk", (0.0, 0.0, 0.0))], left_out=("segment",))
    assert run(session) == "stuck"
    assert "no perceptor" in session.finished["summary"]
    assert session.names() == ["finish"]
