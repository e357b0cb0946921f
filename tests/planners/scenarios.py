"""What may happen to a planner, and what comes of it: one table for all of them."""

from __future__ import annotations

from .scenarios_dialogue import DIALOGUE
from .scenarios_faults import FAULTS
from .scenarios_limits import LIMITS
from .scenarios_tools import TOOLS

SCENARIOS = [*DIALOGUE, *LIMITS, *TOOLS, *FAULTS]
