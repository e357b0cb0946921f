"""Whether a run goes on."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

from rpent.runs.directory import RunDirectory
from rpent.runs.index import is_locked

from rpent_dashboard.reading.opening import opened

if TYPE_CHECKING:
    from pathlib import Path

GRACE_S = 3.0
"""So long after the last change a run without an outcome may be one that is about to start or to be resumed."""


def is_over(run: Path) -> bool:
    """Whether nothing more is to be expected: nobody holds the run, and it ended or has been left alone."""
    if is_locked(run):
        return False
    if has_outcome(run):
        return True
    directory = RunDirectory(run)
    times = [_changed(path) for path in (run, directory.manifest, directory.events, run / ".lock")]
    return abs(time.time() - max(times)) > GRACE_S


def has_outcome(run: Path) -> bool:
    """Whether run.json says how the run ended."""
    try:
        with opened(RunDirectory(run).manifest) as file:
            values = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(values, dict) and bool(values.get("outcome"))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def stamp(path: Path) -> tuple[int, int, int] | None:
    """Return what tells one state of a file from another; None where there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116  (thousands of runs are listed)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
