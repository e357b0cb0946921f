"""The user's messages on their way to the planner."""

from __future__ import annotations

import threading


class Mailbox:
    """A queue of texts that one thread fills and another empties, or waits at."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._messages: list[str] = []
        self._closed = False

    def put(self, text: str) -> None:
        """Add a message."""
        with self._changed:
            self._messages.append(text)
            self._changed.notify_all()

    def take(self) -> list[str]:
        """Return and remove what is there."""
        with self._changed:
            messages, self._messages = self._messages, []
            return messages

    def wait(self, given_up: threading.Event) -> list[str]:
        """Wait for messages and take them; empty after `close`, and once `given_up` is set and `wake` called."""
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._closed or given_up.is_set())
            return [] if given_up.is_set() else self.take()

    def wait_for_one(self, given_up: threading.Event) -> None:
        """Wait until there is a message, and leave it there; or as `wait` ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._closed or given_up.is_set())

    @property
    def empty(self) -> bool:
        """Whether nothing is there."""
        with self._changed:
            return not self._messages

    @property
    def closed(self) -> bool:
        """Whether nobody waits here any more."""
        return self._closed

    def wake(self) -> None:
        """Let whoever waits look again."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """End every wait, now and later."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
