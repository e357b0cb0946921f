"""The session: one planner's conversation over one task, with every rule that planners share."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rpent.cancel import CancelToken
from rpent.encodable import encodable
from rpent.errors import RpentError
from rpent.runs import events as ev
from rpent.runs.outcome import Ending
from rpent.session.attempts import NextAttemptTool
from rpent.session.call_ids import CallIds
from rpent.session.calls import CallRunner
from rpent.session.deadline import Deadline
from rpent.session.dialogue import Dialogue
from rpent.session.done import Call
from rpent.session.finish import FinishTool
from rpent.session.limits import Budget, Limits
from rpent.session.reply import ToolReply
from rpent.session.scope import CallScope
from rpent.session.user_calls import UserCall
from rpent.session.worker import Job, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from rpent.memory.view import MemoryView
    from rpent.robot import Prompts, TaskSetup
    from rpent.runs.recorder import Recorder
    from rpent.session.attempts import Attempts
    from rpent.session.rescue import Rescue
    from rpent.session.usage import Usage
    from rpent.tools.tool import Tool
    from rpent.tools.toolkit import Toolkit

CANCEL_GRACE_S = 20.0
"""How long a cancelled tool may take to stop; after that it is left behind and the session ends. Longer than what
a channel waits for a cancelled call, so that the channel's own answer comes first."""


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
        during_action: Callable[[], AbstractContextManager[None]] | None = None,
        attempts: Attempts | None = None,
        memory: MemoryView | None = None,
        interactive: bool = False,
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
        self.attempts = attempts
        """The attempts, where the session explores."""
        self.memory = memory
        """What the task may see of the robot's memory, where the run has one."""
        own = [FinishTool(self.end).build()]
        if attempts is not None:
            own.insert(0, NextAttemptTool(attempts, toolkit).build())
        offered = toolkit.tools() if tools is None else tools
        taken = {tool.name for tool in own}
        self.tools: list[Tool] = [*(tool for tool in offered if tool.name not in taken), *own]
        """What the planner may call: names, descriptions and JSON schemas."""
        self.recorder = recorder
        """The record of the run."""
        self._ids = CallIds(history)
        self._grace_s = cancel_grace_s
        self._lock = threading.RLock()
        self._deadline = Deadline(self.budget, self._time_is_over)
        self._dialogue = Dialogue(recorder, self.budget, self._deadline, interactive=interactive)
        self._worker = Worker("rpent-tools")
        self._runner = CallRunner(
            session=self,
            toolkit=toolkit,
            recorder=recorder,
            scope=scope or CallScope(),
            recover=recover,
            after_action=after_action,
            during_action=during_action,
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
        self._deadline.start()
        return self.opening

    def end(self, ending: Ending) -> None:
        """End the session, once: running and queued calls are cancelled, later ones are refused."""
        with self._lock:
            if self.ended is not None:
                return
            self.ended = ending
        self._deadline.stop()
        try:
            self.recorder.event(
                ev.SessionEnded(
                    reason=ending.reason, planner_status=ending.planner_status, detail=ending.detail
                )
            )
        finally:
            current = self._runner.current if ending.reason == "finished" else None
            self._dialogue.mailbox.close()
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
        """Give the planner a message of the user; `interrupt` also cancels running and queued calls.

        The planner gets it with the next request to its model, however that comes about.
        """
        text = encodable(text)
        self.recorder.event(ev.UserMessage(text=text, interrupt=interrupt))
        self._dialogue.mailbox.put(text)
        if interrupt:
            self.interrupt("The user interrupted.")

    def interrupt(self, reason: str = "Interrupted.") -> None:
        """Cancel the running tool, the queued calls and the model reply under way; the session goes on.

        Where a user is there and has not said yet what to do instead, the planner hears of nothing before they do.
        """
        # The planner first: when the cancelled tool's reply reaches it, it is to know why.
        self._dialogue.interrupt()
        self._worker.cancel_all(reason)

    def user_call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolReply:
        """Call a tool for the user, while the planner waits for them; returns its reply, as `call` does.

        The same rules hold: arguments are checked, budgets count it, an interrupt cancels it, `finish` ends the
        session. The planner hears of it with the next message. Should the planner go on meanwhile, its next call
        waits for this one.

        Raises:
            RobotHeldError: The planner does not wait for its user.
        """
        if self.ended is not None:
            return self._runner.refusal("", self.ended.detail or self.ended.reason)
        call = UserCall(name=name, arguments=arguments)
        with self._dialogue.acting(call):
            job = self._submit(name, arguments, None, origin="user")
            call.reply = self._collect(job, job.wait(self._grace_s), name)
        return call.reply

    @property
    def awaiting(self) -> bool:
        """Whether the planner waits for its user, who may now also call tools themselves."""
        return self.ended is None and self._dialogue.awaiting

    @property
    def held(self) -> bool:
        """Whether the user interrupted and the planner has not heard yet what to do: it may not act."""
        return self._dialogue.held

    @property
    def observation(self) -> Mapping[str, Any]:
        """The state of the world as last captured, whoever acted before."""
        return self._runner.observation

    @property
    def interactive(self) -> bool:
        """Whether a user is there: a model that stops without `finish` then waits for them."""
        return self._dialogue.interactive

    @property
    def interrupts(self) -> int:
        """How often the user interrupted: a model reply that began before the last one is not wanted any more."""
        return self._dialogue.interrupts

    # The planner's side.

    def begin_turn(self) -> int:
        """Count a turn (one model reply) and return its number.

        Raises:
            SessionEndedError: The session is over, or a budget just ended it.
        """
        self._end_if_spent()
        self.check()
        ending = self.budget.next_turn()
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
        done = job.wait(self._grace_s)
        self._dialogue.hold(threading.Event())
        return self._collect(job, done, name)

    async def acall(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, *, call_id: str | None = None
    ) -> ToolReply:
        """Call a tool from async code. Cancelling the task cancels the tool, and waits for it to stop."""
        import anyio  # noqa: PLC0415  (planners without an event loop do not need it)
        from anyio.to_thread import run_sync  # noqa: PLC0415

        job, given_up = self._submit(name, arguments, call_id), threading.Event()
        try:
            done = await run_sync(job.wait, self._grace_s, abandon_on_cancel=True)
            if self._dialogue.held:
                await run_sync(self._dialogue.hold, given_up, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            given_up.set()
            self._dialogue.mailbox.wake()
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
        """Add what one model response cost.

        Where that used up a budget, a `finish` in the same response still counts; another call, a reminder or the
        next turn ends the session.
        """
        with self._lock:
            self.budget.usage = self.budget.usage + usage
        self.recorder.event(ev.UsageReported(**usage.to_json()))

    def user_messages(self) -> list[str]:
        """Return the user's messages since the last time; the planner passes them to its model."""
        return self._dialogue.take()

    def on_interrupt(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` at each interrupt, from the user's thread, so that a planner can abort a model reply.

        Returns a function that takes it back.
        """
        return self._dialogue.on_interrupt(callback)

    def notice(self, text: str, *, level: ev.Level = "info") -> None:
        """Record something about the planner itself (a retry, a compaction)."""
        self.recorder.notice(text, level)

    def refused(self, text: str = "") -> None:
        """End the session because the model refused the task; `text` is what it said."""
        said = " ".join(encodable(text).split())
        detail = f"The model refused: {said}" if said else "The model refused the task."
        self.end(Ending(reason="finished", detail=detail))

    def nudge(self) -> str | None:
        """Return what to tell a model that stopped without `finish`; None when the session is over.

        What the user wrote meanwhile comes first. Without any, a session with a user waits for them to write, and
        the clock stands still; others are reminded of `finish`, and end after a few reminders.
        """
        return self._nudged(threading.Event())

    async def anudge(self) -> str | None:
        """Do the same from async code; cancelling the task ends the wait and takes no message."""
        import anyio  # noqa: PLC0415
        from anyio.to_thread import run_sync  # noqa: PLC0415

        given_up = threading.Event()
        try:
            return await run_sync(self._nudged, given_up, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            given_up.set()
            self._dialogue.mailbox.wake()
            raise

    def _nudged(self, given_up: threading.Event) -> str | None:
        self._end_if_spent()
        if self.ended is not None:
            return None
        message = self._dialogue.next_message(given_up)
        if message is None and not given_up.is_set() and self.ended is None:
            self.end(Ending(reason="finished", detail="The planner stopped without calling `finish`."))
        return message

    def _end_if_spent(self) -> None:
        ending = self.budget.exceeded(self._runner.env_steps())
        if ending is not None:
            self.end(ending)

    def _submit(
        self, name: str, arguments: Any, call_id: str | None, origin: ev.Origin = "planner"
    ) -> Job[ToolReply]:
        call = Call(name=encodable(name), arguments=arguments, call_id=self._ids.new(call_id), origin=origin)
        job: Job[ToolReply] = Job(run=lambda job: self._runner.run(job, call))
        self._worker.submit(job)
        if self.ended is not None:
            job.token.cancel(self.ended.reason)
        return job

    def _collect(self, job: Job[ToolReply], done: bool, name: str) -> ToolReply:
        if done and job.error is None:
            self._dialogue.called()
            reply: ToolReply = job.result
            return reply if self.ended is None or reply.ended else replace(reply, ended=True)
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
