"""What happens when a service dies or hangs under a tool call: restart it, and put the world back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import CallTimeoutError, RpentError, ServiceError
from rpent.runs import events as ev
from rpent.runs.steps import read_snapshot
from rpent.session.rescue import Rescue

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.runs.recorder import Recorder
    from rpent.services.supervisor import Supervisor
    from rpent.tools.toolkit import Toolkit

ENV = "env"
MAX_UNANSWERED = 3
"""How many calls in a row an attached service may leave unanswered."""


class Recovery:
    """Brings the services of a run back."""

    def __init__(
        self, supervisor: Supervisor, toolkit: Toolkit, recorder: Recorder, *, then: Callable[[], None]
    ) -> None:
        self._supervisor = supervisor
        self._toolkit = toolkit
        self._recorder = recorder
        self._then = then

    def recover(self, error: RpentError) -> Rescue:
        """Restart what died or hangs, and restore the last snapshot.

        Raises:
            ServiceError: Nothing that this run owns has died, or it cannot be brought back; or a service of
                somebody else has left too many calls unanswered.
        """
        hung = error.service if isinstance(error, CallTimeoutError) else ""
        if hung and not self._supervisor.owned(hung):
            return self._unanswered(hung, error)
        lost = self._dead(hung)
        if not lost:
            raise ServiceError(
                "It cannot be brought back by this run.",
                hint=error.hint or "Restart it, then `rpent resume`.",
            )
        for name in lost:
            self._supervisor.restart(name)
        step = self._recorder.last_step
        if ENV in lost:
            self._toolkit.restore(read_snapshot(self._recorder.directory, step))
            self._then()
        for name in lost:
            self._recorder.event(ev.Recovered(service=name, step=step, detail=error.message))
        names = " and ".join(f"`{name}`" for name in lost)
        message = f"The service {names} {'hung' if hung else 'crashed'} and was restarted"
        if ENV not in lost:
            return Rescue(message=f"{message}.", undone=False)
        return Rescue(message=f"{message}; the world is as it was after step {step}.")

    def _dead(self, hung: str) -> list[str]:
        owned = [name for name in self._supervisor.channels if self._supervisor.owned(name)]
        dead = [name for name in owned if name == hung or not self._supervisor.alive(name)]
        # A lost connection without a dead process is a server that hangs: it is replaced as well.
        return dead or [name for name in owned if name == ENV]

    def _unanswered(self, name: str, error: RpentError) -> Rescue:
        times = self._supervisor.channels[name].unanswered
        if times >= MAX_UNANSWERED:
            raise ServiceError(
                f"It left {times} calls in a row unanswered, and is not this run's to restart.",
                hint="Restart its `rpent serve`, then `rpent resume` this run.",
            )
        return Rescue(message=error.message, undone=False, restarted=False)
