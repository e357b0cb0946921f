"""Robots of RPent as environments: what their embodiment declares; no simulator is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.plugins import registry
from rpent.policies.chosen import embodiment_of

from rpent_robosmith.inspect.api import ArtefactFacts, Feature

if TYPE_CHECKING:
    from rpent.policies.embodiment import Embodiment

PREFIX = "robot:"


def inspect_robot(name: str) -> ArtefactFacts:
    """Return what an installed robot offers a policy and takes from it.

    Args:
        name: The robot plugin.

    Raises:
        PluginError: It is not installed, or broken.
        UsageError: It does not say what it offers.
    """
    spec = registry.get("robots", name)
    return facts_of(embodiment_of(spec))


def facts_of(embodiment: Embodiment) -> ArtefactFacts:
    """Return an embodiment in the shape of all artefacts: cameras, state and action fields by their own names."""
    size = embodiment.camera_size
    pictures = {
        camera: Feature(kind="image", shape=(size, size, 3), dtype="uint8") for camera in embodiment.cameras
    }
    state = {
        field: Feature(kind="vector", shape=(length,), dtype="float64")
        for field, length in embodiment.state.items()
    }
    action = {
        name: Feature(
            kind="vector",
            shape=(field.length,),
            dtype="float64",
            low=(field.low,) * field.length,
            high=(field.high,) * field.length,
        )
        for name, field in embodiment.action.items()
    }
    return ArtefactFacts(
        kind="environment",
        id=PREFIX + embodiment.robot,
        format="rpent-robot",
        observation={**pictures, **state},
        action=action,
        control_rate_hz=embodiment.control_rate_hz,
        language=True,
        robot=embodiment.robot,
        notes=(
            "A picture can be rendered in any size; the size here is the default.",
            "Read from the robot's declaration; no simulator was started.",
        ),
        details={
            "embodiment": embodiment.model_dump(mode="json"),
            "layouts": [layout.name for layout in embodiment.layouts],
        },
    )
