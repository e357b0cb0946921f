"""The privileged perceptor `robocasa-sim`."""

from __future__ import annotations

from typing import ClassVar

from rpent_manipulation.perception.simulator import SimulatorPerceptor
from rpent_manipulation.perception.vocabulary import Vocabulary  # noqa: TC002  (a class attribute's annotation)

from rpent_robot_robocasa.perception.labels import KITCHEN


class RobocasaPerceptor(SimulatorPerceptor):
    """Finds the fixtures of a kitchen, their parts, and the things in it."""

    vocabulary: ClassVar[Vocabulary] = KITCHEN


__all__ = ["RobocasaPerceptor"]
