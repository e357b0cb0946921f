"""What the planner hears besides tool replies: the user's messages and interrupts, and reminders of `finish`."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rpent.runs import events as ev
from rpent.session.mailbox import Mailbox
from rpent.session.user_calls import RobotHeldError, UserCall, UserCalls

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
        self._floor = threading.RLock()
        """Guards who has the robot; taken before the recorder's lock, never the other way round."""
        self._waiting = 0
        """Threads of the planner that wait for the user."""
        self._acting = 0
        """Calls of the user that are under way."""
        self._stands = False
        self._user_calls = UserCalls()

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
            self._held = self.interactive
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    @property
    def held(self) -> bool:
        """Whether the user interrupted and the planner has not heard yet what to do instead.

        What it calls meanwhile was decided before, and is not carried out; it gets no reply before they have spoken.
        """
        return self._held

    def hold(self, given_up: threading.Event) -> None:
        """Wait until the user has said what to do after an interrupt; the message stays for the planner to take."""
        if not self._held:
            return
        if self.mailbox.empty:
            with self._awaiting():
                self.mailbox.wait_for_one(given_up)
        self._held = False

    def called(self) -> None:
        """Note that the model called a tool: the reminders count anew."""
        self._nudges = 0

    @property
    def awaiting(self) -> bool:
        """Whether the planner waits for its user, who has not said anything yet."""
        return self._waiting > 0 and self.mailbox.empty

    @contextmanager
    def acting(self, call: UserCall) -> Iterator[None]:
        """Let the user carry out a call; the clock runs meanwhile, and the planner is told with the next message.

        Raises:
            RobotHeldError: The planner does not wait for its user.
        """
        with self._floor:
            if not self.awaiting:
                raise RobotHeldError
            self._user_calls.add(call)  # before the planner can go on: it is then told of it
            self._acting += 1
            self._set_clock()
        try:
            yield
        finally:
            with self._floor:
                self._acting -= 1
                self._set_clock()
                if self.awaiting and not self._acting and not self.mailbox.closed:
                    self._recorder.event(ev.AwaitingUser(turn=self._budget.turns))

    def take(self) -> list[str]:
        """Return the user's messages for the planner; the first begins with what the user did themselves."""
        return self._delivered(self.mailbox.take())

    def next_message(self, given_up: threading.Event) -> str | None:
        """Return the user's messages or a reminder; None once the reminders are used up or the wait has ended."""
        messages = self.take()
        if not messages and self.interactive:
            messages = self._delivered(self._wait(given_up))
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
            return self.mailbox.wait(given_up)

    @contextmanager
    def _awaiting(self) -> Iterator[None]:
        """Wait for the user; the time limit does not run meanwhile, except while they act."""
        with self._floor:
            self._waiting += 1
            self._set_clock()
            self._recorder.event(ev.AwaitingUser(turn=self._budget.turns))
        try:
            yield
        finally:
            with self._floor:
                self._waiting -= 1
                self._set_clock()

    def _set_clock(self) -> None:
        """Let the clock stand while nobody acts; the caller has the floor."""
        stands = self._waiting > 0 and self._acting == 0
        if stands != self._stands:
            self._stands = stands
            (self._deadline.pause if stands else self._deadline.resume)()

    def _delivered(self, messages: list[str]) -> list[str]:
        if not messages:
            return messages
        self._held = False
        self._recorder.event(ev.MessagesDelivered(count=len(messages)))
        told = self._user_calls.take()
        return [f"{told}\n\n{messages[0]}", *messages[1:]] if told else messages
