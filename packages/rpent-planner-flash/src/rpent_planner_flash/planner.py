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
        while not session.call("finish", {"status": status, "summary": summary}).ended:
            session.user_messages()  # the user interrupted just before, and has let it go on

    def _carry_out(self, session: Session) -> tuple[str, str]:
        holding = (session.opening.data.get("observation") or {}).get("holding")
        executor = Executor(session, self.config, resumed=bool(session.history), holding=holding)
        if self._recipe is not None:
            return self._recipe.repeat(executor)
        result = _remembered(session, executor)
        if result is not None and (executor.accomplished or executor.episode_over):
            return result
        return self._plan(session, executor, result)

    def _plan(self, session: Session, executor: Executor, result: tuple[str, str] | None) -> tuple[str, str]:
        """Carry out what the instruction asks for; what a recipe has done already is seen, and not done again.

        Args:
            session: The session.
            executor: What carries it out.
            result: What repeating a recipe came to, if that was tried before.
        """
        try:
            goals = parse(session.task.instruction)
        except InstructionError as error:
            return result or ("stuck", f"{error.message} {error.hint}")
        if "segment" not in executor.tools:
            return (
                "stuck",
                "Flash finds things with `segment`, which is not offered: the run has no perceptor.",
            )
        session.say("Plan: " + "; ".join(map(str, goals)))
        executor.survey(goals)
        details = []
        for number, goal in enumerate(goals, start=1):
            reached = executor.reach(goal, last=number == len(goals))
            details.append(reached.detail)
            if not reached.ok:
                return "failure", " ".join(details)
            if executor.accomplished:
                break
        if executor.mobile and session.observation.get("task_success") is False:
            return "failure", " ".join(
                [*details, "All of it was done, but the episode does not count it as solved."]
            )
        return "success", " ".join(details)


def _remembered(session: Session, executor: Executor) -> tuple[str, str] | None:
    """Repeat the recipe that the memory has for this task; None where there is none to repeat.

    A plan follows where it failed, or where nothing says that the task is done.
    """
    if session.memory is None:
        return None
    published = session.memory.recipe()
    if published is None:
        session.notice("The memory has no recipe for this task; the plan comes from the instruction.")
        return None
    run = f"run `{published.audit.run}`"
    if session.history:
        session.notice(f"The recipe of {run} is not begun again in a resumed run; what is seen decides.")
        return None
    from rpent_planner_flash.recipe import Recipe  # noqa: PLC0415

    session.notice(f"Repeating the recipe of {run} from the memory, moved to where the things are now.")
    status, summary = Recipe(published.calls).repeat(executor)
    if not (executor.accomplished or executor.episode_over):
        how = "did not finish the task" if status == "success" else f"did not work: {summary}"
        text = f"The recipe from the memory {how.rstrip('.')}. Going on with a plan."
        session.notice(text, level="warning")
        executor.resumed = True
    return status, summary


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
