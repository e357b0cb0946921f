"""The environments of gymnasium-robotics: Fetch, Shadow Hand, Adroit, mazes."""

from __future__ import annotations

import gymnasium
import gymnasium_robotics

from rpent_robosmith.worker.adapters.gymnasium import GymnasiumAdapter

gymnasium.register_envs(gymnasium_robotics)


class RoboticsAdapter(GymnasiumAdapter):
    """`gymnasium.make` once gymnasium-robotics has registered its ids."""
