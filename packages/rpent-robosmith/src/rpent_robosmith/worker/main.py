"""A worker process: it gets one job over a pipe, runs it, tells its result, and ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from rpent.errors import RpentError, UsageError
from rpent.services.prctl import die_with_parent
from rpent.specs import load_object

from rpent_robosmith.work import stream
from rpent_robosmith.worker.context import PipeContext

_FIRST_MESSAGE_BYTES = 2**31


def main(control: int, messages: int, owner: int) -> None:
    """Run the job that comes over the pipe.

    Args:
        control: Descriptor that the job and requests come from.
        messages: Descriptor that messages go to. Nothing else is ever written there: what libraries print goes to the
            standard streams, which are the owner's log.
        owner: Process id of whoever started this; when it ends, so does this.
    """
    die_with_parent(owner)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner decides what Ctrl-C means
    _be_first_when_memory_runs_out()
    job = _first_message(control)
    context = PipeContext(
        control,
        messages,
        limits=stream.codec_limits(job["message_bytes"]),
        memory_bytes=job["memory_bytes"],
    )
    try:
        result = _checked(load_object(job["run"])(job["params"], context))
        context.tell("result", **result)
    except BaseException as error:  # noqa: BLE001 (whatever it is, the owner hears of it)
        context.tell("error", **described(error))
    # Nothing of a library's (or of hostile code's) end-of-process business: the owner has all that it needs.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def described(error: BaseException) -> dict[str, Any]:
    """Return an error as plain data; one that is not expected prints its traceback into the log."""
    if isinstance(error, RpentError):
        return {
            "message": error.message,
            "hint": error.hint,
            "kind": getattr(error, "kind", "error"),
            "expected": True,
            "usage": isinstance(error, UsageError),
        }
    traceback.print_exception(error)
    kind = "memory" if isinstance(error, MemoryError) else "error"
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return {"message": f"failed with {text[:1000]}", "kind": kind, "expected": False}


def _be_first_when_memory_runs_out() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("700")


def _checked(result: object) -> dict[str, Any]:
    if not isinstance(result, dict):
        raise TypeError(f"the result of a job must be a dict, not `{type(result).__name__}`")
    return result


def _first_message(control: int) -> dict[str, Any]:
    reader = stream.Reader(control, stream.codec_limits(_FIRST_MESSAGE_BYTES))
    while True:
        for _, data in reader.read():
            return data


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
