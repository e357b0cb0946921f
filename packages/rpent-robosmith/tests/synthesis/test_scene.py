"""Scenes are checked before anything is built; every mistake is one sentence."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from rpent.errors import UsageError
from rpent_robosmith.synthesis.entry import scene_entry
from rpent_robosmith.synthesis.mjcf import mjcf
from rpent_robosmith.synthesis.scene import parse_scene

EXAMPLE = yaml.safe_load(
    (Path(__file__).parents[2] / "examples" / "arm-reach.yaml").read_text(encoding="utf-8")
)


def changed(path, value):
    """Return the example with one value changed; a path such as `bodies.1.name`."""
    scene = deepcopy(EXAMPLE)
    *parents, last = path.split(".")
    place = scene
    for part in parents:
        place = place[int(part) if part.isdecimal() else part]
    place[int(last) if last.isdecimal() else last] = value
    return scene


def test_the_example_is_a_scene():
    scene = parse_scene(EXAMPLE)
    assert list(scene.joints) == ["shoulder", "elbow"]
    entry = scene_entry(EXAMPLE)
    assert (entry.id, entry.adapter, entry.robot) == ("scene-arm-reach", "mjcf", "arm")
    assert entry.numbers["action"] == ("shoulder_motor [N m]", "elbow_motor [0.5 N m]")
    assert entry.numbers["tip_to_target"][0] == "target - tip x [m]"
    assert entry.numbers["speeds"] == ("shoulder velocity [rad/s]", "elbow velocity [rad/s]")


def test_an_entry_carries_its_scene_and_survives_json():
    entry = scene_entry(EXAMPLE)
    again = type(entry).model_validate_json(entry.model_dump_json())
    assert again == entry
    assert parse_scene(again.kwargs["scene"]) == parse_scene(EXAMPLE)


def test_the_same_scene_gives_the_same_xml():
    text = mjcf(parse_scene(EXAMPLE))
    assert text == mjcf(parse_scene(deepcopy(EXAMPLE)))
    root = ElementTree.fromstring(text)
    assert [body.get("name") for body in root.iter("body")] == [
        *("world.target", "pedestal", "upper", "lower", "target"),
    ]
    assert {element.tag for element in root.iter()}.isdisjoint(
        {"include", "mesh", "texture", "hfield", "plugin"}
    )


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("bodies.1.name", 'x"/><include file="/etc/passwd', "String should match pattern"),
        ("bodies.1.parent", "lower", "the parent of `upper` names `lower`, which is not there"),
        ("bodies.1.parent", "nobody", "the parent of `upper` names `nobody`"),
        ("bodies.2.name", "upper", "the name `upper` is given twice"),
        ("bodies.2.joints.0.name", "tip", "the name `tip` is given twice"),
        ("bodies.1.shapes", [], "moves and has no shape"),
        ("bodies.1.shapes.0.size_m", [0.02, 0.1], "has 1 numbers in `size_m`"),
        ("bodies.1.shapes.0.size_m", [-0.02], "greater than 0"),
        ("bodies.1.shapes.0.mass_kg", float("nan"), "finite number"),
        ("bodies.1.shapes.0.to_m", [0, 0, 0], "where the shape begins"),
        ("bodies.1.joints.0.range", [1, -1], "from the lower to the higher"),
        ("bodies.1.joints.0.start", 2.8, "outside of `range`"),
        ("bodies.1.joints.0.axis", [0, 0, 0], "no direction"),
        ("bodies.1.joints.0.kind", "free", "`free`"),
        ("bodies.1.joints.0.friction", 1, "Extra inputs"),
        (
            "actuators.0.joint",
            "wrist",
            "the actuator `shoulder_motor` names `wrist`, which is not there; there are",
        ),
        ("actuators.0.low", 2, "`low` is below `high`"),
        ("actuators", [], "at least 1 item"),
        ("goals.0.low_m", [1, 1, 1], "nowhere above"),
        ("points.0.body", "hand", "the point `tip` names `hand`"),
        ("observations.joints.joints", ["wrist"], "the observation `joints` names `wrist`"),
        ("observations.tip.of", "thumb", "the observation `tip` names `thumb`"),
        ("observations.tip_to_target.minus", "", "the observation `tip_to_target` names ``"),
        ("measures.target_distance.quantity.key", "tips", "the measure `target_distance` names `tips`"),
        ("success", {"signal": "is_success"}, "a scene has no signals"),
        ("success.measure", "distance", "`success` names `distance`"),
        ("progress", "return", "`progress` names `return`"),
        ("timestep_s", 1, "less than or equal to 0.05"),
        ("max_episode_steps", 0, "greater than or equal to 1"),
        ("colour", "red", "Extra inputs"),
    ],
)
def test_a_mistake_is_one_sentence(path, value, said):
    with pytest.raises(UsageError) as caught:
        scene_entry(changed(path, value))
    assert said in caught.value.message
    assert caught.value.message.startswith("The scene is not valid")
    assert "\n" not in caught.value.message
