"""Where memory is kept: the user's data, which nothing deletes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rpent.home import expanded

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "RPENT_MEMORY_DIR"


def memory_root(chosen: Path | str | None = None) -> Path:
    """Return the memory directory: the one chosen, else what `RPENT_MEMORY_DIR` says, else the user's."""
    if found := chosen or os.environ.get(VARIABLE):
        return expanded(found)
    from platformdirs import user_data_path  # noqa: PLC0415 (only where no variable says it)

    return user_data_path("rpent", appauthor=False) / "memory"
