"""The privileged perceptor `libero-sim`."""

from __future__ import annotations

from typing import ClassVar

from rpent_manipulation.perception.simulator import SimulatorPerceptor
from rpent_manipulation.perception.vocabulary import Vocabulary  # noqa: TC002  (a class attribute's annotation)

from rpent_robot_libero.perception.labels import LIBERO


class LiberoPerceptor(SimulatorPerceptor):
    """Finds LIBERO's things."""

    vocabulary: ClassVar[Vocabulary] = LIBERO


__all__ = ["LiberoPerceptor"]
