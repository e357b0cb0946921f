"""Landlock: which files a process may still touch (https://docs.kernel.org/userspace-api/landlock.html)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from typing import TYPE_CHECKING

from rpent_robosmith.worker.sandbox import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

# Numbers of the calls are the same on every architecture. The rest: <linux/landlock.h>.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_VERSION = 1
_RULE_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = (0, 13, 14, 15, 15, 16)
"""Rights over files that the versions 1, 2, … know: that many lowest bits."""
_NET_RIGHTS = 0b11
_SCOPES = 0b11


def version() -> int:
    """Return the version of Landlock that the kernel offers; 0 where it has none or has it switched off."""
    try:
        return kernel.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_CREATE_VERSION))
    except OSError:
        return 0


def restrict(readable: Iterable[str]) -> None:
    """Let this thread, and those that it starts, read these files and folders, and touch no other for good.

    Files cannot be written, made, removed or executed anywhere; from version 4 on no TCP port can be used, from version
    6 on no process outside can be signalled. The thread must have given up new privileges before.

    Raises:
        OSError: The kernel has no Landlock, or refuses.
    """
    known = version()
    attributes = _attributes(known)
    ruleset = kernel.syscall(
        _CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    )
    try:
        for path in readable:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                _allow(ruleset, path)
        kernel.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _attributes(known: int) -> bytes:
    """Return `struct landlock_ruleset_attr`, as long as the kernel's version knows it."""
    files = (1 << _FILE_RIGHTS[min(known, len(_FILE_RIGHTS) - 1)]) - 1
    fields = [files]
    if known >= 4:
        fields.append(_NET_RIGHTS)
    if known >= 6:
        fields.append(_SCOPES)
    return struct.pack(f"={len(fields)}Q", *fields)


def _allow(ruleset: int, path: str) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = _READ_FILE | (_READ_DIR if os.path.isdir(path) else 0)  # noqa: PTH112 (few modules here)
        beneath = struct.pack("=Qi", rights, descriptor)
        kernel.syscall(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_RULE_PATH_BENEATH),
            beneath,
            ctypes.c_uint32(0),
        )
    finally:
        os.close(descriptor)
