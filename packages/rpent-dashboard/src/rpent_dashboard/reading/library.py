"""The runs below an output directory."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from anyio import sleep
from anyio.to_thread import run_sync
from rpent.home import expanded
from rpent.runs.index import is_locked

from rpent_dashboard.reading.keys import SEPARATOR, MissingError, is_group, run_of
from rpent_dashboard.reading.liveness import stamp
from rpent_dashboard.reading.newest import thumbnail
from rpent_dashboard.reading.query import facets, matching, ordered
from rpent_dashboard.reading.rows import row_of
from rpent_dashboard.reading.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from rpent_dashboard.reading.query import Query
    from rpent_dashboard.reading.rows import Row

QUIET_S = 0.5
"""The library is said to have changed at most this often."""
LOOK_S = 5.0
"""How often running runs are looked at when nothing is reported: a process that is killed reports nothing."""
IDLE_S = 60.0
"""The same where nothing runs."""
WATCHED = 200
"""So many of the newest runs are watched, beside the running ones: an ended run may be resumed."""


@dataclass(slots=True)
class _Known:
    stamp: Any = None
    events_stamp: Any = None
    row: Row | None = None
    picture_stamp: Any = None
    picture: dict[str, str] | None = None


class Library:
    """Reads the runs; what it read is kept as long as the files are the same.

    Args:
        output_dir: Where the runs are; it need not exist yet.
    """

    def __init__(self, output_dir: Path) -> None:
        self.output_dir = expanded(output_dir).resolve()
        self.watcher = Watcher()
        """For those who follow one run."""
        self._index_watcher = Watcher()
        self._known: dict[str, _Known] = {}
        self._lock = Lock()

    def run(self, key: str) -> Path:
        """Return the folder of a run.

        Raises:
            MissingError: There is none.
        """
        return run_of(key, self.output_dir)

    def row(self, run: Path) -> Row:
        """Describe one run.

        Raises:
            MissingError: It is gone.
        """
        with self._lock:
            row = self._row(str(run))
        if row is None:
            raise MissingError("There is no such run.", hint="The library lists the runs.")
        return self._pictured(row)

    def rows(self) -> list[Row]:
        """Describe all runs, the newest first, without their pictures."""
        with self._lock:
            folders = list(_folders(self.output_dir))
            rows = [row for folder in folders if (row := self._row(folder)) is not None]
            for gone in self._known.keys() - set(folders):
                del self._known[gone]
        return sorted(rows, key=lambda row: (row.created or 0.0, row.name), reverse=True)

    def page(self, query: Query, offset: int, limit: int) -> dict[str, Any]:
        """Return the runs that a query asks for, from `offset` on, and what one can filter by."""
        problem = (
            "" if self.output_dir.is_dir() else "There are no runs yet: the output directory does not exist."
        )
        rows = self.rows()
        found = ordered(matching(rows, query), query)
        return {
            "total": len(found),
            "runs": [self._pictured(row).to_json() for row in found[offset : offset + limit]],
            "facets": facets(rows, query),
            "problem": problem,
        }

    async def changes(self) -> AsyncIterator[None]:
        """Yield whenever runs appeared, disappeared, began, ended or were resumed."""
        before = await run_sync(self._shown)
        with self._index_watcher.follow(self.output_dir, wants=_matters) as follower:
            yield  # what happened before somebody listened
            while True:
                follower.move(await run_sync(self._watched, before))
                running = any(state == "running" for _, state, _ in before.values())
                await follower.wait(LOOK_S if running else IDLE_S)
                if (now := await run_sync(self._shown)) != before:
                    before = now
                    yield
                await sleep(QUIET_S)

    def _shown(self) -> dict[str, tuple[Any, ...]]:
        """Return what tells one state of the library from another, the newest run first."""
        return {
            row.key: (stamp(Path(self._path(row), "run.json")), row.state, row.has_video)
            for row in self.rows()
        }

    def _watched(self, shown: dict[str, tuple[Any, ...]]) -> list[Path]:
        """Return the folders in which something may happen: new and running runs, groups, and what may become a run."""
        folders = [self.output_dir]
        for number, (key, (_, state, _)) in enumerate(shown.items()):
            folder = self.output_dir.joinpath(*key.split(SEPARATOR))
            folders.append(folder.parent)
            if number < WATCHED or state == "running":
                folders.append(folder)
        return [*folders, *_newest(_others(self.output_dir))]

    def _path(self, row: Row) -> str:
        return str(self.output_dir / row.name)

    def _row(self, folder: str) -> Row | None:
        """Describe a run, from memory where its run.json is the same."""
        run = Path(folder)
        known = self._known.setdefault(folder, _Known())
        now = stamp(run / "run.json")
        if known.row is not None and known.stamp == now and self._still(run, known):
            return known.row
        known.stamp, known.events_stamp = now, stamp(run / "events.jsonl")
        try:
            known.row = row_of(run, self.output_dir)
        except OSError:  # it was deleted meanwhile
            known.row = None
        return known.row

    def _still(self, run: Path, known: _Known) -> bool:
        """Whether a row is right as long as run.json is the same."""
        state = known.row.state if known.row else ""
        if state in {"ended", ""}:
            return state == "ended"
        if (state == "running") != is_locked(run):
            return False
        return state == "running" or known.events_stamp == stamp(run / "events.jsonl")

    def _pictured(self, row: Row) -> Row:
        folder = self._path(row)
        known = self._known.get(folder)
        now = stamp(Path(folder, "events.jsonl"))
        if known is None:
            return replace(row, thumbnail=thumbnail(Path(folder)))
        if known.picture_stamp != (now,):
            known.picture, known.picture_stamp = thumbnail(Path(folder)), (now,)
        return replace(row, thumbnail=known.picture)


def _matters(name: str) -> bool:
    """Whether a file or folder of this name, in the output directory or in a run, can change a row."""
    return name == "run.json" or not name.endswith((".jsonl", ".json", ".mp4", ".tmp"))


def _folders(output_dir: Path) -> Iterator[str]:
    """Yield the folders of the runs, those of groups too."""
    for folder in _subfolders(str(output_dir)):
        if _is_run(folder):
            yield folder
        elif is_group(Path(folder).name):
            yield from (inner for inner in _subfolders(folder) if _is_run(inner))


def _others(output_dir: Path) -> Iterator[str]:
    """Yield the folders that are no runs, or not yet: a run's folder is made before its files; groups are some."""
    for folder in _subfolders(str(output_dir)):
        if not _is_run(folder):
            yield folder
            if is_group(Path(folder).name):
                yield from (inner for inner in _subfolders(folder) if not _is_run(inner))


def _newest(folders: Iterable[str]) -> list[Path]:
    """Return those that changed last."""
    times = {folder: (stamp(Path(folder)) or (0,))[0] for folder in folders}
    return [
        Path(folder) for folder in sorted(times, key=lambda folder: times[folder], reverse=True)[:WATCHED]
    ]


def _subfolders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _is_run(folder: str) -> bool:
    return any(Path(folder, name).exists() for name in ("run.json", "events.jsonl"))
