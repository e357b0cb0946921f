"""Waking up when something is written: one thread and one inotify instance for all folders that are followed."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_log = logging.getLogger(__name__)
STEP_MS = 5
"""How often the watcher looks for what the kernel reported; a change that stands alone is told after two steps."""
DEBOUNCE_MS = 20
"""The longest time that changes are gathered."""
CHECK_MS = 1000
"""How often it looks for folders that came or went."""
POLL_MS = 300
"""How often followers are woken where the kernel reports nothing."""
REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "vboxsf", "drvfs", "virtiofs"})
"""File systems that others may write without this kernel's knowledge; so are those of `fuse`."""


class Follower:
    """Waits for changes in some folders; use it as a context manager, in an event loop."""

    def __init__(self, watcher: Watcher, folders: Iterable[Path], wants: Callable[[str], bool]) -> None:
        self.folders = frozenset(map(str, folders))
        self._watcher, self._wants = watcher, wants
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def __enter__(self) -> Self:
        self._watcher.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._watcher.remove(self)

    def move(self, folders: Iterable[Path]) -> None:
        """Follow other folders from now on."""
        wanted = frozenset(map(str, folders))
        if wanted != self.folders:
            self.folders = wanted
            self._watcher.add(self)

    async def wait(self, timeout_s: float) -> bool:
        """Return True as soon as something changed since the last call, False after the timeout."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), timeout_s)
        changed = self._changed.is_set()
        self._changed.clear()
        return changed

    def tell(self, paths: Iterable[str] | None = None) -> None:
        """Wake it, from any thread, when one of the paths is its own; None: whatever it follows."""
        if paths is None or any(self._concerns(path) for path in paths):
            with suppress(RuntimeError):  # the loop was closed
                self._loop.call_soon_threadsafe(self._changed.set)

    def _concerns(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return path in self.folders or (folder in self.folders and self._wants(name))


class Watcher:
    """Watches the folders of its followers, not what is below them; idle and without a thread while it has none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._followers: set[Follower] = set()
        self._thread: threading.Thread | None = None
        self._stale = threading.Event()

    @property
    def followers(self) -> int:
        """How many wait at the moment."""
        return len(self._followers)

    def follow(self, *folders: Path, wants: Callable[[str], bool] = lambda _: True) -> Follower:
        """Return a follower of folders, which need not exist yet.

        Args:
            folders: Resolved paths.
            wants: Whether the file of this name in one of them matters.
        """
        return Follower(self, folders, wants)

    def add(self, follower: Follower) -> None:
        """Watch for a follower, or for its new folders."""
        with self._lock:
            self._followers.add(follower)
            self._stale.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="rpent-dashboard-watch", daemon=True)
                self._thread.start()

    def remove(self, follower: Follower) -> None:
        """Forget a follower; with the last one everything is released."""
        with self._lock:
            self._followers.discard(follower)
            self._stale.set()

    def _run(self) -> None:
        while True:
            with self._lock:
                self._stale.clear()
                if not self._followers:
                    self._thread = None
                    return
                followers = tuple(self._followers)
            try:
                self._watch(followers)
            except Exception:  # noqa: BLE001  (whatever the kernel's side raises, the watch is begun anew)
                _log.exception("The folders of runs cannot be watched.")
                self._stale.wait(CHECK_MS / 1000)

    def _watch(self, followers: tuple[Follower, ...]) -> None:
        """Tell these followers what changes, until they or their folders are others."""
        wanted = frozenset[str]().union(*(follower.folders for follower in followers))
        there = {folder for folder in wanted if Path(folder).is_dir()}
        notifier = _notifier(there)
        blind = there if notifier is None else {folder for folder in there if _is_remote(folder)}
        for follower in followers:
            follower.tell()  # what happened before the kernel was asked
        due = time.monotonic() + CHECK_MS / 1000
        try:
            while not self._stale.is_set():
                changes = self._changes(notifier, POLL_MS if blind else CHECK_MS)
                for follower in followers:
                    if changes:
                        follower.tell(changes)
                    if blind & follower.folders:
                        follower.tell()
                if not changes.isdisjoint(there):  # one of the folders itself came or went
                    return
                if time.monotonic() > due:
                    due = time.monotonic() + CHECK_MS / 1000
                    if there != {folder for folder in wanted if Path(folder).is_dir()}:
                        return
        finally:
            if notifier is not None:
                notifier.close()

    def _changes(self, notifier: Any, timeout_ms: int) -> set[str]:
        if notifier is None:
            self._stale.wait(timeout_ms / 1000)
            return set()
        found = notifier.watch(DEBOUNCE_MS, STEP_MS, timeout_ms, self._stale)
        return {path for _, path in found} if isinstance(found, set) else set()


def _notifier(folders: Iterable[str]) -> Any:
    """Ask the kernel; None where it refuses (no inotify, too many watches)."""
    with suppress(OSError, RuntimeError, ImportError, TypeError):
        # What is under `watchfiles.watch()`, which does not say when it has begun to watch.
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415

        return RustNotify(sorted(folders), False, False, POLL_MS, False, True)
    return None


def _is_remote(folder: str) -> bool:
    """Whether the kernel may not know of every change below a folder."""
    kind, longest = "", -1
    with suppress(OSError):
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, point, found, *_ = line.split(" ")
            if len(point) > longest and (folder == point or folder.startswith(point.rstrip("/") + "/")):
                kind, longest = found, len(point)
    return kind in REMOTE or kind.startswith("fuse.")
