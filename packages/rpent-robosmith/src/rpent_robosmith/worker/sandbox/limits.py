"""What a sealed process may use: memory, descriptors, no files."""

from __future__ import annotations

import contextlib
from pathlib import Path

_DESCRIPTORS = 256


def restrict(*, memory_bytes: int, threads: bool) -> list[str]:
    """Lower this process's limits for good.

    Args:
        memory_bytes: Address space that it may take beyond what it has now.
        threads: Whether new threads may still be started.

    Returns:
        Sentences about limits that this system does not have.
    """
    try:
        import resource  # noqa: PLC0415 (absent on some systems)
    except ImportError:
        return ["This system cannot limit the memory of a process."]
    caveats = []
    wanted = {
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": _DESCRIPTORS,
        **({} if threads else {"RLIMIT_NPROC": 0}),
    }
    taken = address_space_bytes()
    if taken is None:
        caveats.append("This system cannot limit the memory of a process exactly; it is only watched.")
    else:
        wanted["RLIMIT_AS"] = taken + memory_bytes
    for name, value in wanted.items():
        with contextlib.suppress(AttributeError, ValueError, OSError):
            number = getattr(resource, name)
            hard = resource.getrlimit(number)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)  # noqa: PLW2901
            resource.setrlimit(number, (value, value))
    return caveats


def address_space_bytes() -> int | None:
    """Return the address space that this process has taken; None where the system does not say."""
    try:
        import resource  # noqa: PLC0415

        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None
