"""Which files and folders a sealed process may still read: Python's own, and what its libraries look up."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
)
"""Shared libraries, time zones, and what libraries ask of the machine. Nothing of `/proc` that belongs to a process."""


def readable_places(more: Iterable[str] = ()) -> list[str]:
    """Return absolute paths, each once, sorted.

    A folder of Python's that holds the user's home (a `sys.path` entry `/`, say) is left out: everything in it would be
    readable.

    Args:
        more: Files and folders that the job needs besides.
    """
    asked = {os.path.realpath(path) for path in more}
    own = {os.path.realpath(path) for path in _python_places() if path and os.path.exists(path)}  # noqa: PTH110
    return sorted(asked | {path for path in own if not _holds_home(path)} | set(_SYSTEM))


def _python_places() -> Iterator[str]:
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    yield from (
        path for name, path in sysconfig.get_paths().items() if name in {"stdlib", "purelib", "platlib"}
    )
    for entry in sys.path:
        yield entry
        yield from _linked(entry)
    for module in list(
        sys.modules.values()
    ):  # packages that an import hook found elsewhere (editable installs)
        if module is not None and "." not in getattr(module, "__name__", "."):
            yield from _folders(getattr(module, "__path__", ()))


def _folders(path: object) -> Iterator[str]:
    try:
        yield from (str(part) for part in path)  # type: ignore[attr-defined]
    except Exception:  # noqa: BLE001  (a module's own idea of a path)
        return


def _linked(folder: str) -> Iterator[str]:
    """Yield what the links in a folder of `sys.path` point to: RPent's overlays are such folders."""
    try:
        with os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if entry.is_symlink())
    except OSError:
        return


def _holds_home(path: str) -> bool:
    home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111
    return home == path or home.startswith(path.rstrip("/") + "/")
