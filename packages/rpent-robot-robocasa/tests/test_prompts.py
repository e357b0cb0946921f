"""The rendered prompts, as a language model reads them: compared with the files in `snapshots/`.

After a change that is meant, `RPENT_UPDATE_SNAPSHOTS=1 pytest ...` writes them anew; review the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from rpent.run.prompts import SESSION, compose, fill
from rpent.tools.tool import marker_of
from rpent_robot_robocasa.config import RobocasaConfig
from rpent_robot_robocasa.robot import RobocasaRobot
from rpent_robot_robocasa.toolkit import LEFT_OUT, RobocasaToolkit

SNAPSHOTS = Path(__file__).parent / "snapshots"
MAX_WORDS = 6000
TOLD = "Pick the apple from the counter and place it in the sink."


def rendered(*present: str) -> str:
    robot = RobocasaRobot(RobocasaConfig(task_name="PickPlaceCounterToSink"))
    setup = robot.setup()
    variables = {"instruction": TOLD, "max_turns": 100, "max_tool_calls": 300, **setup.prompt_variables}
    prompts = fill(compose(robot.prompts(), present={"env", *present}, before=(SESSION,)), variables)
    return f"{prompts.system}\n---\n\n{prompts.user}"


def offered() -> set[str]:
    names = {
        name for kind in RobocasaToolkit.__mro__ for name, member in vars(kind).items() if marker_of(member)
    }
    return names - LEFT_OUT


@pytest.mark.parametrize(
    ("name", "present"),
    [("everything", ("perceptor", "vla")), ("usual", ("perceptor",)), ("no_perceptor", ())],
)
def test_the_prompts_are_those_that_were_reviewed(name: str, present: tuple[str, ...]) -> None:
    file, text = SNAPSHOTS / f"{name}.md", rendered(*present)
    if os.environ.get("RPENT_UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text("utf-8")


def test_the_system_prompt_is_no_book() -> None:
    assert 1000 < len(rendered("perceptor", "vla").split()) <= MAX_WORDS


def test_no_template_variable_is_left() -> None:
    assert not re.search(r"\{\w+\}", rendered("perceptor", "vla"))


def test_a_section_goes_with_its_tools() -> None:
    assert "rldx_skill" in rendered("vla")
    assert "rldx_skill" not in rendered("perceptor")
    assert "# Finding things by name" not in rendered()


def test_every_tool_is_taught() -> None:
    """What the toolkit offers is named in the prompt, and the prompt names nothing else as a tool."""
    text = rendered("perceptor", "vla")
    named = set(re.findall(r"`([a-z0-9_]+)\(", text))
    taught = {name for name in offered() if f"`{name}" in text}
    assert taught == offered()
    assert named <= {*offered(), "finish"}
