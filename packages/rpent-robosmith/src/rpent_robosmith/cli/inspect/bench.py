"""The bench of commands that make environments: worker processes, and env servers for the robots that need one."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.work.served import ServingBench


@contextmanager
def bench_for(python: str | None) -> Iterator[ServingBench]:
    """Yield a bench; its env servers, and their logs, are gone afterwards.

    Args:
        python: The interpreter that the user chose for workers.
    """
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from rpent_robosmith.work.bench import ProcessBench
    from rpent_robosmith.work.served import ServingBench

    with (
        TemporaryDirectory(prefix="rpent-smith-") as logs,
        ServingBench(ProcessBench(python=python), logs=Path(logs)) as bench,
    ):
        yield bench
