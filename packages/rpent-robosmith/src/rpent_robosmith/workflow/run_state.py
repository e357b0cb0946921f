"""`run_state.json`: where a run is, for people; there from the first moment, in one shape from then on."""

from __future__ import annotations

import json
import os
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError
from rpent.errors import RunDirectoryError, clause
from rpent.runs.files import unwritable, write_atomic

from rpent_robosmith.data import Data

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.workflow.state import NodeName, RunState

RUN_STATE = "run_state.json"
VERSION = 1
HEARTBEAT_S = 5.0
"""How often it is written while a node is at work."""
Status = Literal["running", "interrupted", "succeeded", "failed"]
STATUSES: tuple[Status, ...] = ("running", "interrupted", "succeeded", "failed")


class Process(Data):
    """One process that worked on the run."""

    pid: int
    started: datetime
    updated: datetime
    """Its last sign of life; all times are UTC."""
    first_node: str | None = None

    @property
    def seconds(self) -> float:
        """How long it worked, as far as is known."""
        return max(0.0, (self.updated - self.started).total_seconds())


class RunRecord(Data):
    """What `run_state.json` holds."""

    version: int = VERSION
    run_id: str
    sentence: str
    status: Status
    detail: str = ""
    hint: str = ""
    node: str | None = None
    """The one at work, or that a resume begins with; None once the run has ended."""
    iteration: int = 1
    pid: int
    created: datetime
    updated: datetime
    ended: datetime | None = None
    processes: tuple[Process, ...]
    environment: str | None = None
    algorithm: str | None = None
    accepted: bool | None = None
    """Whether the delivered policy is accepted; None while nothing was delivered."""
    caveats: tuple[str, ...] = ()
    """What limits the run's protection or evidence."""
    versions: dict[str, str] = {}

    @property
    def seconds(self) -> float:
        """How long its processes worked together."""
        return sum(process.seconds for process in self.processes)


def now() -> datetime:
    """Return the time, with its zone."""
    return datetime.now(UTC).replace(microsecond=0)


def read_record(folder: Path) -> RunRecord:
    """Read a run's record.

    Raises:
        RunDirectoryError: There is none, or it is damaged.
    """
    path = folder / RUN_STATE
    try:
        return RunRecord.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        raise RunDirectoryError(f"`{folder}` is no run of RoboSmith: it has no `{RUN_STATE}`.") from None
    except (OSError, ValueError, ValidationError, RecursionError) as error:
        raise RunDirectoryError(f"`{path}` cannot be read: {clause(error)}.") from error


class Keeper:
    """Keeps `run_state.json` up to date for one process of a run."""

    def __init__(self, folder: Path, record: RunRecord) -> None:
        self._folder = folder
        self.record = record
        self._written = 0.0
        self._lock = threading.RLock()  # jobs at the same time may each have a caveat

    @classmethod
    def begin(cls, folder: Path, state: RunState, *, versions: dict[str, str]) -> Keeper:
        """Begin with a process that works on the run from now on, and write the record.

        Raises:
            RunDirectoryError: The file system refuses.
        """
        at, pid = now(), os.getpid()
        earlier = None
        if (folder / RUN_STATE).exists():
            try:
                earlier = read_record(folder)
            except RunDirectoryError:
                earlier = None  # rewritten whole; the checkpoint is what counts
        process = Process(pid=pid, started=at, updated=at, first_node=state.next_node)
        record = RunRecord(
            run_id=state.run_id,
            sentence=state.task.sentence,
            status="running",
            pid=pid,
            created=earlier.created if earlier else at,
            updated=at,
            processes=(*(earlier.processes if earlier else ()), process),
            caveats=earlier.caveats if earlier else (),
            versions=versions,
        )
        keeper = cls(folder, record)
        keeper.working(state, state.next_node)
        return keeper

    def working(self, state: RunState, node: NodeName | None) -> None:
        """Say that a node begins."""
        self._write(
            status="running",
            node=node,
            iteration=state.iteration,
            environment=state.entry.id if state.entry else state.task.environment,
            algorithm=state.algorithm or state.task.algorithm,
        )

    def alive(self) -> None:
        """Say that the process still works; written at most every few seconds."""
        if time.monotonic() - self._written > HEARTBEAT_S:
            self._write()

    def caveat(self, text: str) -> None:
        """Note what limits the run's protection or evidence, once."""
        with self._lock:
            if text not in self.record.caveats:
                self._write(caveats=(*self.record.caveats, text))

    def ended(
        self, status: Status, *, detail: str = "", hint: str = "", accepted: bool | None = None, **more: Any
    ) -> None:
        """Say how the process ended."""
        self._write(status=status, detail=detail, hint=hint, accepted=accepted, ended=now(), **more)

    def _write(self, **changes: Any) -> None:
        with self._lock:
            self._write_now(changes)

    def _write_now(self, changes: dict[str, Any]) -> None:
        at = now()
        *earlier, last = self.record.processes
        last = last.model_copy(update={"updated": at})
        self.record = self.record.model_copy(update={**changes, "updated": at, "processes": (*earlier, last)})
        path = self._folder / RUN_STATE
        try:
            write_atomic(path, self.record.model_dump_json(indent=2).encode() + b"\n")
        except OSError as error:
            raise unwritable(path, error) from error
        self._written = time.monotonic()
