"""How a run ended: what the benchmark says and what the planner claims, kept apart."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from rpent.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PlannerStatus = Literal["success", "failure", "stuck"]
Reason = Literal[
    "finished", "turn_limit", "time_limit", "cost_limit", "step_limit", "interrupted", "infrastructure"
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How a session ended."""

    reason: Reason
    planner_status: PlannerStatus | None = None
    """What the planner claimed in `finish`; None when it never called it."""
    detail: str = ""
    """One or two sentences: the planner's summary, the budget that ended, or what failed."""
    hint: str = ""
    """What to do about a failure (the last lines of a service's log)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The `outcome` object of run.json, and where the run is."""

    benchmark_success: bool | None
    """What the benchmark says; None when it was not or could not be asked."""
    planner_status: PlannerStatus | None
    reason: Reason
    detail: str = ""
    hint: str = ""
    """What to do about an infrastructure failure."""
    run_dir: Path | None = None
    explored: tuple[str, ...] = ()
    """What an exploring session tried, and what of it is in the memory now."""
    caveats: tuple[str, ...] = ()
    """Why the result is not the benchmark's; in run.json beside the outcome."""
    problems: tuple[str, ...] = ()
    """What else went wrong while the run was closed: a video that could not be written, a full disk."""

    @property
    def exit_code(self) -> ExitCode:
        """0: the benchmark says success, also when a limit ended the session. 130 and 3 go before it."""
        if self.reason == "interrupted":
            return ExitCode.INTERRUPTED
        if self.reason == "infrastructure":
            return ExitCode.INFRASTRUCTURE
        return ExitCode.SUCCESS if self.benchmark_success else ExitCode.TASK_FAILED

    def to_json(self) -> dict[str, Any]:
        """Return the object that run.json holds."""
        values = asdict(self)
        for name in ("run_dir", "hint", "explored", "caveats", "problems"):
            del values[name]
        return values | ({"hint": self.hint} if self.hint else {})

    @classmethod
    def from_json(cls, values: Mapping[str, Any], run_dir: Path | None = None) -> Outcome:
        """Read what `to_json` wrote."""
        return cls(
            benchmark_success=values.get("benchmark_success"),
            planner_status=values.get("planner_status"),
            reason=values["reason"],
            detail=values.get("detail", ""),
            hint=values.get("hint", ""),
            run_dir=run_dir,
        )
