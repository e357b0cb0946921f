"""The runs of a folder: new ones, finding them by id or prefix, and how each of them stands."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError, RunDirectoryError, UsageError
from rpent.home import expanded
from rpent.runs.files import unwritable
from rpent.suggest import did_you_mean, listing

from rpent_robosmith.workflow.run_state import RUN_STATE, RunRecord, read_record

if TYPE_CHECKING:
    from pathlib import Path

_ID = re.compile(r"[a-z0-9][a-z0-9_.-]*\Z")
_WORDS_IN_ID = 4
_STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "of",
        "to",
        "it",
        "its",
        "is",
        "in",
        "on",
        "with",
        "that",
        "this",
        "for",
        "please",
        "train",
        "make",
        "keep",
    ]
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSummary:
    """One run of a folder."""

    run_id: str
    path: Path
    status: str
    """As in `run_state.json`; `interrupted` where its process was killed, `damaged` where it cannot be read."""
    record: RunRecord | None = None
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        record = self.record.plain() if self.record else {}
        return {
            **record,
            "run_id": self.run_id,
            "path": str(self.path),
            "status": self.status,
            "problem": self.problem,
        }


def slug(sentence: str) -> str:
    """Return the first words of a sentence that say something, for a folder's name."""
    words = [word for word in re.findall(r"[a-z0-9]+", sentence.lower()) if word not in _STOP_WORDS]
    return "-".join(words[:_WORDS_IN_ID])[:40].strip("-") or "run"


def new_run(runs_dir: Path, sentence: str) -> Path:
    """Make the folder of a new run, named after its sentence and numbered.

    Raises:
        RunDirectoryError: The file system refuses.
    """
    runs_dir = expanded(runs_dir)
    name = slug(sentence)
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        for number in range(1, 100_000):
            folder = runs_dir / f"{name}-{number:03d}"
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        refused = unwritable(runs_dir, error)
        refused.hint = "Check the free space and permissions, or choose another place with `--runs-dir`."
        raise refused from error
    raise RunDirectoryError(
        f"`{runs_dir}` is full of runs named `{name}`.", hint="Remove some: `rpent smith runs remove`."
    )


def find_run(name: str, runs_dir: Path) -> Path:
    """Return the folder of the run that an id, or the beginning of one id, names.

    Raises:
        UsageError: There is none, several begin so, or the name holds parts of a path.
    """
    if _ID.match(name) is None:
        raise UsageError(
            f"`{name}` is no run id: these are lower-case letters, digits, `-`, `_` and `.`, without parts of a path.",
            hint="`rpent smith runs list` shows them; `--runs-dir` says where they are.",
        )
    known = {run.name: run for run in _folders(runs_dir)}
    if name in known:
        return known[name]
    matches = [run for run in known if run.startswith(name)]
    if len(matches) == 1:
        return known[matches[0]]
    if matches:
        raise UsageError(
            f"Several runs begin with `{name}`: {listing(matches)}.", hint="Give more of the id."
        )
    raise UsageError(
        f"No run in `{runs_dir}` is named `{name}`{did_you_mean(name, known)}",
        hint="`rpent smith runs list` shows them; `--runs-dir` names another folder.",
    )


def list_runs(runs_dir: Path) -> list[RunSummary]:
    """Return the runs, the newest first; none where the folder does not exist."""
    found = [summary(path) for path in _folders(runs_dir)]
    known = sorted((run for run in found if run.record), key=_age, reverse=True)
    return [*known, *(run for run in found if not run.record)]


def summary(folder: Path) -> RunSummary:
    """Say how a run stands."""
    try:
        record = read_record(folder)
    except RpentError as error:
        return RunSummary(run_id=folder.name, path=folder, status="damaged", problem=error.message)
    status = record.status
    if status == "running" and not is_locked(folder):
        status = "interrupted"
    return RunSummary(run_id=folder.name, path=folder, status=status, record=record)


def is_locked(folder: Path) -> bool:
    """Whether a process works on a run at this moment."""
    try:
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def remove_run(folder: Path) -> None:
    """Delete a run with everything in it.

    Raises:
        RunDirectoryError: A process works on it, or the file system refuses.
    """
    from rpent.run.lock import RunLock  # noqa: PLC0415  (brings the whole of core's run)

    with RunLock(folder):
        going = folder.with_name(
            f".{folder.name}.removed"
        )  # at once, so that no half of a run is ever listed
        try:
            shutil.rmtree(going, ignore_errors=True)
            folder.rename(going)
            shutil.rmtree(going)
        except OSError as error:
            raise RunDirectoryError(f"`{folder}` cannot be removed: {error.strerror or error}.") from error


def _folders(runs_dir: Path) -> list[Path]:
    runs_dir = expanded(runs_dir)
    if not runs_dir.is_dir():
        return []
    return sorted(
        path for path in runs_dir.iterdir() if (path / RUN_STATE).is_file() and not path.is_symlink()
    )


def _age(run: RunSummary) -> tuple[Any, str]:
    assert run.record is not None
    return run.record.created, run.run_id
