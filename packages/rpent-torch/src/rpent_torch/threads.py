"""How many threads torch works with. Its OpenMP threads wait by spinning, which starves whatever shares the CPU.

Measured beside a busy simulator on two cores: two spinning threads made one training step 6 to 13 times and one
inference 5 to 20 times slower than a single thread did.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

VARIABLE = "OMP_NUM_THREADS"


def settle(threads: int | None = None) -> int:
    """Let torch work with few threads, and let idle ones sleep. Call it before anything else of torch.

    Args:
        threads: How many; None takes `OMP_NUM_THREADS`, else 1.

    Returns:
        The number of threads that torch uses.
    """
    wanted = threads if threads is not None else _from_environment()
    os.environ[VARIABLE] = str(wanted)
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch  # the variables above count only before this

    loaded: Any = torch
    loaded.set_num_threads(wanted)
    with contextlib.suppress(RuntimeError):  # it can be said only once, and before parallel work has begun
        loaded.set_num_interop_threads(1)
    return int(loaded.get_num_threads())


def _from_environment() -> int:
    given = os.environ.get(VARIABLE, "").partition(",")[0]
    return int(given) if given.isdigit() and int(given) > 0 else 1
