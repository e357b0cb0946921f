"""A robot whose scene alone says what the task is, and whose results are not the benchmark's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rpent.robot import TaskSetup, ToolContext
from rpent.testing.fake_robot.robot import FakeRobot
from rpent.testing.fake_robot.toolkit import FakeToolkit

TOLD = "Put the cube that stands here on the pad."
CAVEAT = "The cubes are made of paper."


class SceneTold(FakeRobot):
    def setup(self) -> TaskSetup:
        return replace(super().setup(), instruction="cubes", provisional=True)

    def toolkit(self, context: ToolContext) -> FakeToolkit:
        super().toolkit(context)
        return Telling(context)


class Telling(FakeToolkit):
    def instruction(self) -> str:
        return TOLD

    def caveats(self) -> Sequence[str]:
        return (CAVEAT,)
