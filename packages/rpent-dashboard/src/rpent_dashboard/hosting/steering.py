"""A person at the browser accompanies the running task: messages, interrupts, what the planner is doing."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal

from rpent.runs import events as ev

from rpent_dashboard.hosting.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.robot import Prompts
    from rpent.runs.events import Event
    from rpent.session.session import Session

Activity = Literal["none", "starting", "busy", "awaiting", "closing"]
PLANNERS = (ev.TurnStarted, ev.AssistantText, ev.AssistantThinking, ev.MessagesDelivered, ev.ToolCalled)
"""Events that show that the planner is at work."""


class Steerer:
    """Steers one run: a `rpent.run.steering.Steering`.

    Args:
        on_change: Called when `activity` or `pending` changed.
        on_event: Called with every event, from the run's threads.
    """

    def __init__(self, *, on_change: Callable[[], None], on_event: Callable[[Event], None]) -> None:
        self.session: Session | None = None
        """The planner's session, once it goes on."""
        self.activity: Activity = "starting"
        self._on_change, self._on_event = on_change, on_event
        self._lock = threading.Lock()
        self._early: list[str] = []
        self._under_way = 0
        self._acting = 0
        self._task = ""

    # The run's side.

    def offer(self, prompts: Prompts, *, resumed: bool) -> None:  # noqa: ARG002  (a resumed task stays too)
        """Take the task as it is: it was agreed on when it was queued."""
        self._task = prompts.user

    def first_message(self) -> str | None:
        """Return the task."""
        return self._task

    def attach(self, session: Session) -> None:
        """Steer this session from now on; it gets what was written before it began."""
        with self._lock:
            self.session, early = session, self._early
            self._early = []
            for text in early:
                session.send(text)
        self._become("busy")

    def on_event(self, event: Event) -> None:
        """Follow what the planner does."""
        if isinstance(event, ev.UserMessage) and event.origin == "user":
            self._under_way += 1
            self._become("busy")
            self._on_change()
        elif isinstance(event, ev.MessagesDelivered):
            self._under_way = max(0, self._under_way - event.count)
            self._on_change()
        if isinstance(event, ev.ToolCalled | ev.ToolReturned) and event.origin == "user":
            self._acting += 1 if isinstance(event, ev.ToolCalled) else -1
            self._become("busy")
        elif isinstance(event, ev.AwaitingUser):
            self._become("awaiting")
        elif isinstance(event, ev.SessionEnded | ev.RunEnded):
            self._become("closing")
        elif isinstance(event, PLANNERS):
            self._become("busy")
        self._on_event(event)

    # The person's side.

    @property
    def pending(self) -> int:
        """How many messages the planner has not got yet."""
        return len(self._early) + self._under_way

    @property
    def can_call(self) -> bool:
        """Whether a person may call tools: the planner waits for them, also while a call of theirs goes on."""
        return self.activity == "awaiting" or (self.activity == "busy" and self._acting > 0)

    @property
    def holds(self) -> bool:
        """Whether a planner holds the robot."""
        return self.activity in ("busy", "closing") and not self.can_call

    def send(self, text: str, *, interrupt: bool = False) -> None:
        """Give the planner a message; before its session begins it is kept for then."""
        with self._lock:
            session = self.session
            if session is None:
                self._early.append(text)
        if session is None:
            self._on_change()
            return
        if session.ended is not None:
            raise ConflictError("The task is over; nobody would read the message.")
        if interrupt and self.activity != "awaiting":
            _apart(session.send, text, interrupt=True)
        else:
            session.send(text)

    def interrupt(self) -> None:
        """Stop the motion and the reply under way; the planner then waits for a message.

        Raises:
            ConflictError: Nothing is under way.
        """
        session = self.session
        if session is None or session.ended is not None:
            raise ConflictError("There is nothing to interrupt.", hint="`stop` ends the task.")
        _apart(session.interrupt, "The user interrupted.")

    def _become(self, activity: Activity) -> None:
        if self.activity not in (activity, "closing"):
            self.activity = activity
            self._on_change()


def _apart(work: Callable[..., Any], *arguments: Any, **named: Any) -> None:
    """Do something on a thread of its own: a cancelled call may take its time to answer."""
    threading.Thread(
        target=work, args=arguments, kwargs=named, name="rpent-dashboard-steering", daemon=True
    ).start()
