"""The planner `flash`: instruction or recipe in, tool calls out, no model in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_planner_flash.execute import Executor, Over
from rpent_planner_flash.parser import InstructionError, parse

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.session.session import Session

    from rpent_planner_flash.config import FlashConfig
    from rpent_planner_flash.recipe import Recipe


class FlashPlanner:
    """Reads the instruction and the observations, and nothing else."""

    def __init__(self, config: FlashConfig) -> None:
        self.config = config
        self._recipe = None if config.recipe is None else _recipe(config.recipe)

    def run(self, session: Session) -> None:
        """Carry out the session's task and claim how it went."""
        try:
            status, summary = self._carry_out(session)
        except Over:
            return
        session.call("finish", {"status": status, "summary": summary})

    def _carry_out(self, session: Session) -> tuple[str, str]:
        holding = (session.opening.data.get("observation") or {}).get("holding")
        executor = Executor(session, self.config, resumed=bool(session.history), holding=holding)
        if self._recipe is not None:
            return self._recipe.repeat(executor)
        try:
            goals = parse(session.task.instruction)
        except InstructionError as error:
            return "stuck", f"{error.message} {error.hint}"
        session.say("Plan: " + "; ".join(map(str, goals)))
        executor.survey(goals)
        details = []
        for goal in goals:
            result = executor.reach(goal)
            details.append(result.detail)
            if not result.ok:
                return "failure", " ".join(details)
            if executor.accomplished:
                break
        return "success", " ".join(details)


def _recipe(path: Path) -> Recipe:
    """Read the recipe before anything is started.

    Raises:
        UsageError: It cannot be read.
    """
    from rpent.errors import RunDirectoryError, UsageError  # noqa: PLC0415

    from rpent_planner_flash.recipe import Recipe  # noqa: PLC0415

    try:
        return Recipe.read(path)
    except RunDirectoryError as error:
        raise UsageError(error.message, hint=error.hint) from error
