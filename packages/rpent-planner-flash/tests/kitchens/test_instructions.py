"""What every atomic instruction of RoboCasa365 means (`data/robocasa_atomic.json`: task → what seeds were told)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rpent_planner_flash.goals import Close, Navigate, Open, Place, Press, Slide
from rpent_planner_flash.parser import parse

ATOMIC = json.loads((Path(__file__).parent / "data" / "robocasa_atomic.json").read_text())


@pytest.mark.parametrize("task", ATOMIC)
def test_every_atomic_instruction_is_one_goal_of_its_kind(task: str) -> None:
    kinds = {
        "Navigate": Navigate,
        "PickPlace": Place,
        "Slide": Slide,
        "Close": (Close, Place),
        "Open": (Open, Press, Place),
    }
    for instruction in ATOMIC[task]:
        (goal,) = parse(instruction)
        kind = next((kind for name, kind in kinds.items() if task.startswith(name)), object)
        assert isinstance(goal, kind), (instruction, goal)


PLANS = {
    "Press the button on the coffee machine to serve coffee.": "press(button of coffee machine)",
    "Press down the lever to turn on the electric kettle.": "press(lever of electric kettle)",
    "Press the button to open the lid of the electric kettle.": "press(button of electric kettle)",
    "Push down the lever of the toaster to turn it on.": "press(lever of toaster)",
    "Turn on the blender by pressing the power button.": "press(power button of blender)",
    "Preheat the oven by turning the temperature knob.": "adjust(temperature knob of oven, up)",
    "Turn on the toaster oven by setting the timer.": "adjust(timer of toaster oven, up)",
    "Decrease the toaster oven temperature.": "adjust(temperature of toaster oven, down)",
    "Turn on the front left burner of the stove.": "turn_on(front left burner of stove)",
    "Turn the sink spout to the left.": "swing(spout of sink, left)",
    "Fully slide the top dishwasher rack out.": "slide(top rack of dishwasher, out)",
    "Open the right drawer.": "open(drawer [right])",
    "Open the cabinet doors.": "open(doors of cabinet)",
    "Open the blender by taking off the lid and placing it on the counter.": "place(lid of blender, on, counter)",
    "Close the lid blender by securely placing the lid on top.": "place(lid of blender, on, blender)",
    "Pick the milk from the sink and place it on the plate located on the counter.": (
        "place(milk [on sink], on, plate [on counter])"
    ),
    "Pick the bread from the top rack and place it on the plate on the counter.": (
        "place(bread [on top rack], on, plate [on counter])"
    ),
    "Pick the mug from under the coffee machine dispenser and place it on the counter.": (
        "place(mug [under coffee machine dispenser], on, counter)"
    ),
    "Add the donut to the tupperware that contains the kebab skewer.": (
        "place(donut, in, tupperware [with kebab skewer])"
    ),
    "The water running in the sink is cold. Adjust the faucet handle to run the water hot. "
    "Make sure to keep the water on.": "adjust(faucet handle, hot)",
    "Close the microwave door and press the start button to reheat the meal.": (
        "close(door of microwave); press(start button of microwave)"
    ),
    "Open the oven door and slide the top rack out.": "open(door of oven); slide(top rack of oven, out)",
}


@pytest.mark.parametrize(("instruction", "plan"), PLANS.items(), ids=PLANS)
def test_plan(instruction: str, plan: str) -> None:
    assert "; ".join(map(str, parse(instruction))) == plan
