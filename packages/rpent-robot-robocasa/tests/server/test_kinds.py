"""Which kind a fixture is, from its class or its name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from rpent_robot_robocasa.server.instances import fixture_kind


def fixture(name: str, *classes: str) -> Any:
    """Return an object of a class that derives from the others, as RoboCasa's fixtures do."""
    kind: type = SimpleNamespace
    for parent in reversed(classes):
        kind = type(parent, (kind,), {})
    return kind(name=name)


@pytest.mark.parametrize(
    ("name", "classes", "kind"),
    [
        ("microwave_right_group", ("Microwave",), "microwave"),
        ("stove_main_group", ("Stovetop", "Stove"), "stovetop"),
        ("fridge_main_group", ("FridgeFrenchDoor", "Fridge"), "fridge"),
        ("stack_1_main_group_3", ("Drawer", "Cabinet"), "drawer"),
        ("shelves_right_group", ("OpenCabinet", "Cabinet"), "shelf"),
        ("fridge_housing_right_group", ("HousingCabinet", "Cabinet"), "scenery"),
        ("counter_main_main_group", ("Counter",), "counter"),
        ("island_island_group", ("Counter",), "island"),
        ("dining_counter_main_group", ("Counter",), "dining_counter"),
        ("paper_towel_main_group", ("Accessory",), "paper_towel"),
        ("papertowel_main_group", ("Accessory",), "paper_towel"),
        ("light_switch_2_room", ("WallAccessory",), "light_switch"),
        ("wallaccessory.003_room", ("WallAccessory",), "wall_accessory"),
        ("stool_2_island_group", ("Stool", "WallAccessory"), "stool"),
    ],
)
def test_the_kind_of_a_fixture(name: str, classes: tuple[str, ...], kind: str) -> None:
    assert fixture_kind(fixture(name, *classes)) == kind
