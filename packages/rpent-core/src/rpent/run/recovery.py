"""What happens when a service dies or hangs under a tool call: restart it, and put the world back.

The env server has the world: without it the run ends. A model server (`vla`, `perception`) has nothing that is not on
disk: the run goes on with or without it.
"""

from __future__ import annotations

from collections import Counter
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
"""How many calls in a row an attached env server may leave unanswered."""
MAX_RESTARTS = 3
"""How often in a run a model server is started again: one that needs it more often will not do better."""
ELSEWISE = "Use other tools, or try again later."


class Recovery:
    """Brings the services of a run back."""

    def __init__(
        self, supervisor: Supervisor, toolkit: Toolkit, recorder: Recorder, *, then: Callable[[], None]
    ) -> None:
        self._supervisor = supervisor
        self._toolkit = toolkit
        self._recorder = recorder
        self._then = then
        self._restarts: Counter[str] = Counter()

    def recover(self, error: RpentError) -> Rescue:
        """Restart what died or hangs, and restore the last snapshot where that was the env server.

        Raises:
            ServiceError: The env server has died or hangs, and is not this run's or cannot be brought back.
        """
        if error.service and not self._supervisor.owned(error.service):
            return self._foreign(error)
        lost = self._lost(error.service)
        if not lost:
            raise _not_ours(error)
        models = [name for name in lost if name != ENV]
        if ENV not in lost:
            told = " ".join(self._restart_model(name, error) for name in models)
            return Rescue(message=told, undone=False, restarted=False)
        for name in lost:
            if name == ENV or self._restarts[name] < MAX_RESTARTS:
                self._supervisor.restart(name)
        step = self._recorder.last_step
        self._toolkit.restore(read_snapshot(self._recorder.directory, step))
        self._then()
        for name in lost:
            self._recorder.event(ev.Recovered(service=name, step=step, detail=error.message))
        names = " and ".join(f"`{name}`" for name in lost)
        return Rescue(
            message=f"The service {names} {_end(error)} and was restarted; the world is as it was after step {step}."
        )

    def _lost(self, concerned: str) -> list[str]:
        """Return what has to be replaced: the service that the error is about, and whatever else has died."""
        owned = [name for name in self._supervisor.channels if self._supervisor.owned(name)]
        dead = [name for name in owned if name == concerned or not self._supervisor.alive(name)]
        # A lost connection without a dead process is a server that hangs: it is replaced as well.
        return dead or [name for name in owned if name == ENV]

    def _restart_model(self, name: str, error: RpentError) -> str:
        """Start a model server again, and return what the planner is told."""
        if self._restarts[name] >= MAX_RESTARTS:
            return (
                f"The service `{name}` {_end(error)} again after {MAX_RESTARTS} restarts, and is left alone now. "
                "Do without its tools."
            )
        self._restarts[name] += 1
        try:
            self._supervisor.restart(name)
        except RpentError as failure:
            return f"The service `{name}` {_end(error)} and cannot be started again: {failure.message} {ELSEWISE}"
        self._recorder.event(ev.Recovered(service=name, step=self._recorder.last_step, detail=error.message))
        return f"The service `{name}` {_end(error)} and was restarted."

    def _foreign(self, error: RpentError) -> Rescue:
        """Report a service of somebody else; without the env server's answers there is no run."""
        name = error.service
        if name != ENV:
            message = f"{error.message} The server is not this run's to restart. {ELSEWISE}"
            return Rescue(message=message, undone=False, restarted=False)
        if not isinstance(error, CallTimeoutError):
            raise _not_ours(error)
        times = self._supervisor.channels[name].unanswered
        if times >= MAX_UNANSWERED:
            raise ServiceError(
                f"It left {times} calls in a row unanswered, and is not this run's to restart.",
                hint="Restart its `rpent serve`, then `rpent resume` this run.",
            )
        return Rescue(message=error.message, undone=False, restarted=False)


def _end(error: RpentError) -> str:
    return "hung" if isinstance(error, CallTimeoutError) else "crashed"


def _not_ours(error: RpentError) -> ServiceError:
    return ServiceError(
        "It cannot be brought back by this run.",
        hint=error.hint or "Restart it, then `rpent resume`.",
    )
