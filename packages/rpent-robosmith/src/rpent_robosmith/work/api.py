"""Jobs: what a worker process is asked to do, and how it is fenced in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from rpent.errors import RpentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent.specs import EnvironmentSpec


class WorkError(RpentError):
    """A job failed in its worker: its own mistake, a limit that it ran into, or the end of the process."""

    def __init__(self, message: str, *, kind: str = "error", hint: str | None = None, log: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        """`error`, `timeout`, `silence`, `memory`, `killed`, `protocol`, `reward`."""
        self.log = log
        """The last lines that the worker printed, made printable; also a note that a traceback shows."""
        if log:
            self.add_note(log)


class EnoughError(Exception):
    """Raised by whoever hears a job's messages: the job is asked to end with what there is (`context.stopping()`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What a worker may use."""

    wall_s: float | None = None
    """Seconds that the whole job may take; then it is killed. Hostile code can chatter against `silence_s`, not against
    this."""
    ask_s: float | None = None
    """Seconds after which it is asked to end with what there is (`context.stopping()`)."""
    silence_s: float = 60.0
    """Seconds without a word (a worker reports at least every few seconds) that count as a hang."""
    memory_bytes: int = 6 * 2**30
    """Address space that it may take beyond what its libraries reserve."""
    message_bytes: int = 512 * 2**20
    """Largest message. A sealed worker has besides a budget of how many and how large ones it may send, see
    `rpent_robosmith.work.watch.Quota`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One thing to do in a process of its own."""

    run: str
    """Import string of `run(params, context) -> result`, both plain data and numeric arrays."""
    params: Mapping[str, Any]
    sealed: bool = False
    """Whether the process gives up files, network, processes before it touches anything untrusted (reward code, foreign
    policies): from `context.seal()` on, which the job calls once all is imported and built."""
    limits: Limits = field(default_factory=Limits)
    environments: tuple[EnvironmentSpec, ...] = ()
    """Managed environments that can run it, the default one first; where none is built, the current interpreter if it
    has what they hold. None at all: the current interpreter."""
    distribution: str = "rpent-robosmith"
    """Whose job it is; that distribution is importable in the worker."""
    sharing: tuple[str, ...] = ()
    """Other distributions that must be importable there: a third party's trainer, adapter, robot."""
    needs: tuple[str, ...] = ()
    """Top-level modules without which it cannot run; none: what the environments hold (their probes)."""
    label: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables for the worker; sealed, it has none of them any more."""


class Bench(Protocol):
    """Runs jobs."""

    def run(self, job: Job, heard: Callable[[str, Mapping[str, Any]], None] | None = None) -> dict[str, Any]:
        """Run a job to its end and return its result; the process never outlives the call.

        Args:
            job: What to do.
            heard: Called with each message of the job: its kind (`progress`, `evaluation`, `checkpoint`, ...) and data.
                `sealed` comes when the job has sealed itself, with `caveats`: sentences about what this kernel could
                not forbid. It may raise `EnoughError`; any other exception ends the worker and is passed on.

        Raises:
            WorkError: It failed, hung, was killed or ran into a limit; the message says which. What a *sealed* worker
                tells after its seal is never more than its own failure: no mistake of the user (exit code), no advice
                (hint), and none of the kinds that the owner finds out by itself.
            EnvironmentSetupError: No interpreter has what it needs.
            KeyboardInterrupt: The user interrupted; the worker is stopped.
        """
