"""Linux's own calls that the standard library does not offer."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from functools import cache

PR_SET_NO_NEW_PRIVS = 38  # <linux/prctl.h>
_CAPABILITY_VERSION_3 = 0x20080522  # <linux/capability.h>
_CAPSET = {"x86_64": 126, "aarch64": 91}


def machine() -> str | None:
    """Return `x86_64` or `aarch64` on Linux of 64 bits, else None: there the kernel is not asked for anything."""
    name = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}.get(
        platform.machine().lower()
    )
    return name if sys.platform == "linux" and sys.maxsize > 2**32 and sys.byteorder == "little" else None


def syscall(number: int, *arguments: object) -> int:
    """Make a system call.

    Raises:
        OSError: The kernel refused.
    """
    result = int(_libc().syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise _last_error()
    return result


def prctl(option: int, *arguments: int) -> None:
    """Set an attribute of the process.

    Raises:
        OSError: The kernel refused.
    """
    given = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    if _libc().prctl(ctypes.c_int(option), *given) < 0:
        raise _last_error()


def drop_capabilities() -> None:
    """Give up every privilege of a superuser in this thread; without effect for other users.

    Raises:
        OSError: The kernel refused.
    """
    name = machine()
    assert name is not None
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    syscall(_CAPSET[name], header, (ctypes.c_uint32 * 6)())


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
