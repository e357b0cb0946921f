"""The system prompt is composed: the robot's opening words, core's sections, the robot's own."""

from __future__ import annotations

from rpent.robot import Prompts, PromptSection
from rpent.run.prompts import SESSION, compose, fill

ROBOT = Prompts(
    system="You are an arm.\n",
    user="Do {instruction}.",
    sections=(
        PromptSection(title="Tools", text="`grasp` it at {height} m, {{literally}}.\n"),
        PromptSection(title="Policy", text="Ask it.", needs=("vla",)),
    ),
)


def test_the_order_is_opening_core_robot_rest() -> None:
    last = PromptSection(title="Memory", text="Read it.")
    text = compose(ROBOT, present={"vla"}, before=(SESSION,), after=(last,)).system
    places = [text.index(part) for part in ("You are", "# How a session", "# Tools", "# Policy", "# Memory")]
    assert places == sorted(places)


def test_a_section_without_its_service_is_left_out() -> None:
    assert "Policy" not in compose(ROBOT, present={"env"}).system


def test_variables_reach_every_section() -> None:
    prompts = fill(compose(ROBOT, present=()), {"height": 0.2, "instruction": "this"})
    assert prompts.system == "You are an arm.\n\n# Tools\n`grasp` it at 0.2 m, {literally}.\n"
    assert prompts.user == "Do this."


def test_a_robot_without_sections_needs_none() -> None:
    assert compose(Prompts(system="s", user="u"), present=()).system == "s\n"
