"""The words of the benchmark's instructions against the labels of a kitchen.

`instructions.json` is written by `tools/collect_robocasa_instructions.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rpent_robot_robocasa.perception.labels import KITCHEN

CONTENT = json.loads((Path(__file__).parent / "instructions.json").read_text())

FIXTURES = {
    "cabinet_1": "door door_handle",
    "cabinet_2": "left_door right_door left_door_handle right_door_handle",
    "coffee_machine_1": "start_button",
    "blender_1": "lid power_button",
    "counter_1": "",
    "dish_rack_1": "",
    "dishwasher_1": "door door_handle bottom_rack top_rack",
    "drawer_1": "handle",
    "electric_kettle_1": "handle lid lid_button switch",
    "fridge_1": "door door_handle drawer drawer_handle freezer_door freezer_door_handle",
    "hood_1": "",
    "island_1": "",
    "light_switch_1": "",
    "microwave_1": "door door_handle start_button stop_button",
    "oven_1": "bottom_rack door door_handle temperature_knob time_knob top_rack",
    "shelf_1": "",
    "sink_1": "basin faucet_handle spout",
    "stand_mixer_1": "bowl head head_lock_button speed_knob",
    "stool_1": "",
    "stove_1": "door front_left_burner front_left_knob rear_right_burner rear_right_knob",
    "toaster_1": "cancel_button doneness_knob lever",
    "toaster_oven_1": "door door_handle rack temperature_knob time_knob",
}
KITCHEN_LABELS = [
    "",
    "robot",
    "scenery",
    *(label for name, parts in FIXTURES.items() for label in (name, *(f"{name}/{p}" for p in parts.split()))),
]
LABELS = [*KITCHEN_LABELS, *(f"{category}_1" for category in CONTENT["categories"])]


def named(prompt: str, labels: list[str] = LABELS) -> list[str]:
    return [labels[index] for index, _ in KITCHEN.match(prompt, labels)]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("the microwave start button", ["microwave_1/start_button"]),
        ("start button on the microwave", ["microwave_1/start_button"]),
        ("power button of the microwave", ["microwave_1/start_button"]),
        ("the button on the coffee machine", ["coffee_machine_1/start_button"]),
        ("power button of the blender", ["blender_1/power_button"]),
        ("front left knob of the stove", ["stove_1/front_left_knob"]),
        ("knob of the front left burner", ["stove_1/front_left_knob"]),
        ("the rear right burner of the stove", ["stove_1/rear_right_burner"]),
        ("the back right burner", ["stove_1/rear_right_burner"]),
        ("temperature knob of the oven", ["oven_1/temperature_knob"]),
        ("toaster oven temperature", ["toaster_oven_1/temperature_knob"]),
        ("timer of the toaster oven", ["toaster_oven_1/time_knob"]),
        ("lever of the toaster", ["toaster_1/lever"]),
        ("lever of the electric kettle", ["electric_kettle_1/switch"]),
        ("lid of the electric kettle", ["electric_kettle_1/lid"]),
        ("the electric kettle", ["electric_kettle_1"]),
        ("the kettle", ["kettle_non_electric_1"]),
        ("faucet handle", ["sink_1/faucet_handle"]),
        ("handle of the sink", ["sink_1/faucet_handle"]),
        ("sink spout", ["sink_1/spout"]),
        ("the tap", ["sink_1/spout"]),
        ("sink basin", ["sink_1/basin"]),
        ("left door of the cabinet", ["cabinet_2/left_door"]),
        ("handle of the left door of the cabinet", ["cabinet_2/left_door_handle"]),
        ("the cabinet doors", ["cabinet_1/door", "cabinet_2/left_door", "cabinet_2/right_door"]),
        ("the fridge door", ["fridge_1/door", "fridge_1/freezer_door"]),
        ("freezer door of the refrigerator", ["fridge_1/freezer_door"]),
        ("the fridge drawer", ["fridge_1/drawer"]),
        ("handle of the fridge drawer", ["fridge_1/drawer_handle"]),
        ("left drawer", ["drawer_1", "fridge_1/drawer"]),
        ("the drawer handle", ["drawer_1/handle", "fridge_1/drawer_handle"]),
        ("the top dishwasher rack", ["dishwasher_1/top_rack"]),
        ("bottom rack of the oven", ["oven_1/bottom_rack"]),
        ("the toaster oven rack", ["toaster_oven_1/rack"]),
        ("dish rack", ["dish_rack_1"]),
        ("light switch", ["light_switch_1"]),
        ("dining table", ["island_1"]),
        ("the counter", ["counter_1", "island_1"]),
        ("open cabinet", ["shelf_1"]),
        ("cupboard", ["cabinet_1", "cabinet_2"]),
        ("range hood", ["hood_1"]),
        ("coffee maker", ["coffee_machine_1"]),
        ("the mug next to the left door", ["mug_1"]),
        ("pan handle", ["pan_1"]),
        ("saucepan lid", ["saucepan_lid_1"]),
        ("bowl of the stand mixer", ["stand_mixer_1/bowl"]),
    ],
)
def test_what_a_prompt_names(prompt: str, expected: list[str]) -> None:
    assert named(prompt) == expected


def test_a_fixture_does_not_stand_in_for_a_control_that_it_lacks() -> None:
    assert named("stop button of the coffee machine") == []
    assert named("lever of the microwave") == []


def test_the_spoken_names() -> None:
    assert KITCHEN.spoken("microwave_1/start_button") == "start button of microwave"
    assert KITCHEN.spoken("cabinet_12/left_door_handle") == "left door handle of cabinet"
    assert KITCHEN.spoken("drawer_3/handle") == "handle of drawer"
    assert KITCHEN.spoken("toaster_oven_1") == "toaster oven"


NOUNS = {
    "microwave": r"microwave_1",
    "sink": r"sink_1",
    "fridge|refrigerator|freezer": r"fridge_1",
    "stove|stovetop": r"stove_1",
    "toaster oven": r"toaster_oven_1",
    "(?<!toaster )oven": r"oven_1",
    "toaster": r"toaster_1",
    "dishwasher": r"dishwasher_1",
    "coffee machine|coffee maker": r"coffee_machine_1",
    "stand mixer": r"stand_mixer_1",
    "electric kettle": r"electric_kettle_1",
    "dish rack": r"dish_rack_1",
    "counter|countertop|dining table": r"counter_1|island_1",
    "cabinet|cupboard": r"cabinet_\d|shelf_1",
    "door|doors": r".*door",
    "drawer": r"drawer_1|fridge_1/drawer",
    "(?<!dish )rack": r".*rack",
    "burner": r"stove_1/.*burner",
    "knob": r".*knob",
    "button": r".*button",
    "lever": r"toaster_1/lever",
    "timer": r".*time_knob",
    "basin": r"sink_1/basin",
    "spout|faucet|tap": r"sink_1/spout",
    "faucet handle": r"sink_1/faucet_handle",
    "lid": r".*lid(?:_1)?",
    "head": r"stand_mixer_1/head",
}
"""Last words of what an instruction names → what has to be found first."""

PHRASE = re.compile(
    r"\b(?:the|a|an) ((?:[a-z]+ ){0,3}?[a-z]+)(?=[,.;]| (?:from|on|in|to|and|with|by|for|next|into|inside|under|near|of"
    r"|is|at|has|so|until|onto|out|back|while|located|using|over|beside|then|before|up|off|as|down)\b|$)"
)


def phrases() -> set[str]:
    """Return what the instructions name with an article."""
    texts = [text for texts in CONTENT["instructions"].values() for text in texts]
    return {found for text in texts for found in PHRASE.findall(text.lower())}


@pytest.mark.parametrize("noun", NOUNS)
def test_what_instructions_call_fixtures_and_parts_is_found(noun: str) -> None:
    asked = sorted(phrase for phrase in phrases() if re.search(rf"(?:^| )(?:{noun})$", phrase))
    assert asked, f"no instruction speaks of a {noun}"
    found = {phrase: named(phrase) for phrase in asked}
    assert not {
        phrase: labels
        for phrase, labels in found.items()
        if not (labels and re.fullmatch(NOUNS[noun], labels[0]))
    }


def test_every_category_of_objects_is_found_by_its_words() -> None:
    special = {
        "kettle_electric": "electric kettle",
        "kettle_non_electric": "kettle",
        "bread_flat": "bread",
        "oil_and_vinegar_bottle": "oil/vinegar bottle",
        "salt_and_pepper_shaker": "salt/pepper shaker",
        "jug_wide_opening": "jug",
    }
    for category in CONTENT["categories"]:
        spoken = special.get(category, category.replace("_", " "))
        assert f"{category}_1" in named(f"the {spoken}"), spoken
