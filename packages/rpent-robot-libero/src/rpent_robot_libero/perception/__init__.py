"""Finding named things in LIBERO's pictures."""

from rpent_robot_libero.perception.simulator import SimulatorPerceptor

__all__ = ["SimulatorPerceptor"]
