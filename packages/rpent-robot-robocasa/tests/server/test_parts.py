"""What parts are called, from the names that the benchmark's fixture classes look up."""

from __future__ import annotations

import pytest
from rpent_robot_robocasa.server.parts import part_of_geom, part_of_joint


@pytest.mark.parametrize(
    ("joint", "part"),
    [
        ("microjoint", "door"),
        ("door_joint", "door"),
        ("doorhinge", "door"),
        ("leftdoorhinge", "left_door"),
        ("fridge_door_joint", "door"),
        ("fridge_left_door_joint", "left_door"),
        ("freezer_door_joint", "freezer_door"),
        ("slidejoint", ""),
        ("knob_front_left_joint", "front_left_knob"),
        ("knob_temp_joint", "temperature_knob"),
        ("knob_time_joint", "time_knob"),
        ("button_cancel_joint", "cancel_button"),
        ("button_lid_joint", "lid_button"),
        ("button_head_lock_joint", "head_lock_button"),
        ("lever_joint", "lever"),
        ("sideL_lever_joint", "left_lever"),
        ("switch_joint", "switch"),
        ("lid_joint", "lid"),
        ("head_joint", "head"),
        ("spout_joint", "spout"),
        ("handle_joint", "faucet_handle"),
        ("handle_temp_joint", "faucet_handle"),
    ],
)
def test_what_a_joint_moves(joint: str, part: str) -> None:
    assert part_of_joint(joint, [joint]) == part


def test_a_rack_is_the_top_one_only_where_there_are_two() -> None:
    assert part_of_joint("rack0_joint", ["rack0_joint", "door_joint"]) == "rack"
    both = ["rack0_joint", "rack1_joint", "tray0_joint"]
    assert [part_of_joint(joint, both) for joint in both] == ["bottom_rack", "top_rack", "tray"]


def test_drawers_of_the_freezer_are_counted_apart() -> None:
    drawers = ["fridge_drawer0_joint", "fridge_drawer1_joint", "freezer_drawer0_joint"]
    assert [part_of_joint(joint, drawers) for joint in drawers] == [
        "bottom_drawer",
        "top_drawer",
        "freezer_drawer",
    ]


@pytest.mark.parametrize(
    ("geom", "bodies", "part", "kind", "expected"),
    [
        ("start_button", [], "", "microwave", "start_button"),
        ("power_button_main", [], "", "blender", "power_button"),
        ("start_button_1", [], "", "coffee_machine", "start_button"),
        ("door_handle_main", ["door"], "door", "microwave", "door_handle"),
        ("g0", ["left_door_handle_main", "hingeleftdoor"], "left_door", "cabinet", "left_door_handle"),
        ("door_door_vis", ["door_main", "inner_box"], "", "drawer", ""),
        ("", ["door_handle_main", "inner_box"], "", "drawer", "handle"),
        ("handle_main", ["handle"], "faucet_handle", "sink", "faucet_handle"),
        ("burner_front_left_vis", [], "", "stove", "front_left_burner"),
        ("burner_on_rear_right", [], "", "stove", "rear_right_burner"),
        ("reg_basin", [], "", "sink", "basin"),
        ("reg_basin_left", [], "", "sink", "left_basin"),
        ("bottom_vis", [], "", "sink", ""),
    ],
)
def test_what_a_geom_shows(geom: str, bodies: list[str], part: str, kind: str, expected: str) -> None:
    assert part_of_geom(geom, bodies, part, kind) == expected
