"""What happens when a service dies under a tool call: restart it, and put the world back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import RpentError, ServiceError
from rpent.runs import events as ev
from rpent.runs.steps import read_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.runs.recorder import Recorder
    from rpent.services.supervisor import Supervisor
    from rpent.tools.toolkit import Toolkit

ENV = "env"


class Recovery:
    """Brings the services of a run back."""

    def __init__(
        self, supervisor: Supervisor, toolkit: Toolkit, recorder: Recorder, *, then: Callable[[], None]
    ) -> None:
        self._supervisor = supervisor
        self._toolkit = toolkit
        self._recorder = recorder
        self._then = then

    def recover(self, error: RpentError) -> str:
        """Restart what died and restore the last snapshot; returns what the planner is told.

        Raises:
            ServiceError: Nothing that this run owns has died, or it cannot be brought back.
        """
        dead = self._dead()
        if not dead:
            raise ServiceError(
                "It cannot be brought back by this run.",
                hint=error.hint or "Restart it, then `rpent resume`.",
            )
        for name in dead:
            self._supervisor.restart(name)
        step = self._recorder.last_step
        if ENV in dead:
            self._toolkit.restore(read_snapshot(self._recorder.directory, step))
            self._then()
        names = " and ".join(f"`{name}`" for name in dead)
        for name in dead:
            self._recorder.event(ev.Recovered(service=name, step=step, detail=error.message))
        return f"The service {names} crashed and was restarted; the world is as it was after step {step}."

    def _dead(self) -> list[str]:
        owned = [name for name in self._supervisor.channels if self._supervisor.owned(name)]
        dead = [name for name in owned if not self._supervisor.alive(name)]
        # A lost connection without a dead process is a server that hangs: it is replaced as well.
        return dead or [name for name in owned if name == ENV]
