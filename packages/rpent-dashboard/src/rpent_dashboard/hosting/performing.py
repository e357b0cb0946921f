"""One task of a session while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.run.execute import execute
from rpent.runs import events as ev

from rpent_dashboard.hosting.steering import Steerer
from rpent_dashboard.reading.keys import SEPARATOR
from rpent_dashboard.reading.rows import verdict

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.cancel import CancelToken
    from rpent.run.request import RunRequest
    from rpent.runs.events import Event
    from rpent.runs.outcome import Outcome
    from rpent.services.shared import SharedServices

    from rpent_dashboard.hosting.record import Task
    from rpent_dashboard.hosting.session import HostedSession


class Performance:
    """Runs a task and notes in the session's journal how it goes."""

    def __init__(self, session: HostedSession, task: Task, cancel: CancelToken) -> None:
        self.task = task
        self.steerer = Steerer(on_change=session.changed, on_event=self._on_event)
        self.services: dict[str, dict[str, Any]] = {}
        """Name → the last that was heard of a service of this run."""
        self._session, self._cancel = session, cancel

    def run(self, request: RunRequest, shared: SharedServices) -> int:
        """Run the task to its end; returns the exit code of `rpent run`.

        Raises:
            RpentError: It could not be started.
        """
        outcome = execute(
            request,
            registry=self._session.registry,
            cancel=self._cancel,
            on_directory=self._begun,
            steering=self.steerer,
            shared=shared,
        )
        self._ended(outcome)
        return int(outcome.exit_code)

    def stop(self, reason: str, *, impatient: bool = False) -> None:
        """End it, as Ctrl-C does."""
        if impatient:
            self._cancel.insist()
        self._cancel.cancel(reason)

    def failed(self, detail: str, hint: str) -> None:
        """Note that it could not be run."""
        self._session.note(
            "ended", id=self.task.id, status="failed", outcome="infrastructure", detail=detail, hint=hint
        )

    def _ended(self, outcome: Outcome) -> None:
        self._session.note(
            "ended",
            id=self.task.id,
            status="interrupted" if outcome.reason == "interrupted" else "ended",
            outcome=verdict(outcome.benchmark_success, outcome.reason),
            benchmark_success=outcome.benchmark_success,
            detail=outcome.detail,
            hint=outcome.hint,
            run=self._key(outcome.run_dir.name) if outcome.run_dir else None,
        )

    def _begun(self, run: Path) -> None:
        self._session.note("run", id=self.task.id, run=self._key(run.name))

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ev.StageChanged):
            if event.stage == "session" and event.status == "started":
                self._session.note("running", id=self.task.id)
        elif isinstance(event, ev.ServiceState):
            self.services[event.service] = {
                "service": event.service,
                "state": event.state,
                "detail": event.detail,
            }
            self._session.changed()

    def _key(self, run: str) -> str:
        return SEPARATOR.join((self._session.name, run))
