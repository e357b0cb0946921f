"""What a session hears of a service that was brought back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Rescue:
    """How a service that died or hung was dealt with, in the middle of a tool call."""

    message: str
    """What the planner is told: one sentence."""
    undone: bool = True
    """The world is as it was before the call."""
    restarted: bool = True
    """The service that has the world was started again; a session bears that a few times."""
