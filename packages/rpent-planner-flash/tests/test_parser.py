"""The grammar: what instructions mean, and that it covers a whole real benchmark where one is installed."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from rpent_planner_flash.goals import Close, Open, Pick, Place, Push, Turn
from rpent_planner_flash.parser import InstructionError, parse

EXPECTED = {
    "Pick the alphabet soup and place it in the basket": "place(alphabet soup, in, basket)",
    "pick orange juice and put into basket": "place(orange juice, in, basket)",
    "Please pick up the red cup.": "pick(red cup)",
    "pick the akita black bowl between the plate and the ramekin and place it on the plate": (
        "place(akita black bowl [between plate & ramekin], on, plate)"
    ),
    "Pick the akita black bowl not between the plate and the ramekin and place it on the plate": (
        "place(akita black bowl [not between plate & ramekin], on, plate)"
    ),
    "lift the black bowl between the plate and ramekin and set it on the plate": (
        "place(black bowl [between plate & ramekin], on, plate)"
    ),
    "grab the black bowl beside the cookie box and set it on plate": (
        "place(black bowl [next to cookie box], on, plate)"
    ),
    "Pick the akita black bowl in the top layer of the wooden cabinet and place it on the plate": (
        "place(akita black bowl [in top drawer of wooden cabinet], on, plate)"
    ),
    "take the bowl from the top drawer and put it on plate": "place(bowl [in top drawer], on, plate)",
    "Pick the akita black bowl from table center and place it on the plate": (
        "place(akita black bowl [center table], on, plate)"
    ),
    "lift the black bowl from the table center and put it on the plate": (
        "place(black bowl [center table], on, plate)"
    ),
    "pick the bowl in the middle of the table and put it on plate": "place(bowl [center table], on, plate)",
    "lift bowl from stove and set on plate": "place(bowl [on stove], on, plate)",
    "Pick the akita black bowl on the top of the wooden cabinet and place it on the plate": (
        "place(akita black bowl [on wooden cabinet], on, plate)"
    ),
    "pick up the book on the right and place it under the cabinet shelf": (
        "place(book [right], under, cabinet shelf)"
    ),
    "pick up the mug to the left of the plate and put it in the bin": "place(mug [left of plate], in, bin)",
    "put the black bowl in the middle on the plate": "place(black bowl [middle], on, plate)",
    "put the cup on the plate next to the ramekin": "place(cup, on, plate [next to ramekin])",
    "put the middle black bowl on top of the cabinet": "place(black bowl [middle], on, cabinet)",
    "put the butter at the back in the top drawer of the cabinet and close it": (
        "place(butter [back], in, top drawer of cabinet); close(top drawer of cabinet)"
    ),
    "put both the cream cheese box and the butter in the basket": (
        "place(cream cheese box, in, basket); place(butter, in, basket)"
    ),
    "pick up the cup, the fork and the spoon and place them in the tray": (
        "place(cup, in, tray); place(fork, in, tray); place(spoon, in, tray)"
    ),
    "put both moka pots on the stove": "place(2 moka pot, on, stove)",
    "put the white mug on the left plate and put the yellow and white mug on the right plate": (
        "place(white mug, on, plate [left]); place(yellow white mug, on, plate [right])"
    ),
    "place white mug on plate and chocolate pudding to right": (
        "place(white mug, on, plate); place(chocolate pudding, right_of, plate)"
    ),
    "place yellow and white mug in microwave and close door": (
        "place(yellow white mug, in, microwave); close(microwave)"
    ),
    "pick up the white mug and place it to the right compartment of the caddy": (
        "place(white mug, in, compartment of caddy [right])"
    ),
    "put the yellow and white mug to the front of the cup": "place(yellow white mug, front_of, cup)",
    "put the spoon between the cup and the plate": "place(spoon, between,  [between cup & plate])",
    "stack the right bowl on the left bowl and place them in the tray": (
        "place(bowl [right], on, bowl [left]); place(bowl [left], in, tray)"
    ),
    "Open the middle layer of the drawer": "open(middle drawer)",
    "open the cabinet\u2019s middle drawer": "open(middle drawer of cabinet)",
    "Open the top layer of the drawer and put the bowl inside": (
        "open(top drawer); place(bowl, in, top drawer)"
    ),
    "slide open the top drawer and place the bowl in it": "open(top drawer); place(bowl, in, top drawer)",
    "close the bottom drawer of the cabinet and open the top drawer": (
        "close(bottom drawer of cabinet); open(top drawer of cabinet)"
    ),
    "close the top drawer of the cabinet and put the black bowl on top of it": (
        "close(top drawer of cabinet); place(black bowl, on, cabinet)"
    ),
    "switch stove on and put moka pot on it": "turn_on(stove); place(moka pot, on, stove)",
    "Turn off the stove": "turn_off(stove)",
    "Push the plate to the front of the stove": "push(plate, front_of, stove)",
    "move the plate to the stove\u2019s front": "push(plate, front_of, stove)",
    "move the bowl onto the plate, then close the microwave": "place(bowl, on, plate); close(microwave)",
}


@pytest.mark.parametrize(("instruction", "plan"), EXPECTED.items(), ids=EXPECTED)
def test_plan(instruction: str, plan: str) -> None:
    assert "; ".join(map(str, parse(instruction))) == plan


@pytest.mark.parametrize(
    "instruction", ["", "hello there", "put the bowl", "close it", "put on the plate", "turn the knob"]
)
def test_what_is_not_understood_is_said(instruction: str) -> None:
    with pytest.raises(InstructionError) as caught:
        parse(instruction)
    assert "is not understood" in caught.value.message
    assert caught.value.hint


def _benchmark_instructions() -> dict[str, str]:
    spec = importlib.util.find_spec("libero")
    if spec is None or not spec.submodule_search_locations:
        return {}
    tasks = Path(spec.submodule_search_locations[0]) / "libero" / "bddl_files"
    suites = [f"libero_{s}{v}" for s in ("object", "spatial", "goal", "10", "90") for v in ("", *_VARIANTS)]
    found = {}
    for path in (path for suite in suites for path in sorted((tasks / suite).glob("*.bddl"))):
        match = re.search(r"\(:language\s+([^)]*)\)", path.read_text())
        if match:
            found[match.group(1).strip()] = path.stem
    return found


_VARIANTS = ("_swap", "_task", "_lan", "_object")
_VERBS_OF = {
    Open: ("open",),
    Close: ("close",),
    Turn: ("turn", "switch"),
    Push: ("push", "move"),
    Place: ("put", "place", "set", "stack"),
}


def test_every_instruction_of_the_benchmark_parses_to_what_it_says() -> None:
    instructions = _benchmark_instructions()
    if not instructions:
        pytest.skip("the LIBERO benchmark is not installed")
    assert len(instructions) > 150
    for instruction in instructions:
        goals, lowered = parse(instruction), instruction.lower()
        assert not any(isinstance(goal, Pick) for goal in goals), instruction
        for goal in goals:
            assert any(verb in lowered for verb in _VERBS_OF[type(goal)]), (instruction, goal)
            # A name is made of the instruction's own words, in its order.
            for noun in (
                goal.item.noun,
                goal.target.noun if isinstance(goal, Place | Push) else goal.item.noun,
            ):
                words = r"\W+(?:and\W+)?".join(noun.split()) if noun != "drawer" else "drawer|layer"
                assert re.search(words, lowered), (instruction, noun)
        mentioned = [t for t, verbs in _VERBS_OF.items() if re.search(rf"\b({'|'.join(verbs)})\b", lowered)]
        mentioned = [t for t in mentioned if t is not Place or not any(isinstance(g, Push) for g in goals)]
        assert {type(goal) for goal in goals} == set(mentioned), instruction
