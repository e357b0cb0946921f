"""The env server contract, on the agent's side: typed answers and a client."""

from __future__ import annotations

from rpent.env.client import EnvClient
from rpent.env.types import CameraMeta, ChunkObserve, Observation, ServoResult, ServoStatus, Until, Waypoint

__all__ = [
    "CameraMeta",
    "ChunkObserve",
    "EnvClient",
    "Observation",
    "ServoResult",
    "ServoStatus",
    "Until",
    "Waypoint",
]
