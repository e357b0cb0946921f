"""One conversation with Codex: turns on a thread, the user's messages, interrupts, and the end."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError
from rpent.planners.parts import BROKE_OFF
from rpent.planners.retries import pause_s, say_retry
from rpent.session.reply import not_made
from rpent.session.session import SessionEndedError

from rpent_planner_codex.compaction import compact
from rpent_planner_codex.replies import COMPACTED, Replies
from rpent_planner_codex.tools import ReplySource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future

    from anyio.from_thread import BlockingPortal
    from openai_codex import Thread, TurnHandle
    from openai_codex.client import CodexClient
    from openai_codex.models import Notification
    from rpent.planners.faults import ModelError
    from rpent.planners.parts import Part
    from rpent.session.reply import ToolReply
    from rpent.session.session import Session

    from rpent_planner_codex.calls import RawCall
    from rpent_planner_codex.config import CodexConfig
    from rpent_planner_codex.errors import Report, Target

STOP_S = 3.0
"""How long Codex may take to break off a turn of a session that is over; then its process is ended."""


class Conversation:
    """Between the session and Codex. `run` works on the planner's thread; the rest is called from others."""

    def __init__(
        self,
        session: Session,
        config: CodexConfig,
        target: Target,
        provider: str | None,
        portal: BlockingPortal,
    ) -> None:
        self._session = session
        self._config = config
        self._target = target
        self._portal = portal
        self._replies = Replies(
            session,
            config=config,
            target=target,
            provider=provider,
            submit=self._submit,
            on_over=self._between_responses,
            on_broken=self._interrupt,
        )
        self.source = ReplySource(
            session, calls=self._replies.calls, images=config.images, on_last=self._between_responses
        )
        """What to serve over MCP."""
        self._lock = threading.Lock()
        self._client: CodexClient | None = None
        self._turn: TurnHandle | None = None
        self._breaking: TurnHandle | None = None
        """The turn that Codex was asked to break off."""
        self._stopped = threading.Event()
        self._over = threading.Event()
        self._undelivered: list[str] = []

    def run(self, client: CodexClient, thread: Thread, parts: Sequence[Part]) -> None:
        """Talk until the session is over.

        Raises:
            ModelError: The model server fails for good.
            RpentError: Codex itself ended.
        """
        self._client = client
        take_back = [
            self._session.cancel.on_cancel(lambda: self._aside(self._stop)),
            self._session.on_interrupt(lambda: self._aside(self._break_off)),
        ]
        try:
            message: Sequence[Part] | None = parts
            while message is not None and self._session.ended is None:
                self._replies.begin()
                self._take_turn(thread, message)
                message = self._next_message(thread)
        except SessionEndedError:
            pass
        finally:
            for take in take_back:
                take()
            self._replies.calls.close()
            self._over.set()

    def _take_turn(self, thread: Thread, parts: Sequence[Part]) -> None:
        from openai_codex.errors import CodexError  # noqa: PLC0415  (the SDK is slow to import)

        try:
            turn = thread.turn(input_items(parts))
            with self._lock:
                self._turn = turn
            for event in turn.stream():
                self._replies.handle(event.method, values_of(event))
        except CodexError as error:
            # A process that ends because of a Ctrl-C at the terminal, or of `_stop`, is no fault.
            if not self._session.cancel.wait(1.0):
                raise RpentError(
                    "Codex ended in the middle of the run.",
                    hint=f"It said: {str(error)[-300:]}",
                ) from error
        finally:
            with self._lock:
                self._turn = None

    def _next_message(self, thread: Thread) -> list[Part] | None:
        """Return what to say next, or None when the session is over.

        Raises:
            ModelError: The turn failed for good.
        """
        failure = self._replies.failure
        if self._session.ended is not None:
            return None
        if failure is not None and not failure.cut:
            return self._after_failure(thread, failure)
        if failure is not None:
            self._session.notice("The model's reply was cut off before a tool call.", level="warning")
        text = "\n\n".join(self._waiting()) or self._session.nudge()
        return None if text is None else [text]

    def _after_failure(self, thread: Thread, failure: Report) -> list[Part] | None:
        """Mend what can be mended; an empty message lets Codex repeat its request."""
        error = failure.error(self._target)
        if error.fault == "context" and not self._replies.summarised:
            self._replies.summarised = True
            self._session.notice(COMPACTED)
            mended = compact(thread, self._session.cancel)
        else:
            mended = error.retryable and self._paused(error)
        if self._session.ended is not None:
            return None
        if not mended:
            raise error
        note = [] if self._replies.broken is None else [BROKE_OFF]
        self._replies.broken = None
        return [*note, *self._waiting()]

    def _paused(self, error: ModelError) -> bool:
        """Wait before the next attempt. Codex has none itself for some faults: a rate limit without a date."""
        limit = self._config.max_retries
        if self._replies.attempts >= limit:
            return False
        self._replies.attempts += 1
        attempt, delay_s = self._replies.attempts, pause_s(self._replies.attempts)
        say_retry(self._session, error.message, attempt=attempt, limit=limit, delay_s=delay_s)
        self._session.cancel.wait(delay_s)
        return True

    def _waiting(self) -> list[str]:
        """Return what the user wrote and the model does not know yet."""
        with self._lock:
            waiting, self._undelivered = self._undelivered, []
        return waiting + (self._session.user_messages() if waiting or self._replies.failure else [])

    def _between_responses(self) -> None:
        """All calls of a response are done, and Codex is about to ask the model again: hand over what is new."""
        if self._session.ended is None:
            self._steer()
            with suppress(SessionEndedError):
                self._replies.next()
        if self._session.ended is not None:
            self._interrupt()

    def _steer(self) -> None:
        """Pass the user's messages on, with the next request."""
        from openai_codex.errors import CodexError  # noqa: PLC0415

        messages = self._session.user_messages()
        turn = self._turn
        if not messages:
            return
        try:
            if turn is None:
                raise CodexError("no turn is under way")
            turn.steer("\n\n".join(messages))
        except CodexError:
            with self._lock:
                self._undelivered += messages

    def _submit(self, calls: Sequence[RawCall], replies: Mapping[str, Future[ToolReply]]) -> None:
        self._portal.start_task_soon(self._carry_out, calls, replies, self._session.interrupts)

    async def _carry_out(
        self, calls: Sequence[RawCall], replies: Mapping[str, Future[ToolReply]], interrupts: int
    ) -> None:
        """Make the calls of a response; what stands behind an interrupt is not made."""
        for call in calls:
            if self._session.interrupts != interrupts:
                reply = not_made(call.name, call.call_id)
            else:
                reply = await self._session.acall(call.name, call.arguments, call_id=call.call_id)
            if replies[call.call_id].set_running_or_notify_cancel():
                replies[call.call_id].set_result(reply)

    def _break_off(self) -> None:
        """The user interrupted: break off a response; a tool was cancelled by the session, and Codex goes on."""
        if not self._replies.calls.under_way:
            self._interrupt()

    def _stop(self) -> None:
        """The session is over: break off the turn, and end a Codex that does not."""
        self._interrupt()
        if not self._over.wait(STOP_S) and self._client is not None:
            self._client.close()

    def _interrupt(self) -> None:
        """Break off the turn under way and wait until that is done; once, since Codex answers the first only."""
        with self._lock:
            turn = self._turn
            first = turn is not None and turn is not self._breaking
            if first:
                self._breaking, self._stopped = turn, threading.Event()
            stopped = self._stopped
        if turn is None:
            return
        if first:
            self._aside(lambda: self._ask_to_stop(turn, stopped))
        stopped.wait(STOP_S)

    @staticmethod
    def _ask_to_stop(turn: TurnHandle, stopped: threading.Event) -> None:
        with suppress(Exception):  # it is over already, or Codex is gone
            turn.interrupt()
        stopped.set()

    @staticmethod
    def _aside(work: Callable[[], None]) -> None:
        threading.Thread(target=work, name="rpent-codex-control", daemon=True).start()


def input_items(parts: Sequence[Part]) -> list[Any]:
    """Return a message as the SDK wants it; pictures become data URLs."""
    from openai_codex import ImageInput, TextInput  # noqa: PLC0415

    return [
        TextInput(part)
        if isinstance(part, str)
        else ImageInput(f"data:{part.media_type};base64,{part.base64}")
        for part in parts
    ]


def values_of(event: Notification) -> Mapping[str, Any]:
    """Return what a notification holds, by the names of the wire; the SDK has no types for raw items."""
    from openai_codex.models import UnknownNotification  # noqa: PLC0415

    payload = event.payload
    if isinstance(payload, UnknownNotification):
        return payload.params
    return payload.model_dump(by_alias=True, mode="json")
