"""The session: one planner's conversation over one task, with every rule that planners share."""

from __future__ import annotations

import threading
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from rpent.cancel import CancelToken
from rpent.errors import RpentError
from rpent.runs import events as ev
from rpent.runs.outcome import Ending
from rpent.session.calls import CallRunner
from rpent.session.finish import FinishTool
from rpent.session.limits import Budget, Limits
from rpent.session.reply import ToolReply
from rpent.session.scope import CallScope
from rpent.session.worker import Job, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpent.robot import Prompts, TaskSetup
    from rpent.runs.recorder import Recorder
    from rpent.session.rescue import Rescue
    from rpent.session.usage import Usage
    from rpent.tools.tool import Tool
    from rpent.tools.toolkit import Toolkit

CANCEL_GRACE_S = 20.0
"""How long a cancelled tool may take to stop; after that it is left behind and the session ends. Longer than what
a channel waits for a cancelled call, so that the channel's own answer comes first."""
MAX_NUDGES = 2
_NUDGE = (
    "You stopped without calling `finish`. Go on with the next tool call, or call `finish` with the status "
    "`success`, `failure` or `stuck` and a short summary."
)


class SessionEndedError(RpentError):
    """The session is over; a planner lets this pass, or returns."""


class Session:
    """What a planner backend talks to: tools, budgets, messages, usage.

    A backend begins each model reply with `begin_turn`, passes tool calls to `call` or `acall`, and returns
    when a reply says `ended`, when `begin_turn` raises, or when `cancel` is set.
    """

    def __init__(
        self,
        *,
        task: TaskSetup,
        prompts: Prompts,
        toolkit: Toolkit,
        recorder: Recorder,
        tools: Sequence[Tool] | None = None,
        scope: CallScope | None = None,
        limits: Limits | None = None,
        budget: Budget | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        prior_calls: int = 0,
        recover: Callable[[RpentError], Rescue] | None = None,
        after_action: Callable[[], None] | None = None,
        cancel_grace_s: float = CANCEL_GRACE_S,
    ) -> None:
        self.task = task
        self.prompts = prompts
        self.history = list(history)
        """Transcript entries of earlier processes of a resumed run: what the planner already knows."""
        self.prior_calls = prior_calls
        """How many calls of the recipe earlier processes carried out."""
        self.cancel = CancelToken()
        """Set when the session ends, for whatever reason; the reason is `ended`."""
        self.ended: Ending | None = None
        """How the session ended; None while it goes on."""
        self.opening = ToolReply(ok=True)
        """The observation before the first call; set by `open`."""
        self.budget = budget or Budget(limits=limits or Limits())
        finish = FinishTool(self.end).build()
        offered = toolkit.tools() if tools is None else tools
        self.tools: list[Tool] = [*(tool for tool in offered if tool.name != finish.name), finish]
        """What the planner may call: names, descriptions and JSON schemas."""
        self.recorder = recorder
        """The record of the run."""
        self._grace_s = cancel_grace_s
        self._lock = threading.RLock()
        self._messages: list[str] = []
        self._nudges = 0
        self._timer: threading.Timer | None = None
        self._worker = Worker("rpent-tools")
        self._runner = CallRunner(
            session=self,
            toolkit=toolkit,
            recorder=recorder,
            scope=scope or CallScope(),
            recover=recover,
            after_action=after_action,
        )

    # The run's side.

    def open(self) -> ToolReply:
        """Observe the world for the first time, and start the clock.

        Raises:
            RpentError: The first observation failed.
        """
        job: Job[ToolReply] = Job(run=lambda _: self._runner.observe())
        self._worker.submit(job)
        if not job.wait(self._grace_s):
            raise SessionEndedError("The run was stopped before its first observation.")
        if job.error is not None:
            raise job.error
        self.opening = job.result
        self.budget.start()
        remaining = self.budget.remaining_s
        if remaining is not None and remaining < threading.TIMEOUT_MAX:
            self._timer = threading.Timer(remaining, self._time_is_over)
            self._timer.daemon = True
            self._timer.start()
        return self.opening

    def end(self, ending: Ending) -> None:
        """End the session, once: running and queued calls are cancelled, later ones are refused."""
        with self._lock:
            if self.ended is not None:
                return
            self.ended = ending
        if self._timer is not None:
            self._timer.cancel()
        try:
            self.recorder.event(
                ev.SessionEnded(
                    reason=ending.reason, planner_status=ending.planner_status, detail=ending.detail
                )
            )
        finally:
            current = self._runner.current if ending.reason == "finished" else None
            self._worker.cancel_all(ending.detail or ending.reason, sparing=current)
            self.cancel.cancel(ending.reason)

    def fail(self, detail: str, *, hint: str = "") -> None:
        """End the session because something other than the planner's decisions failed."""
        self._end_quietly(Ending(reason="infrastructure", detail=detail, hint=hint))

    def close(self, grace_s: float | None = None) -> bool:
        """End the worker; returns whether the last tool stopped in time."""
        if self.ended is None:
            self.end(Ending(reason="finished", detail="The planner returned without calling `finish`."))
        return self._worker.close(self._grace_s if grace_s is None else grace_s)

    def send(self, text: str, *, interrupt: bool = False) -> None:
        """Give the planner a message of the user; `interrupt` also cancels running and queued calls."""
        with self._lock:
            self._messages.append(text)
        self.recorder.event(ev.UserMessage(text=text, interrupt=interrupt))
        if interrupt:
            self.interrupt("The user interrupted.")

    def interrupt(self, reason: str = "Interrupted.") -> None:
        """Cancel the running tool and the queued calls; the session goes on."""
        self._worker.cancel_all(reason)

    # The planner's side.

    def begin_turn(self) -> int:
        """Count a turn (one model reply) and return its number.

        Raises:
            SessionEndedError: The session is over, or a budget just ended it.
        """
        self.check()
        ending = self.budget.next_turn() or self.budget.exceeded(self._runner.env_steps())
        if ending is not None:
            self.end(ending)
            self.check()
        self.recorder.event(ev.TurnStarted(turn=self.budget.turns))
        return self.budget.turns

    def check(self) -> None:
        """Raise `SessionEndedError` when the session is over."""
        if self.ended is not None:
            raise SessionEndedError(f"The session is over: {self.ended.detail or self.ended.reason}")

    def call(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, *, call_id: str | None = None
    ) -> ToolReply:
        """Call a tool and wait for its reply. Safe from any thread; calls run one at a time, in order.

        Never raises for a mistake of the planner: wrong names, arguments and failures are replies with
        `error`.
        """
        job = self._submit(name, arguments, call_id)
        return self._collect(job, job.wait(self._grace_s), name)

    async def acall(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, *, call_id: str | None = None
    ) -> ToolReply:
        """Call a tool from async code. Cancelling the task cancels the tool, and waits for it to stop."""
        import anyio  # noqa: PLC0415  (planners without an event loop do not need it)
        from anyio.to_thread import run_sync  # noqa: PLC0415

        job = self._submit(name, arguments, call_id)
        try:
            done = await run_sync(job.wait, self._grace_s, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            job.token.cancel("The planner cancelled the call.")
            with anyio.CancelScope(shield=True):
                await run_sync(job.wait, self._grace_s)
            raise
        return self._collect(job, done, name)

    def say(self, text: str) -> None:
        """Record what the planner says."""
        if text.strip():
            self.recorder.event(ev.AssistantText(turn=self.budget.turns, text=text))

    def think(self, text: str) -> None:
        """Record what the planner thinks aloud."""
        if text.strip():
            self.recorder.event(ev.AssistantThinking(turn=self.budget.turns, text=text))

    def report_usage(self, usage: Usage) -> None:
        """Add what one model response cost; ends the session when a budget is used up."""
        with self._lock:
            self.budget.usage = self.budget.usage + usage
        self.recorder.event(ev.UsageReported(**usage.to_json()))
        ending = self.budget.exceeded(self._runner.env_steps())
        if ending is not None:
            self.end(ending)

    def user_messages(self) -> list[str]:
        """Return the user's messages since the last time; the planner passes them to its model."""
        with self._lock:
            messages, self._messages = self._messages, []
        return messages

    def notice(self, text: str, *, level: Literal["info", "warning", "error"] = "info") -> None:
        """Record something about the planner itself (a retry, a compaction)."""
        self.recorder.event(ev.Notice(text=text, level=level))

    def nudge(self) -> str | None:
        """Return what to tell a model that stopped without `finish`; None, and the end, after a few."""
        if self.ended is not None:
            return None
        self._nudges += 1
        if self._nudges > MAX_NUDGES:
            self.end(Ending(reason="finished", detail="The planner stopped without calling `finish`."))
            return None
        self.recorder.event(ev.UserMessage(text=_NUDGE, origin="nudge"))
        return _NUDGE

    def _submit(self, name: str, arguments: Any, call_id: str | None) -> Job[ToolReply]:
        identity = call_id or f"call_{uuid.uuid4().hex[:12]}"
        job: Job[ToolReply] = Job(run=lambda job: self._runner.run(job, name, arguments, identity))
        self._worker.submit(job)
        if self.ended is not None:
            job.token.cancel(self.ended.reason)
        return job

    def _collect(self, job: Job[ToolReply], done: bool, name: str) -> ToolReply:
        if done and job.error is None:
            self._nudges = 0
            reply: ToolReply = job.result
            return reply
        if done:
            detail = (
                job.error.message if isinstance(job.error, RpentError) else f"`{name}` failed: {job.error}"
            )
        else:
            detail = f"`{name}` did not stop within {self._grace_s:g} s of its cancellation."
        self._end_quietly(Ending(reason="infrastructure", detail=detail))
        return self._runner.refusal("", detail)

    def _time_is_over(self) -> None:
        ending = self.budget.exceeded()
        self._end_quietly(ending or Ending(reason="time_limit", detail="The time limit is over."))

    def _end_quietly(self, ending: Ending) -> None:
        with suppress(RpentError):  # where the record cannot be written, `ended` still says what happened
            self.end(ending)
