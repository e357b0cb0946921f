"""What a person at the browser does with the open session."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from rpent_dashboard.hosting import calls, completion
from rpent_dashboard.hosting.commands import COMMANDS, TASK, parse_task
from rpent_dashboard.hosting.errors import ConflictError, FieldError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_dashboard.hosting.host import Host
    from rpent_dashboard.hosting.performing import Performance
    from rpent_dashboard.hosting.state import State


MAX_CALLS = 4
"""How many calls of tools wait for their end at the same time; each keeps a thread of the server."""


class Control:
    """Steers the session of a host."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._calls = threading.BoundedSemaphore(MAX_CALLS)

    def state(self) -> dict[str, Any] | None:
        """Return the state of the session; None without one."""
        return self.host.state()

    def queue(
        self,
        values: Mapping[str, Any],
        planner: str | None = None,
        planner_config: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Queue a task."""
        session = self.host.session
        return session.queue(values, planner=planner, planner_config=planner_config).to_json()

    def command(
        self,
        line: str,
        planner: str | None = None,
        planner_config: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Carry out a command that was typed: `/rpent-task` queues a task, the others steer.

        Raises:
            FieldError: It is no command, or its values are not accepted.
            ConflictError: There is nothing to stop or to interrupt.
        """
        name = line.split(maxsplit=1)[0] if line.strip() else ""
        if name == "/interrupt":
            self.interrupt()
            return {}
        if name == "/stop":
            return self.host.session.stop(self._performance().task.id).to_json()
        if name == "/help":
            return {"help": {**COMMANDS, TASK: f"{COMMANDS[TASK]} {self._state().fields.usage}"}}
        return self.queue(parse_task(line, self._state().fields), planner, planner_config)

    def message(self, text: str, *, interrupt: bool = False) -> dict[str, Any]:
        """Give the planner a message; one that is a command is carried out instead.

        Raises:
            ConflictError: No task runs.
            FieldError: The message is empty, or a command that is not accepted.
        """
        if text.startswith("/"):
            return self.command(text)
        if not text.strip():
            raise FieldError("The message is empty.", field="text")
        self._performance().steerer.send(text, interrupt=interrupt)
        return {}

    def interrupt(self) -> None:
        """Stop the motion and the reply under way.

        Raises:
            ConflictError: There is none.
        """
        self._performance().steerer.interrupt()

    def complete(self, text: str, cursor: int) -> dict[str, Any]:
        """Return what may be typed next."""
        state = self.host.described
        if state is None:
            return {"start": cursor, "end": cursor, "options": []}
        return completion.complete(
            text,
            cursor,
            fields=state.fields,
            spec=state.robot_spec.dashboard,
            values=state.robot_values,
        )

    def tools(self) -> list[dict[str, Any]]:
        """Describe the tools that a person may call now."""
        state = self.host.described
        if state is None:
            return []
        return calls.offered(self.host.session.performance, state.robot_spec.dashboard.primitives)

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a call of a tool and wait for its end.

        Raises:
            ConflictError: It cannot be made now.
            NotFoundError: There is no such tool in the allow-list.
            FieldError: An argument is not accepted.
        """
        primitives = self._state().robot_spec.dashboard.primitives
        if not self._calls.acquire(blocking=False):
            raise ConflictError(f"{MAX_CALLS} calls wait already.", hint="Interrupt, or wait for their end.")
        try:
            return calls.call(self.host.session.performance, primitives, name, arguments)
        finally:
            self._calls.release()

    def _state(self) -> State:
        state = self.host.described
        if state is None:
            raise ConflictError("No session is open.", hint="Launch one first.")
        return state

    def _performance(self) -> Performance:
        performance = self.host.session.performance
        if performance is None:
            raise ConflictError("No task runs.", hint=f"Queue one with `{TASK}`.")
        return performance
