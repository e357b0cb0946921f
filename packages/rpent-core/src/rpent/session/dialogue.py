"""What the planner hears besides tool replies: the user's messages and interrupts, and reminders of `finish`."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rpent.runs import events as ev
from rpent.session.mailbox import Mailbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpent.runs.recorder import Recorder
    from rpent.session.deadline import Deadline
    from rpent.session.limits import Budget

MAX_NUDGES = 2
NUDGE = (
    "You stopped without calling `finish`. Go on with the next tool call, or call `finish` with the status "
    "`success`, `failure` or `stuck` and a short summary."
)


class Dialogue:
    """The user's side of a session."""

    def __init__(self, recorder: Recorder, budget: Budget, deadline: Deadline, *, interactive: bool) -> None:
        self.interactive = interactive
        self.mailbox = Mailbox()
        self.interrupts = 0
        self._recorder = recorder
        self._budget = budget
        self._deadline = deadline
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self._nudges = 0
        self._held = False

    def on_interrupt(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` at each interrupt; returns a function that takes it back."""
        with self._lock:
            self._callbacks.append(callback)

        def take_back() -> None:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

        return take_back

    def interrupt(self) -> None:
        """Tell the planner that the reply under way is no longer wanted."""
        with self._lock:
            self.interrupts += 1
            self._held = self.interactive and self.mailbox.empty
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    @property
    def held(self) -> bool:
        """Whether the user interrupted without saying what to do: the planner gets no reply before they do."""
        return self._held

    def hold(self, given_up: threading.Event) -> None:
        """Wait until the user has said what to do after an interrupt; the message stays for the planner to take."""
        if not self._held:
            return
        with self._awaiting():
            self.mailbox.wait_for_one(given_up)
        self._held = False

    def called(self) -> None:
        """Note that the model called a tool: the reminders count anew."""
        self._nudges = 0

    def next_message(self, given_up: threading.Event) -> str | None:
        """Return the user's messages or a reminder; None once the reminders are used up or the wait has ended."""
        messages = self.mailbox.take()
        if not messages and self.interactive:
            messages = self._wait(given_up)
            if not messages:
                return None
        if messages:
            self._nudges = 0
            return "\n\n".join(messages)
        self._nudges += 1
        if self._nudges > MAX_NUDGES:
            return None
        self._recorder.event(ev.UserMessage(text=NUDGE, origin="nudge"))
        return NUDGE

    def _wait(self, given_up: threading.Event) -> list[str]:
        with self._awaiting():
            messages = self.mailbox.wait(given_up)
        self._held = False
        return messages

    @contextmanager
    def _awaiting(self) -> Iterator[None]:
        """Wait for the user; the time limit does not run meanwhile."""
        self._recorder.event(ev.AwaitingUser(turn=self._budget.turns))
        self._deadline.pause()
        try:
            yield
        finally:
            self._deadline.resume()
