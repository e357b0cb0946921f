"""From a scene to MJCF, MuJoCo's XML. Names are checked ones and numbers are numbers, so no text of others gets in."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpent_robosmith.synthesis.parts import Actuator, Body, Joint, Shape
    from rpent_robosmith.synthesis.scene import Scene

CAMERA = "video"


def mjcf(scene: Scene) -> str:
    """Return a scene as MJCF; the same scene gives the same text."""
    root = Element("mujoco", model=scene.name)
    SubElement(root, "compiler", angle="radian", autolimits="true", eulerseq="xyz")
    SubElement(
        root,
        "option",
        timestep=_numbers([scene.timestep_s]),
        gravity=_numbers(scene.gravity_m_s2),
        integrator="implicitfast",
    )
    SubElement(SubElement(root, "visual"), "global", offwidth="1024", offheight="1024")
    world = SubElement(root, "worldbody")
    _surroundings(world, scene)
    elements = {"world": world}
    for body in scene.bodies:
        elements[body.name] = _body(elements[body.parent], body)
    for point in scene.points:
        SubElement(
            elements[point.body],
            "site",
            name=point.name,
            pos=_numbers(point.position_m),
            size="0.008",
            rgba="1 0.6 0 1",
        )
    for goal in scene.goals:
        mark = SubElement(world, "body", name=goal.name, mocap="true", pos=_numbers(goal.low_m))
        SubElement(
            mark, "site", name=f"{goal.name}.mark", size=_numbers([goal.radius_m]), rgba="0.2 0.8 0.3 0.6"
        )
    actuators = SubElement(root, "actuator")
    for actuator in scene.actuators:
        _actuator(actuators, actuator)
    indent(root)
    return tostring(root, encoding="unicode")


def _surroundings(world: Element, scene: Scene) -> None:
    SubElement(world, "light", pos="0 0 4", dir="0 0 -1", directional="true")
    if scene.floor:
        SubElement(world, "geom", name="world.floor", type="plane", size="5 5 0.1", rgba="0.85 0.85 0.85 1")
    if scene.camera is not None:
        target = SubElement(world, "body", name="world.target", pos=_numbers(scene.camera.target_m))
        del target
        SubElement(
            world,
            "camera",
            name=CAMERA,
            mode="targetbody",
            target="world.target",
            pos=_numbers(scene.camera.position_m),
        )


def _body(parent: Element, body: Body) -> Element:
    element = SubElement(
        parent, "body", name=body.name, pos=_numbers(body.position_m), euler=_numbers(body.rotation_rad)
    )
    for joint in body.joints:
        _joint(element, joint)
    for shape in body.shapes:
        _shape(element, shape)
    return element


def _joint(parent: Element, joint: Joint) -> None:
    if joint.kind == "free":
        SubElement(parent, "freejoint", name=joint.name)
        return
    element = SubElement(
        parent,
        "joint",
        name=joint.name,
        type=joint.kind,
        axis=_numbers(joint.axis),
        damping=_numbers([joint.damping]),
        stiffness=_numbers([joint.stiffness]),
        armature=_numbers([joint.armature]),
    )
    if joint.range is not None:
        element.set("range", _numbers(joint.range))


def _shape(parent: Element, shape: Shape) -> None:
    element = SubElement(
        parent,
        "geom",
        type=shape.kind,
        size=_numbers(shape.size_m),
        friction=_numbers([shape.friction, 0.005, 0.0001]),
        rgba=_numbers([*shape.color, 1.0]),
    )
    if shape.to_m is not None:
        element.set("fromto", _numbers([*shape.position_m, *shape.to_m]))
    else:
        element.set("pos", _numbers(shape.position_m))
        element.set("euler", _numbers(shape.rotation_rad))
    if shape.mass_kg is not None:
        element.set("mass", _numbers([shape.mass_kg]))
    if not shape.collides:
        element.set("contype", "0")
        element.set("conaffinity", "0")


def _actuator(parent: Element, actuator: Actuator) -> None:
    element = SubElement(
        parent,
        actuator.kind,
        name=actuator.name,
        joint=actuator.joint,
        ctrlrange=_numbers([actuator.low, actuator.high]),
    )
    match actuator.kind:
        case "motor":
            element.set("gear", _numbers([actuator.strength]))
        case "position":
            element.set("kp", _numbers([actuator.strength]))
            element.set("kv", _numbers([actuator.damping]))
        case "velocity":
            element.set("kv", _numbers([actuator.strength]))


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
