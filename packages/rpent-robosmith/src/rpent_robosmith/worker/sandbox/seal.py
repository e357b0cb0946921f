"""The seal: everything that a worker gives up, for good, before it touches untrusted code.

What it can do afterwards: compute, read Python's own folders and what the job named, talk to its owner over its pipe,
and use connections that were open before. What the kernel cannot forbid here is returned as sentences.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rpent_robosmith.worker.sandbox import audit, kernel, landlock, limits, seccomp, variables
from rpent_robosmith.worker.sandbox.places import readable_places
from rpent_robosmith.worker.sandbox.prepare import finish_imports

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_KERNEL = "This system is not a 64-bit Linux: reward code is only fenced in by Python."
NO_LANDLOCK = "This kernel has no Landlock: reward code could read files that you can read."
NO_SECCOMP = "This kernel has no seccomp filters: reward code could use the network and start processes."


def seal(*, readable: Sequence[str] = (), memory_bytes: int, threads: bool = False) -> tuple[str, ...]:
    """Give up writing files, reading foreign ones, network, other processes, privileges and secrets.

    Args:
        readable: Files and folders that may still be read besides Python's own.
        memory_bytes: Address space that may be taken beyond what the process has now.
        threads: Whether threads may still be started.

    Returns:
        Sentences about what could not be forbidden here; none on Linux 5.13 and later, with one thread.
    """
    finish_imports()
    places = readable_places(readable)
    others = _other_threads()
    caveats = limits.restrict(memory_bytes=memory_bytes, threads=threads)
    variables.forget_variables()
    if kernel.machine() is None:
        caveats.append(NO_KERNEL)
    else:
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.drop_capabilities()
        caveats += [*_landlock(places, others), *_seccomp(threads)]
    audit.watch()
    return tuple(caveats)


def _landlock(places: Sequence[str], others: int) -> list[str]:
    try:
        landlock.restrict(places)
    except OSError:
        return [NO_LANDLOCK]
    if others:
        were = "1 thread of a library was" if others == 1 else f"{others} threads of libraries were"
        return [f"{were} there before the seal; Landlock does not bind such threads."]
    return []


def _seccomp(threads: bool) -> list[str]:
    try:
        seccomp.restrict(threads=threads)
    except OSError:
        return [NO_SECCOMP]
    return []


def _other_threads() -> int:
    try:
        return len(os.listdir("/proc/self/task")) - 1  # noqa: PTH208 (few modules here)
    except OSError:
        return 0
