"""What executes: one session at a time, and the earlier ones that can be gone on with."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rpent.errors import PluginError, RunDirectoryError, UsageError
from rpent.home import expanded
from rpent.plugins import registry as installed
from rpent.run.manifest import request_from_json, request_to_json
from rpent.run.request import RunRequest

from rpent_dashboard.hosting import folder
from rpent_dashboard.hosting.accepting import public_request
from rpent_dashboard.hosting.catalogue import Catalogue, models_of
from rpent_dashboard.hosting.changes import Changes
from rpent_dashboard.hosting.checking import check_base, limits_of
from rpent_dashboard.hosting.errors import ConflictError, FieldError
from rpent_dashboard.hosting.journal import Journal
from rpent_dashboard.hosting.record import Record
from rpent_dashboard.hosting.session import HostedSession
from rpent_dashboard.hosting.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent.run.resolve import Registry


class Host:
    """Holds the session of this process.

    Args:
        output_dir: Where sessions' folders are made.
        registry: Where plugins come from; the installed ones when None.
        one_session: Whether the command, and the page with it, ends with the session.
    """

    def __init__(
        self, output_dir: Path, *, registry: Registry | None = None, one_session: bool = False
    ) -> None:
        self.output_dir = expanded(output_dir)
        self.registry: Registry = registry or installed.current()
        self.changes = Changes()
        self.catalogue = Catalogue(self.registry)
        self.one_session = one_session
        self.closed = threading.Event()
        """Set when a session came to its end and no other has begun."""
        self._lock = threading.Lock()
        self._session: HostedSession | None = None
        self.described: State | None = None
        """Describes the open session."""

    @property
    def session(self) -> HostedSession:
        """The open session.

        Raises:
            ConflictError: None is open.
        """
        session = self._session
        if session is None:
            raise ConflictError("No session is open.", hint="Launch one first.")
        return session

    @property
    def is_open(self) -> bool:
        """Whether a session is open."""
        return self._session is not None

    def state(self) -> dict[str, Any] | None:
        """Return what the browser shows of the open session; None without one."""
        state = self.described
        return None if state is None else state.to_json()

    def earlier(self) -> list[dict[str, Any]]:
        """Describe the sessions of the output directory that are not open here, newest first."""
        session = self._session
        return folder.earlier(self.output_dir, without=session.name if session else "")

    def open(self, request: RunRequest) -> HostedSession:
        """Open a session whose tasks run `request` with other values; nothing is queued yet.

        Raises:
            ConflictError: One is open.
            FieldError: A value is not accepted.
            RpentError: A plugin or the output directory cannot be used.
        """
        with self._lock:
            self._refuse_second()
            if request.explore is not None:
                raise UsageError("A session of the dashboard does not explore.", hint="Use `rpent run`.")
            request = replace(request, output_dir=self.output_dir)
            check_base(request, self.registry)
            public = public_request(request, self.registry, request_to_json(request))
            held = folder.create(self.output_dir, request.robot)
            with ExitStack() as undo:
                undo.callback(held.release)
                record = Record()
                _note(held, record, "opened", robot=request.robot, request=public)
                session = self._started(held, request, record)
                undo.pop_all()
                return session

    def open_from(self, values: Mapping[str, Any]) -> HostedSession:
        """Open a session from what the launch page sent.

        Raises:
            FieldError: A value is not accepted, or is of no use here.
        """
        return self.open(self._request(values))

    def continue_(self, name: str) -> HostedSession:
        """Go on with an earlier session: its queue runs on, what was under way is interrupted.

        Raises:
            ConflictError: One is open, here or (that one) in another process.
            NotFoundError: There is none of that name.
            RpentError: What it ran cannot be run any more.
        """
        with self._lock:
            self._refuse_second()
            held = folder.hold(folder.find(self.output_dir, name))
            with ExitStack() as undo:
                undo.callback(held.release)
                record, base = self._recorded(held)
                _note(held, record, "continued", pid=os.getpid())
                session = self._started(held, base, record)
                undo.pop_all()
                return session

    def close(self, *, wait: bool = True, impatient: bool = False, reason: str = "") -> None:
        """Close the session, where one is open; what is queued stays on record."""
        session = self._session
        if session is None:
            return
        named = {"reason": reason} if reason else {}
        closing = threading.Thread(
            target=session.close, kwargs={"impatient": impatient, **named}, name="rpent-dashboard-close"
        )
        closing.start()
        if wait:
            closing.join()

    def _recorded(self, held: folder.Held) -> tuple[Record, RunRequest]:
        """Return what the journal of a session tells, and the request that its tasks have in common.

        Raises:
            RpentError: The journal does not say it, or it cannot be run any more.
        """
        unknown = f"The journal of `{held.path.name}` does not say what it runs."
        try:
            record = folder.read(held.path)
            if not record.request:
                raise RunDirectoryError(unknown)
            token = os.environ.get("RPENT_TOKEN")
            base = request_from_json(record.request, output_dir=self.output_dir, token=token)
            check_base(base, self.registry)
        except (AttributeError, KeyError, OSError, TypeError, ValueError) as error:  # whatever is in the file
            raise RunDirectoryError(unknown) from error
        return record, base

    def _started(self, held: folder.Held, base: RunRequest, record: Record) -> HostedSession:
        session = HostedSession(
            held, base, record, self.registry, self.changes.bump, on_closed=self._session_closed
        )
        self.described = State(session, self.catalogue)
        self.closed.clear()
        self._session = session
        session.start()
        self.changes.bump()
        return session

    def _session_closed(self) -> None:
        self._session = self.described = None
        self.closed.set()
        self.changes.bump()

    def _refuse_second(self) -> None:
        if self._session is not None:
            raise ConflictError(f"The session `{self._session.name}` is open.", hint="Close it first.")

    def _request(self, values: Mapping[str, Any]) -> RunRequest:
        for name in ("robot", "planner"):
            if not (isinstance(values.get(name), str) and values[name]):
                raise FieldError(f"`{name}` is missing.", field=name)
        environ = os.environ.get
        perceptor_config, service_config = self._perceptor(values)
        return RunRequest(
            robot=values["robot"],
            planner=values["planner"],
            perceptor=values.get("perceptor") or None,
            policy=values.get("policy") or None,
            robot_config=dict(values.get("robot_config") or {}),
            planner_config=dict(values.get("planner_config") or {}),
            perceptor_config=perceptor_config,
            perceptor_service_config=service_config,
            policy_config=dict(values.get("policy_config") or {}),
            output_dir=self.output_dir,
            limits=limits_of(values.get("limits") or {}),
            endpoints=dict(values.get("endpoints") or {}),
            record_video=bool(values.get("video", True)),
            memory=bool(values.get("memory", False)),
            transport=environ("RPENT_TRANSPORT"),
            env_python=environ("RPENT_ENV_PYTHON"),
            token=environ("RPENT_TOKEN"),
            pythons={
                service: python
                for service, name in (
                    ("vla", "RPENT_POLICY_PYTHON"),
                    ("perception", "RPENT_PERCEPTION_PYTHON"),
                )
                if (python := environ(name))
            },
        )

    def _perceptor(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the values for the perceptor and those for its service, which have one form."""
        given = dict(values.get("perceptor_config") or {})
        name = values.get("perceptor")
        if not given or not name:
            return given, {}
        try:
            spec = self.registry.get("perceptors", name)
        except PluginError as error:
            raise FieldError(error.message, hint=error.hint, field="perceptor") from error
        models = models_of(spec)
        own = set(models[0].model_fields) if spec.config else set()
        served = set(models[-1].model_fields) if spec.service is not None and spec.service.config else set()
        return (
            {name: value for name, value in given.items() if name in own or name not in served},
            {name: value for name, value in given.items() if name in served},
        )


def _note(held: folder.Held, record: Record, kind: str, **values: Any) -> None:
    """Write the first entry of this process, and take it in."""
    journal = Journal(held.path)
    try:
        record.apply(journal.append(kind, **values))
        if journal.problem is not None:
            raise journal.problem
    finally:
        journal.close()
