"""A scene as an entry like those of catalogs: it carries the whole scene, so that a run or a policy needs no file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_robosmith.catalog.entry import EnvEntry, TrainingDefaults
from rpent_robosmith.synthesis.scene import Scene, parse_scene

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_robosmith.synthesis.parts import Actuator
    from rpent_robosmith.synthesis.scene import Observation

ADAPTER = "mjcf"
DEFAULT_TRAINING = TrainingDefaults(algorithm="sac", total_steps=100_000)
_AXES = ("x", "y", "z")


def scene_entry(data: Mapping[str, Any]) -> EnvEntry:
    """Return the entry of a scene that is given as plain data.

    Raises:
        UsageError: The scene is not valid.
    """
    scene = parse_scene(data)
    return EnvEntry(
        id=f"scene-{scene.name.replace('_', '-')}",
        name=scene.name,
        adapter=ADAPTER,
        env_id=scene.name,
        kwargs={"scene": scene.model_dump(mode="json", exclude_defaults=True)},
        robot=scene.robot,
        tags=scene.tags,
        description=scene.description or "A synthesised scene.",
        max_episode_steps=scene.max_episode_steps,
        measures=scene.measures,
        numbers=numbers(scene),
        success=scene.success,
        progress=scene.progress,
        training=scene.training or DEFAULT_TRAINING,
    )


def numbers(scene: Scene) -> dict[str, tuple[str, ...]]:
    """Return what the numbers of the observation's parts and of an action are, `name [unit]` each."""
    named = {name: tuple(_observed(scene, each)) for name, each in scene.observations.items()}
    return {**named, "action": tuple(_acted(scene, actuator) for actuator in scene.actuators)}


def _observed(scene: Scene, observation: Observation) -> list[str]:
    match observation.kind:
        case "joint_positions" | "joint_velocities":
            speed = observation.kind == "joint_velocities"
            return [
                f"{joint.name}{' velocity' if speed else ''} [{'m' if joint.kind == 'slide' else 'rad'}{'/s' * speed}]"
                for joint in scene.observed_joints(observation)
            ]
        case "position":
            return [f"{observation.of} {axis} [m]" for axis in _AXES]
        case "velocity":
            return [f"{observation.of} velocity {axis} [m/s]" for axis in _AXES]
        case "difference":
            return [f"{observation.of} - {observation.minus} {axis} [m]" for axis in _AXES]
        case "direction":
            return [f"{observation.of} z axis {axis}" for axis in _AXES]
        case "touch":
            return [f"{observation.of} touches {observation.minus}"]


def _acted(scene: Scene, actuator: Actuator) -> str:
    slides = scene.joints[actuator.joint].kind == "slide"
    match actuator.kind:
        case "motor":
            unit = "N" if slides else "N m"
            return f"{actuator.name} [{unit if actuator.strength == 1 else f'{actuator.strength:g} {unit}'}]"
        case "position":
            return f"{actuator.name} target [{'m' if slides else 'rad'}]"
        case "velocity":
            return f"{actuator.name} target [{'m/s' if slides else 'rad/s'}]"
