"""The planner `manual`: a person decides every tool call, in the dashboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict
from rpent.errors import UsageError

if TYPE_CHECKING:
    from rpent.session.session import Session


class ManualConfig(BaseModel):
    """It has no options."""

    model_config = ConfigDict(extra="forbid")


class ManualPlanner:
    """Waits for its user, who calls the tools and `finish`."""

    def __init__(self, config: ManualConfig) -> None:
        self.config = config

    def run(self, session: Session) -> None:
        """Wait until the session is over; what the user writes is on record and needs no answer.

        Raises:
            UsageError: Nobody accompanies the run.
        """
        if not session.interactive:
            raise UsageError(
                "The planner `manual` leaves everything to a person, and nobody is there.",
                hint="Add `--dashboard`.",
            )
        while session.nudge() is not None:
            pass
