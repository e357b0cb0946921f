"""One model for each category of objects, in one of five shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robot_robocasa.assets.placeholder.colours import DARK, object_colour
from rpent_robot_robocasa.assets.placeholder.fixtures.counter_top import lid
from rpent_robot_robocasa.assets.placeholder.fixtures.furniture import open_box
from rpent_robot_robocasa.assets.placeholder.mjcf import Colour, Model, Vector
from rpent_robot_robocasa.assets.placeholder.objects import sizes
from rpent_robot_robocasa.assets.placeholder.parts import liquid, staves

if TYPE_CHECKING:
    from rpent_robot_robocasa.assets.placeholder.objects.categories import Category

WITH_HANDLE = frozenset({"pan", "saucepan", "saucepan_with_lid"})
SAUCEPAN_LID = 0.082
"""Half width in metres of what lies on a saucepan."""
TALL = 1.4
"""A solid that is this much taller than wide is a cylinder, not a box."""
UPRIGHT: Vector = (0.010, 0.034, 0.040)
"""Bread that stands on its edge, for the slots of a toaster."""


def object_model(category: Category, index: int, scale: Vector) -> Model:
    """Return one instance of a category, so big that the simulator's scale makes it the size of the table.

    Args:
        category: What it is.
        index: Which instance: later ones are a little smaller.
        scale: By what the simulator will multiply its sizes.
    """
    shrink = 1 - sizes.SHRINK * index
    name, colour = category.name, object_colour(category.name)
    if name == "saucepan_lid":
        return lid(SAUCEPAN_LID / scale[0])
    if name in sizes.ROUND_CONTAINERS:
        radius, height = sizes.ROUND_CONTAINERS[name]
        mean = (scale[0] + scale[1]) / 2
        return _round_container(name, radius * shrink / mean, height * shrink / scale[2], colour)
    if name in sizes.OPEN_BOXES:
        return open_box(name, _scaled(sizes.OPEN_BOXES[name], shrink, scale), colour)
    if name in sizes.ROUND:
        radius = sizes.ROUND[name]
        return _fruit(name, _scaled((radius, radius, radius), shrink, scale), colour)
    half = sizes.BOXES.get(name) or _by_type(category)
    if sizes.POINTING.intersection(category.types) and name not in sizes.ACROSS:
        half = (half[1], half[0], half[2])
    return _solid(name, _scaled(half, shrink, scale), colour)


def upright_model(category: Category, scale: Vector) -> Model:
    """Return a slice that stands on its edge."""
    half = _scaled(UPRIGHT, 1, scale)
    model = Model(category.name, half)
    model.region("bbox", (0, 0, 0), half)
    model.box((0, 0, 0), half, object_colour(category.name))
    return model


def _by_type(category: Category) -> Vector:
    return next((sizes.BY_TYPE[kind] for kind in category.types if kind in sizes.BY_TYPE), sizes.ANYTHING)


def _scaled(half: Vector, shrink: float, scale: Vector) -> Vector:
    return half[0] * shrink / scale[0], half[1] * shrink / scale[1], half[2] * shrink / scale[2]


def _solid(name: str, half: Vector, colour: Colour) -> Model:
    model = Model(name, half)
    for region in ("bbox", "main"):
        model.region(region, (0, 0, 0), half)
    if half[2] > TALL * max(half[:2]):
        model.cylinder((0, 0, 0), min(half[:2]), half[2], colour)
    else:
        model.box((0, 0, 0), half, colour)
    if name == "jar":
        model.outer.site("anchor_site", (0, 0, half[2] + 0.012))
    return model


def _fruit(name: str, half: Vector, colour: Colour) -> Model:
    """Return what looks round and stands like a can: it neither rolls nor slips out of a grasp."""
    model = Model(name, half)
    for region in ("bbox", "main"):
        model.region(region, (0, 0, 0), half)
    model.collision("cylinder", (0, 0, 0), (half[0], half[2]))
    model.picture("ellipsoid", (0, 0, 0), half, colour)
    model.picture("cylinder", (0, 0, -half[2] * 0.5), (half[0] * 0.86, half[2] * 0.5), colour)
    return model


def _round_container(name: str, radius: float, height: float, colour: Colour) -> Model:
    half = (radius, radius, height)
    wall = min(0.003, radius * 0.1)
    floor = min(0.003, height * 0.3)
    model = Model(name, half)
    for region in ("bbox", "main"):
        model.region(region, (0, 0, 0), half)
    model.cylinder((0, 0, -height + floor), radius * 0.97, floor, colour)
    staves(model, radius, height - floor, wall, colour, at=(0, 0, floor))
    inside = (radius * 0.7, radius * 0.7, height - floor)
    model.region("int", (0, 0, floor), inside)
    if name in WITH_HANDLE:
        model.box((0, -radius - 0.06, height - 0.012), (0.011, 0.06, 0.008), DARK, "handle")
    model.outer.site("anchor_site", (0, 0, height + 0.012))
    liquid(model, radius * 0.85, height * 0.6)
    return model
