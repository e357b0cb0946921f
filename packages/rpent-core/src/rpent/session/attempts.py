"""`next_attempt`: the tool with which an exploring session puts the world back and tries again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import ToolError
from rpent.robot import PromptSection
from rpent.runs import events as ev
from rpent.runs.attempts import Attempt, verdict
from rpent.runs.outcome import PlannerStatus  # noqa: TC001  (the tool's schema is read from it)
from rpent.tools.result import ToolResult
from rpent.tools.tool import build_tool, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.runs.outcome import Ending
    from rpent.runs.recorder import Recorder
    from rpent.tools.tool import Tool
    from rpent.tools.toolkit import Toolkit

NAME = "next_attempt"
EXPLORING = PromptSection(
    title="Exploration",
    text="""\
You explore: you have {attempts} attempts at the same task, each from the same beginning, and what you learn is kept
for others who will have one attempt only.

- `next_attempt` ends an attempt, puts the robot and the scene back to the beginning and shows it to you. Use it when an
  attempt has gone wrong, or when it succeeded and a shorter or safer way is worth trying. An episode that is over
  accepts no action; `next_attempt` begins another. When none are left, or nothing more is to be learned, call `finish`.
- The lesson that you give with it is one or two sentences for the next attempt: what was tried, what happened, what to
  do instead. Facts and measures, no story.
- The benchmark judges each attempt by itself. Of those that it confirms, the one with the fewest control steps is
  published as the recipe of this task; a success that it does not confirm is not. Act in tool calls that can be
  repeated from the beginning, without detours.
- `write_memory_draft` writes a note for the memory; drafts are checked and merged when the session ends.
  `task-specific/{memory_task}/notes.md` is for this task alone, `task-family/{memory_family}/NAME.md` for its
  relatives, `global/NAME.md` for every task of this robot. Write what holds for other initial states too. Where a note
  exists, write only what it lacks, or corrects: what other runs wrote stays in it.
- Budgets (replies, tool calls, control steps, time) hold for all attempts together.""",
)
"""The section of the system prompt that an exploring session gets."""


class Attempts:
    """The attempts of a session: how many there may be, how the earlier ones ended, and which one is under way."""

    def __init__(self, allowed: int, earlier: Sequence[Attempt] = ()) -> None:
        self.allowed = allowed
        self.ended = [attempt for attempt in earlier if attempt.over]
        self.number = len(earlier)
        """The attempt under way, from 1; 0 before the first observation."""
        self._leaving: Attempt | None = None
        """How the attempt ended whose world has been reset, until the next one has begun."""

    @property
    def left(self) -> int:
        """How many more there may be."""
        return max(0, self.allowed - self.number)

    @property
    def env_steps(self) -> int:
        """Control steps of the attempts that are over."""
        return sum(attempt.env_steps for attempt in self.ended)

    @property
    def verdict(self) -> bool | None:
        """What the benchmark says of all attempts together."""
        return verdict(self.ended)

    def open(self, step: int, recorder: Recorder) -> None:
        """Begin the first attempt with the opening observation; a resumed session goes on with its own."""
        if self.number == 0:
            self._begin(step, recorder)

    def leave(self, attempt: Attempt) -> None:
        """Note how the attempt under way ended; it counts from when the next one begins."""
        self._leaving = attempt

    def stay(self) -> None:
        """Go on with the attempt under way: the world was put back to it."""
        self._leaving = None

    def next(self, step: int, recorder: Recorder) -> None:
        """Begin the next attempt with the observation after the reset."""
        if self._leaving is not None:
            self._end(self._leaving, recorder)
            self._begin(step, recorder)

    def close(self, ending: Ending | None, toolkit: Toolkit, recorder: Recorder) -> None:
        """End the last attempt, which ends with the session."""
        if self.number == 0 or len(self.ended) == self.number:
            return
        claim = ending.planner_status if ending else None
        self._end(
            self._leaving
            or Attempt(
                attempt=self.number,
                benchmark_success=toolkit.benchmark_success(),
                status=claim,
                lesson=ending.detail if ending and claim else "",
                env_steps=toolkit.env_steps(),
            ),
            recorder,
        )

    def _begin(self, step: int, recorder: Recorder) -> None:
        self.number += 1
        recorder.event(ev.AttemptStarted(attempt=self.number, step=step))

    def _end(self, attempt: Attempt, recorder: Recorder) -> None:
        self._leaving = None
        self.ended.append(attempt)
        recorder.event(ev.AttemptEnded(**attempt.to_json()))


class NextAttemptTool:
    """Ends an attempt and resets the world; offered only in a session that explores."""

    def __init__(self, attempts: Attempts, toolkit: Toolkit) -> None:
        self._attempts = attempts
        self._toolkit = toolkit

    def build(self) -> Tool:
        """Return the tool that a session offers."""
        return build_tool(self.next_attempt)

    @tool(recipe=False)
    def next_attempt(self, status: PlannerStatus, lesson: str) -> ToolResult:
        """End this attempt and begin another: the robot and the scene are put back to the beginning of the task.

        Args:
            status: How this attempt went: `success` when the task was done, `failure` when it cannot be done any
                more, `stuck` when you did not know how to go on.
            lesson: One or two sentences for the next attempt: what was tried, what happened, what to do instead.

        Returns:
            What the benchmark says of the attempt that is over, `attempts_left`, and the fresh observation.
        """
        attempts, toolkit = self._attempts, self._toolkit
        if attempts.left == 0:
            raise ToolError(
                f"All {attempts.allowed} attempts are used; the world was not reset.",
                hint="Call `finish` with how this last attempt went.",
            )
        over = Attempt(
            attempt=attempts.number,
            benchmark_success=toolkit.benchmark_success(),
            status=status,
            lesson=lesson,
            env_steps=toolkit.env_steps(),
        )
        toolkit.reset()
        attempts.leave(over)
        return ToolResult(
            data={
                "attempt": attempts.number + 1,
                "attempts_left": attempts.left - 1,
                "last_attempt": {"benchmark_success": over.benchmark_success, "env_steps": over.env_steps},
            }
        )
