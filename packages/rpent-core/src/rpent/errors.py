"""The errors that RPent expects, and the exit codes that they end in.

An expected error is one sentence (what was wrong with which value, what is accepted) plus a hint (what to do);
the command line prints both without a traceback. Anything else is a bug and shows one.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process returns to the shell."""

    SUCCESS = 0
    """The benchmark says the task succeeded (or the command did what it was asked)."""
    TASK_FAILED = 1
    """The run ended and the benchmark does not say that the task succeeded."""
    USAGE = 2
    """The command line or a configuration value is wrong."""
    INFRASTRUCTURE = 3
    """A plugin, service, simulator, file system or network failed."""
    INTERRUPTED = 130
    """The user interrupted the run."""


class RpentError(Exception):
    """An expected error: `message` is one sentence, `hint` says what to do next."""

    exit_code: ExitCode = ExitCode.INFRASTRUCTURE
    service: str = ""
    """The name of the run's service that died, was lost or did not answer, where it is about one."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(RpentError):
    """A value that the user gave is not accepted."""

    exit_code = ExitCode.USAGE


class PluginError(RpentError):
    """A plugin that was asked for is missing, broken, incompatible or blocked."""


class EnvironmentSetupError(RpentError):
    """A managed environment or an interpreter cannot be used."""


class ServiceError(RpentError):
    """A service could not be started, did not become ready, or died."""


class TransportError(RpentError):
    """A message could not be exchanged with a service."""


class FrameError(TransportError):
    """Bytes that are not a valid, bounded RPC message."""


class ConnectionLostError(TransportError):
    """The peer is gone; whether the call took effect is not known."""


class HandshakeError(TransportError):
    """The peer answers but is not the one that is wanted: another token, protocol, service or version."""


class CallTimeoutError(TransportError):
    """No answer in time; the call may still be running and its result is kept under `request_id`.

    `service` and `method` say whose.
    """

    def __init__(
        self,
        message: str,
        *,
        request_id: str = "",
        hint: str | None = None,
        service: str = "",
        method: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.request_id = request_id
        self.service = service
        self.method = method


class CancelledCallError(TransportError):
    """The call was cancelled and ended early."""


class RemoteError(TransportError):
    """The service answered with an error. `kind` is the exception's class name on the server."""

    def __init__(self, message: str, *, kind: str = "RemoteError", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind


class ToolError(RpentError):
    """A tool call that cannot be carried out; the planner reads the message and may try again.

    `argument` is the one that is not accepted, where the call was refused for one: `xyz`, `waypoints[2].xyz`.
    """

    def __init__(self, message: str, *, hint: str | None = None, argument: str = "") -> None:
        super().__init__(message, hint=hint)
        self.argument = argument


class PolicyError(RpentError):
    """A policy's checkpoint cannot be used, or the policy cannot answer."""


class RunDirectoryError(RpentError):
    """A run directory cannot be written or read."""


class MemoryStoreError(RpentError):
    """A memory directory cannot be written or read."""


def clause(error: BaseException, *, named: bool = False) -> str:
    """Return the first line of any exception as a part of a sentence, bounded.

    Args:
        error: Of this project or of others.
        named: Whether its type comes first: `KeyError: 'steps'`.
    """
    lines = str(error).strip().splitlines()
    text = lines[0].strip().rstrip(".")[:300] if lines else ""
    kind = type(error).__name__
    return f"{kind}: {text}" if named and text else text or kind
