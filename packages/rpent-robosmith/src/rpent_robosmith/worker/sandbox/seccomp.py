"""seccomp: which system calls a process may still make (https://docs.kernel.org/userspace-api/seccomp_filter.html).

The filter is a small program of the kernel's BPF machine. It answers by the list in `syscalls.txt`: what is not listed
does not exist. It binds every thread of the process, also those that libraries have started before.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from importlib.resources import files
from typing import TYPE_CHECKING

from rpent_robosmith.worker.sandbox import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SECCOMP = {"x86_64": 317, "aarch64": 277}
_MODE_FILTER, _FLAG_TSYNC = 1, 1
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # <linux/audit.h>
_X32_BIT = 0x40000000

# <linux/bpf_common.h>, <linux/seccomp.h>
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

_WRITING = (
    os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | 0o20000000
)  # the last: O_TMPFILE's own
_CLONE_THREAD = 0x10000  # <linux/sched.h>
_FCNTL = (0, 1, 2, 3, 4, 1030, 1032)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ: nothing that signals others."""
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, TCGETS2: what is asked of any descriptor."""
_PRCTL = (3, 15, 16, 21, 23, 39, 0x53564D41)
"""Names of threads and memory, and questions: nothing that keeps the process alive without its parent."""

Instruction = tuple[int, int, int, int]
"""code, jump if true, jump if false, constant."""


def restrict(*, threads: bool) -> None:
    """Bind every thread of this process to the list, for good. It must have given up new privileges before.

    Args:
        threads: Whether new threads may still be started.

    Raises:
        OSError: The kernel has no filters, or refuses.
    """
    name = kernel.machine()
    assert name is not None
    instructions = program(name, pid=os.getpid(), threads=threads)
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    buffer = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: a count, padding up to the pointer.
    fprog = struct.pack("@HP", len(instructions), ctypes.addressof(buffer))
    result = kernel.syscall(_SECCOMP[name], ctypes.c_uint(_MODE_FILTER), ctypes.c_uint(_FLAG_TSYNC), fprog)
    if result:  # the id of a thread that could not be bound
        raise OSError(errno.ESRCH, f"the thread {result} has a filter of its own")


def program(machine: str, *, pid: int, threads: bool) -> list[Instruction]:
    """Return the filter for a machine (`x86_64`, `aarch64`) and the process that will be bound by it."""
    out: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_EQUAL, 1, 0, _ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if machine == "x86_64":  # the same calls under other numbers
        out += [(_JUMP_AT_LEAST, 0, 1, _X32_BIT), _error(errno.ENOSYS)]
    for name, rule, number in listed(machine):
        answer = _rule(rule, name, pid, threads)
        out += [(_JUMP_EQUAL, 0, len(answer), number), *answer]
    return [*out, _error(errno.ENOSYS)]


def listed(machine: str) -> Iterator[tuple[str, str, int]]:
    """Yield (name, rule, number) of each listed call that a machine has."""
    column = ("x86_64", "aarch64").index(machine)
    text = files("rpent_robosmith.worker.sandbox").joinpath("syscalls.txt").read_text("ascii")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, rule, *numbers = line.split()
            if numbers[column] != "-":
                yield name, rule, int(numbers[column])


def _rule(rule: str, name: str, pid: int, threads: bool) -> list[Instruction]:
    """Return what answers a call; it never falls through."""
    rules: dict[str, Callable[[], list[Instruction]]] = {
        "allow": lambda: [_allow()],
        "absent": lambda: [_error(errno.ENOSYS)],
        "refuse": lambda: [_error(errno.EPERM)],
        "open": lambda: [
            _argument(1 if name == "open" else 2),
            (_JUMP_BITS, 0, 1, _WRITING),
            _error(errno.EACCES),
            _allow(),
        ],
        "fcntl": lambda: _one_of(1, _FCNTL, errno.EPERM),
        "ioctl": lambda: _one_of(1, _IOCTL, errno.ENOTTY),
        "prctl": lambda: _one_of(0, _PRCTL, errno.EPERM),
        "own": lambda: _one_of(0, (pid,), errno.EPERM),
        "own-limits": lambda: _reading_limits(pid),
        "thread": lambda: _new_thread() if threads else [_error(errno.EPERM)],
    }
    return rules[rule]()


def _reading_limits(pid: int) -> list[Instruction]:
    """Answer `prlimit64`: no new limits (the pointer to them must be null), and only this process's."""
    return [
        _argument(2),
        (_JUMP_EQUAL, 0, 5, 0),
        _argument(2, high=True),
        (_JUMP_EQUAL, 0, 3, 0),
        _argument(0),
        (_JUMP_EQUAL, 2, 0, 0),
        (_JUMP_EQUAL, 1, 0, pid),
        _error(errno.EPERM),
        _allow(),
    ]


def _new_thread() -> list[Instruction]:
    return [_argument(0), (_JUMP_BITS, 1, 0, _CLONE_THREAD), _error(errno.EPERM), _allow()]


def _one_of(argument: int, values: tuple[int, ...], otherwise: int) -> list[Instruction]:
    count = len(values)
    tests = [(_JUMP_EQUAL, count - place, 0, value) for place, value in enumerate(values)]
    return [_argument(argument), *tests, _error(otherwise), _allow()]


def _argument(index: int, *, high: bool = False) -> Instruction:
    """Load the lower (or upper) half of an argument; both machines are little-endian."""
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * index + (4 if high else 0))


def _allow() -> Instruction:
    return (_RETURN, 0, 0, _ALLOW)


def _error(number: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | number)
