"""Python's own audit events: a refusal in words, before the kernel's, and all there is where the kernel offers nothing.

It is no fence by itself: code that reaches C gets around it.
"""

from __future__ import annotations

import os
import sys
from typing import Any

_PREFIXES = (
    "socket.",
    "subprocess.",
    "shutil.",
    "ftplib.",
    "http.",
    "urllib.",
    "smtplib.",
    "tempfile.",
    "pty.",
    "sqlite3.",
)
_EVENTS = (
    "os.chdir os.chflags os.chmod os.chown os.exec os.fork os.forkpty os.kill os.killpg os.link os.lockf os.mkdir "
    "os.posix_spawn os.putenv os.remove os.removexattr os.rename os.rmdir os.setxattr os.spawn os.startfile os.symlink "
    "os.system os.truncate os.unsetenv os.utime signal.pthread_kill resource.prlimit resource.setrlimit fcntl.flock "
    "fcntl.lockf ctypes.dlopen ctypes.dlsym ctypes.string_at ctypes.wstring_at mmap.__new__ sys.addaudithook "
    "webbrowser.open winreg.CreateKey"
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def watch() -> None:
    """Refuse, for good, what a sealed worker has given up."""
    refused = frozenset(_EVENTS.split())
    prefixes, writing = _PREFIXES, _WRITING

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            if _writes(arguments, writing):
                raise PermissionError(f"a sealed worker writes no files (`{str(arguments[0])[:100]}`)")
        elif event in refused or event.startswith(prefixes):
            raise PermissionError(f"a sealed worker may not do `{event}`")

    sys.addaudithook(hook)


def _writes(arguments: tuple[Any, ...], writing: int) -> bool:
    """Whether an `open` (path, mode, flags) is for writing; a descriptor that is open already is none."""
    path, mode, flags = arguments
    if isinstance(path, int):
        return False
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(isinstance(flags, int) and flags & writing)
