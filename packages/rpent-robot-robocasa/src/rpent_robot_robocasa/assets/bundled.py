"""The assets that the simulator's package brings itself: layouts, styles, registries, small models."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BUNDLED = "models/assets"
"""Where they are in the package."""


def copy_bundled(package: Path, folder: Path) -> None:
    """Copy them into an assets folder; files that are there are replaced.

    Args:
        package: The package `robocasa`.
        folder: Where they go.

    Raises:
        OSError: The first file that cannot be written; `shutil.copytree` would go on and tell of every one.
    """
    source = package / BUNDLED
    for file in sorted(source.rglob("*")):
        name = file.relative_to(source)
        if not file.is_file() or file.suffix == ".py" or "__pycache__" in name.parts:
            continue
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
