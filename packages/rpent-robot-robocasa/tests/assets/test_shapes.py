"""Shapes that a Panda's hand can work: what it needs of room, read from the models themselves."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

import pytest
from rpent_robot_robocasa.assets.placeholder.fixtures import FAMILIES
from rpent_robot_robocasa.assets.placeholder.fixtures.cabinet import BAR, handle
from rpent_robot_robocasa.assets.placeholder.fixtures.fridge import KINDS, fridge
from rpent_robot_robocasa.assets.placeholder.fixtures.sink import TWO_BASINS, sink
from rpent_robot_robocasa.assets.placeholder.fixtures.stove import stove, stovetop
from rpent_robot_robocasa.assets.placeholder.objects import sizes
from rpent_robot_robocasa.assets.placeholder.objects.categories import Category, Source
from rpent_robot_robocasa.assets.placeholder.objects.shapes import object_model

ONE = (1.0, 1.0, 1.0)
OPENING = 0.08
"""How wide the hand opens, in metres."""


@dataclass
class Box:
    """What a collision geom fills, axis by axis (exact for shapes along the axes)."""

    name: str
    low: list[float]
    high: list[float]

    def over(self, other: Box, axes: tuple[int, int]) -> bool:
        """Whether both lie over each other, seen along the third axis."""
        return all(self.low[axis] < other.high[axis] and other.low[axis] < self.high[axis] for axis in axes)


def boxes(model) -> dict[str, Box]:
    """Return the collision geoms of a model by name."""
    found = {}
    for geom in ElementTree.fromstring(model.text()).iter("geom"):
        if geom.get("group") != "0":
            continue
        place = [float(value) for value in geom.get("pos").split()]
        half = [float(value) for value in geom.get("size").split()]
        if geom.get("type") in ("cylinder", "capsule"):
            radius, length = half
            along = {"0.70711 0.70711 0 0": 1, "0.70711 0 0.70711 0": 0}.get(geom.get("quat", ""), 2)
            half = [length if axis == along else radius for axis in range(3)]
        low = [middle - size for middle, size in zip(place, half, strict=True)]
        high = [middle + size for middle, size in zip(place, half, strict=True)]
        found[geom.get("name")] = Box(geom.get("name"), low, high)
    return found


def family(name: str):
    return FAMILIES[name]("X001")


BUTTONS = [
    ("microwaves", "start_button"),
    ("microwaves", "stop_button"),
    ("coffee_machines", "start_button"),
    ("blenders", "power_button_main"),
    ("toasters", "button_cancel_main"),
]


@pytest.mark.parametrize(("kind", "name"), BUTTONS)
def test_a_button_stands_two_centimetres_out_and_is_broad(kind, name):
    found = boxes(family(kind))
    button = found.pop(name)
    behind = [box.low[1] for box in found.values() if box.over(button, (0, 2))]
    assert min(behind) - button.low[1] >= 0.02
    assert min(button.high[0] - button.low[0], button.high[2] - button.low[2]) >= 0.025


def test_the_two_buttons_of_a_microwave_are_a_hand_apart():
    found = boxes(family("microwaves"))
    assert found["start_button"].low[2] - found["stop_button"].high[2] >= 0.025


HANDLES = [
    ("microwaves", "door_handle_main", "door_panel"),
    ("toaster_ovens", "door_handle", "door_panel"),
    ("ovens", "door_handle", "door_panel"),
    ("dishwashers", "door_handle", "door_panel"),
]


def assert_workable(found: dict[str, Box], name: str, panel: str) -> None:
    bar = found[name]
    assert found[panel].low[1] - bar.high[1] >= 0.03
    assert min(bar.high[0] - bar.low[0], bar.high[2] - bar.low[2]) <= 0.03


@pytest.mark.parametrize(("kind", "name", "panel"), HANDLES)
def test_fingers_fit_behind_a_handle(kind, name, panel):
    assert_workable(boxes(family(kind)), name, panel)


@pytest.mark.parametrize("kind", KINDS)
def test_fingers_fit_behind_the_handles_of_a_fridge(kind):
    found = boxes(fridge(kind))
    handles = [name for name in found if name.endswith("_handle")]
    assert len(handles) == (3 if kind == "french_door" else 2)
    for name in handles:
        assert_workable(found, name, name.replace("_handle", "_panel"))


def test_fingers_fit_behind_a_cabinets_bar_however_flat_the_style_scales_it():
    bar = boxes(handle("CabinetHandle001"))["handle"]
    assert BAR[1] - bar.high[1] >= 0.03
    assert BAR[1] <= 0.0125


@pytest.mark.parametrize(
    "model", [stove(wide=False), stove(wide=True), family("ovens"), family("toaster_ovens")]
)
def test_a_knobs_fin_stands_out_and_fits_between_the_fingers(model):
    found = boxes(model)
    knobs = [name for name in found if name.startswith("knob_") and name.endswith("_main")]
    assert len(knobs) >= 2
    for name in knobs:
        fin = found[name.replace("_main", "_grip")]
        assert found[name].low[1] - fin.low[1] >= 0.02
        assert fin.high[0] - fin.low[0] <= 0.02


def test_a_stovetops_knobs_stand_on_top():
    found = boxes(stovetop())
    fins = [box for name, box in found.items() if name.endswith("_grip")]
    assert len(fins) == 4
    assert all(box.high[2] > 0.06 for box in fins)


def test_a_hand_fits_between_spout_and_lever():
    found = boxes(sink("Sink002"))
    assert found["handle_main"].low[0] - found["spout_top"].high[0] >= 0.13


def regions(model) -> set[str]:
    names = {geom.get("name") for geom in ElementTree.fromstring(model.text()).iter("geom")}
    return {name.removeprefix("reg_") for name in names if name.startswith("reg_")}


def test_some_sinks_have_two_basins():
    assert regions(sink(min(TWO_BASINS))) == {"main", "basin_left", "basin_right"}
    assert regions(sink("Sink002")) == {"main", "basin"}


def test_some_toasters_have_two_pairs_of_slots_and_some_ovens_two_racks():
    toasters = FAMILIES["toasters"]
    assert "sideR_slotL" in regions(toasters("Toaster007"))
    assert "slotL" in regions(toasters("Toaster001"))
    ovens = FAMILIES["toaster_ovens"]
    assert {"rack0", "rack1"} <= regions(ovens("ToasterOven004"))
    assert "rack1" not in regions(ovens("ToasterOven001"))


def category(name: str, *types: str) -> Category:
    return Category(name, types, (Source((f"objaverse/{name}",), ONE, auxiliary=False),))


@pytest.mark.parametrize("name", [*sizes.ROUND, "banana", "steak", "bread", "mug", "cup", "jug", "glass_cup"])
def test_what_is_grasped_is_at_most_seven_centimetres_across(name):
    model = object_model(category(name, "fruit"), 0, ONE)
    assert 2 * min(model.half[:2]) <= 0.07 < OPENING


@pytest.mark.parametrize("kind", sorted(set(sizes.BY_TYPE) - {"receptacle", "lid"}))
def test_what_has_only_a_type_fits_into_the_hand_and_stands(kind):
    width, depth, height = object_model(category("something", kind), 0, ONE).half
    assert 2 * min(width, depth) <= 0.07
    assert height <= 4 * min(width, depth), "it would fall over"


def test_a_fruit_has_a_flat_bottom():
    model = object_model(category("apple", "fruit"), 0, ONE)
    geoms = ElementTree.fromstring(model.text()).iter("geom")
    assert {geom.get("type") for geom in geoms if geom.get("group") == "0"} == {"cylinder"}


def test_the_simulators_scale_is_taken_out_of_the_size():
    plain = object_model(category("mug", "receptacle"), 0, ONE)
    scaled = object_model(category("mug", "receptacle"), 0, (2.0, 2.0, 2.0))
    assert [half * 2 for half in scaled.half] == pytest.approx(plain.half)


def test_the_second_instance_is_smaller():
    first, second = (object_model(category("apple", "fruit"), index, ONE) for index in (0, 1))
    assert second.half[0] == pytest.approx(first.half[0] * (1 - sizes.SHRINK))


@pytest.mark.parametrize(
    ("name", "kind", "long"), [("fork", "utensil", 1), ("spatula", "utensil", 1), ("banana", "fruit", 0)]
)
def test_utensils_point_away_and_food_lies_across(name, kind, long):
    half = object_model(category(name, kind), 0, ONE).half
    assert half[long] == max(half)
