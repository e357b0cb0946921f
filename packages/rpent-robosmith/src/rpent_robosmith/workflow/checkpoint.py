"""`checkpoint.json`: the whole typed state after every node, hashed, written atomically, the one before kept.

The document is `{"format", "version", "sha256", "state"}`; the hash is of the state as canonical JSON (sorted keys, no
spaces, UTF-8). A kill at any moment leaves at least one readable checkpoint behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.errors import RunDirectoryError, clause
from rpent.runs.files import unwritable

from rpent_robosmith.durable import write_durably
from rpent_robosmith.workflow.state import SCHEMA_VERSION, RunState

if TYPE_CHECKING:
    from pathlib import Path

CHECKPOINT = "checkpoint.json"
PREVIOUS = "checkpoint.previous.json"
DAMAGED = "checkpoint.damaged.json"
FORMAT = "rpent-robosmith-checkpoint"
VERSION = 1
"""Of the document around the state; the state has a version of its own."""


class CheckpointError(RunDirectoryError):
    """A checkpoint cannot be used."""


class _DamagedError(CheckpointError):
    """This one is damaged; the one before may do."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A state that was read, and whether it is the latest."""

    state: RunState
    warning: str = ""
    """Why the checkpoint before the last one was taken."""


def save(folder: Path, state: RunState) -> None:
    """Write `checkpoint.json`, and keep the one before as `checkpoint.previous.json`.

    Raises:
        RunDirectoryError: The file system refuses.
    """
    path = folder / CHECKPOINT
    try:
        _keep(path, folder / PREVIOUS)
        write_durably(path, _document(state))
    except OSError as error:
        raise unwritable(path, error) from error


def ensure(folder: Path, state: RunState) -> None:
    """Write the first checkpoint of a run that has none yet.

    Raises:
        RunDirectoryError: The file system refuses.
    """
    if not (folder / CHECKPOINT).exists():
        save(folder, state)


def load(folder: Path) -> Loaded:
    """Read the latest checkpoint that is whole.

    Raises:
        CheckpointError: There is none, both are damaged, or it is of a version that is not known.
    """
    if not (folder / CHECKPOINT).exists() and not (folder / PREVIOUS).exists():
        raise CheckpointError(f"`{folder}` has no checkpoint: `{CHECKPOINT}` does not exist.")
    try:
        return Loaded(_read(folder / CHECKPOINT))
    except _DamagedError as error:
        damage = error.message
    try:
        state = _read(folder / PREVIOUS)
    except _DamagedError as error:
        raise CheckpointError(
            f"{damage} The one before it cannot be used either: {error.message}",
            hint="Start the run anew: `reproduce.sh` in its folder, or `rpent smith run` with the same sentence.",
        ) from None
    return Loaded(
        state, f"{damage} The one before it is used: what came after node `{_where(state)}` is done again."
    )


def recover(folder: Path) -> Loaded:
    """Read as `load` does, and set a damaged file aside, so that it never takes the place of the one before."""
    loaded = load(folder)
    if loaded.warning:
        with suppress(OSError):
            (folder / CHECKPOINT).replace(folder / DAMAGED)
    return loaded


def _keep(path: Path, previous: Path) -> None:
    if not path.exists():
        return
    temporary = previous.with_name(f".{previous.name}.tmp")
    temporary.unlink(missing_ok=True)
    try:
        os.link(path, temporary)
    except OSError:  # a file system without hard links
        shutil.copyfile(path, temporary)
    temporary.replace(previous)


def _document(state: RunState) -> bytes:
    plain = state.plain()
    document = {"format": FORMAT, "version": VERSION, "sha256": _digest(plain), "state": plain}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _digest(state: Any) -> str:
    text = json.dumps(state, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path) -> RunState:
    document = _parsed(path)
    for name, version, known in (
        ("document", document.get("version"), VERSION),
        ("state", _version_of(document.get("state")), SCHEMA_VERSION),
    ):
        if version != known:
            raise CheckpointError(
                f"`{path}` is of {name} version `{version}`, and this rpent-robosmith reads version {known}.",
                hint="Resume it with the version that wrote it: `run_state.json` names it.",
            )
    if _digest(document["state"]) != document.get("sha256"):
        raise _DamagedError(f"`{path}` is damaged: its content does not have the hash that it names.")
    try:
        return RunState.model_validate(document["state"])
    except ValidationError as error:
        raise _DamagedError(f"`{path}` does not hold a state: {clause(error)}.") from error


def _parsed(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise _DamagedError(f"`{path}` does not exist.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise _DamagedError(f"`{path}` is damaged: {clause(error)}.") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _DamagedError(f"`{path}` is no checkpoint of a RoboSmith run.")
    return document


def _version_of(state: Any) -> Any:
    return state.get("version") if isinstance(state, dict) else None


def _where(state: RunState) -> str:
    return (
        f"{state.history[-1].node}` of iteration `{state.history[-1].iteration}" if state.history else "start"
    )
