"""From the name of a file that the simulator asks for to the model that belongs there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent_robot_robocasa.assets.placeholder.fixtures import FAMILIES
from rpent_robot_robocasa.assets.placeholder.fixtures.counter_top import lid
from rpent_robot_robocasa.assets.placeholder.fixtures.fridge import KINDS, Kind, fridge
from rpent_robot_robocasa.assets.placeholder.fixtures.furniture import CONTAINERS, container, ornament, stool
from rpent_robot_robocasa.assets.placeholder.fixtures.stove import stove, stovetop
from rpent_robot_robocasa.assets.placeholder.references import registry_models

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent_robot_robocasa.assets.placeholder.mjcf import Model

JAR_LID = 0.05
BLENDER_LID = 0.07
"""Half widths in metres."""


@dataclass(frozen=True, slots=True)
class Registries:
    """What only the registries tell about a model."""

    fridges: Mapping[str, Kind]
    wide_stoves: frozenset[str]


def read_registries(package: Path) -> Registries:
    """Read the registries of the package `robocasa`."""
    fridges = {name: kind for kind in KINDS for name in registry_models(package, f"fridge_{kind}")}
    return Registries(fridges, registry_models(package, "stove_wide"))


def model_for(reference: str, registries: Registries) -> Model | None:
    """Return the model for a name such as `fixtures/sinks/Sink025`; None for what is no model of ours."""
    parts = reference.removesuffix("/model.xml").split("/")
    if len(parts) < 3 or "." in parts[-1] or "fixture_registry" in parts:
        return None
    if parts[0] == "fixtures":
        return _fixture("/".join(parts), parts[1], parts[-1], registries)
    if parts[0] == "objects" and len(parts) >= 4:
        return _ornament(parts[2], parts[-1])
    return None


def _fixture(path: str, family: str, name: str, registries: Registries) -> Model | None:
    if family == "fridges":
        return fridge(registries.fridges.get(path, "bottom_freezer"))
    if family == "stoves":
        return stove(wide=path in registries.wide_stoves)
    if family == "stovetops":
        return stovetop()
    if family == "blenders" and "Lid" in name:
        return lid(BLENDER_LID)
    if family == "accessories" and "dish_racks" in path:
        return container("dish_rack")
    make = FAMILIES.get(family)
    return make(name) if make else None


def _ornament(kind: str, name: str) -> Model:
    if "Lid" in name:
        return lid(JAR_LID)
    if kind == "stool":
        return stool()
    return container(kind) if kind in CONTAINERS else ornament(kind)
