"""A session: a queue of tasks, and the thread that runs one after another."""

from __future__ import annotations

import secrets
import threading
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rpent.cancel import CancelToken
from rpent.errors import RpentError
from rpent.services.shared import SharedServices

from rpent_dashboard.hosting.accepting import accept
from rpent_dashboard.hosting.errors import ConflictError, NotFoundError
from rpent_dashboard.hosting.journal import Journal
from rpent_dashboard.hosting.performing import Performance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from rpent.run.request import RunRequest
    from rpent.run.resolve import Registry

    from rpent_dashboard.hosting.accepting import Accepted
    from rpent_dashboard.hosting.folder import Held
    from rpent_dashboard.hosting.record import Record, Task

STOPPED = "Stopped in the dashboard."


class HostedSession:
    """Runs tasks; what happens is in its journal.

    Args:
        held: Its folder.
        base: What every task runs; a task differs in its values, and perhaps its planner.
        record: What the journal says so far.
        registry: Where plugins come from.
        on_change: Called when anything of it changed, from several threads.
        on_closed: Called when it came to its end.
    """

    def __init__(
        self,
        held: Held,
        base: RunRequest,
        record: Record,
        registry: Registry,
        on_change: Callable[[], None],
        *,
        on_closed: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder: Path = held.path
        self.base = base
        self.record = record
        self.registry = registry
        self.performance: Performance | None = None
        """The task under way."""
        self.exit_code = 0
        """Of the last task that ran here."""
        self.problem = ""
        """What keeps it from going on."""
        self.closing = False
        self.changed = on_change
        """Tells whoever watches."""
        self._held, self._on_closed = held, on_closed
        self._journal = Journal(held.path)
        self.locked = threading.Condition(threading.RLock())
        """Held while the record changes; wakes the thread that runs tasks."""
        self._requests: dict[str, RunRequest] = {}
        self._shared = SharedServices(held.path / "logs", self._service)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="rpent-dashboard-tasks", daemon=True)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def start(self) -> None:
        """Begin to run what is queued."""
        self._thread.start()

    # The queue.

    def queue(
        self,
        values: Mapping[str, Any],
        *,
        planner: str | None = None,
        planner_config: Mapping[str, Any] | None = None,
    ) -> Task:
        """Add a task, once its values are accepted.

        Raises:
            FieldError: A value is not accepted.
            ConflictError: The session is being closed.
        """
        accepted = accept(self.base, values, self.registry, planner=planner, planner_config=planner_config)
        return self._queue(accepted)

    def again(self, task_id: str) -> Task:
        """Queue the same task once more."""
        task = self.task(task_id)
        request = self._requests.get(task_id)
        config = task.planner_config if request is None else request.planner_config
        return self.queue(task.values, planner=task.planner, planner_config=config)

    def withdraw(self, task_id: str) -> Task:
        """Take a task out of the queue.

        Raises:
            ConflictError: It has been started.
        """
        with self.locked:
            task = self.task(task_id)
            if task.status != "queued":
                raise ConflictError(f"The task is not queued any more: it is {task.status}.")
            self.note("withdrawn", id=task_id)
            return task

    def stop(self, task_id: str) -> Task:
        """End the task that runs, as Ctrl-C does.

        Raises:
            ConflictError: It does not run.
        """
        with self.locked:
            task, performance = self.task(task_id), self.performance
            if performance is None or performance.task.id != task_id:
                raise ConflictError(f"The task does not run: it is {task.status}.")
        performance.stop(STOPPED)
        return task

    def task(self, task_id: str) -> Task:
        """Return a task.

        Raises:
            NotFoundError: There is none of that name.
        """
        try:
            return self.record.tasks[task_id]
        except KeyError:
            raise NotFoundError(f"There is no task `{task_id[:40]}` in this session.") from None

    # The end.

    def close(self, reason: str = STOPPED, *, impatient: bool = False) -> None:
        """End the running task, the services and the thread; what is queued stays on record. Idempotent."""
        with self.locked:
            self.closing = True
            performance = self.performance
            self.locked.notify_all()
        self.changed()
        if performance is not None:
            performance.stop(reason, impatient=impatient)
        self._over.wait()  # its thread may be about to start

    def note(self, kind: str, **values: Any) -> None:
        """Write an entry, take it in, and tell whoever watches."""
        with self.locked:
            self.record.apply(self._journal.append(kind, **values))
            # A full disk: the run goes on, and the page says why nothing is kept.
            self.problem = self._journal.problem.message if self._journal.problem else ""
            self.locked.notify_all()
        self.changed()

    def _queue(self, accepted: Accepted) -> Task:
        task_id = secrets.token_hex(6)
        with self.locked:
            if self.closing:
                raise ConflictError("The session is being closed.")
            self._requests[task_id] = accepted.request
            self.note("queued", id=task_id, **accepted.to_json())
            return self.record.tasks[task_id]

    def _work(self) -> None:
        with ExitStack() as end:  # whatever fails there, the rest is done
            end.callback(self._over.set)
            end.callback(self._on_closed)
            end.callback(self._held.release)
            end.callback(self._journal.close)
            end.callback(self.note, "closed")
            end.callback(self._shared.close)
            while (task := self._next()) is not None:
                self._perform(task)

    def _next(self) -> Task | None:
        with self.locked:
            self.locked.wait_for(lambda: self.closing or self.record.queued())
            if self.closing:
                return None
            task = self.record.queued()[0]
            self.performance = Performance(self, task, CancelToken())
            self.note("started", id=task.id)
            return task

    def _perform(self, task: Task) -> None:
        performance = self.performance
        assert performance is not None
        try:
            self.exit_code = performance.run(self._request_of(task), self._shared)
        except RpentError as error:
            self.exit_code = int(error.exit_code)
            performance.failed(error.message, error.hint or "")
        except (Exception, SystemExit) as error:  # noqa: BLE001  (a bug ends the task, not the session)
            self.exit_code = 3
            performance.failed(f"{type(error).__name__}: {error}", "This is a bug.")
        finally:
            with self.locked:
                self.performance = None
            self.changed()

    def _request_of(self, task: Task) -> RunRequest:
        request = self._requests.get(task.id)
        if request is None:  # queued by an earlier process
            request = accept(
                self.base,
                task.values,
                self.registry,
                planner=task.planner,
                planner_config=task.planner_config,
            ).request
            self._requests[task.id] = request
        return replace(request, output_dir=self.folder, live=True, progress="quiet")

    def _service(self, event: Mapping[str, Any]) -> None:
        self.note(
            "service", **{name: event[name] for name in ("service", "state", "detail") if name in event}
        )
