"""The simulator's package `robocasa` as files, never imported: where it is installed and in which version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.environments.paths import environment_dir
from rpent.errors import EnvironmentSetupError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ENVIRONMENT = "robocasa"
_VERSION = re.compile(r'^__version__\s*=\s*"([^"]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SimulatorPackage:
    """An installed package `robocasa`."""

    root: Path
    version: str


def find_package(folder: Path | None = None) -> SimulatorPackage:
    """Return the package in a folder that the user named, else the one in the managed environment.

    Args:
        folder: The package `robocasa` itself, a folder that holds it (`site-packages`), or a virtual environment.

    Raises:
        UsageError: The folder that was named holds none.
        EnvironmentSetupError: The managed environment is not built, or has none.
    """
    if folder is not None:
        found = _first(folder, folder / "robocasa", *folder.glob("lib/python*/site-packages/robocasa"))
        if found is None:
            raise UsageError(
                f"No package `robocasa` is in `{folder}`.",
                hint="Name the folder `robocasa` below `site-packages`, or leave the option out.",
            )
        return found
    found = managed_package()
    if found is None:
        raise EnvironmentSetupError(
            "The simulator's package `robocasa` is not installed in its managed environment, and kitchen assets are "
            "made from what it names.",
            hint=f"rpent env sync {ENVIRONMENT}",
        )
    return found


def managed_package() -> SimulatorPackage | None:
    """Return the package in the managed environment; None while that is not built."""
    venv = environment_dir(ENVIRONMENT) / "venv"
    return _first(*venv.glob("lib/python*/site-packages/robocasa"))


def _first(*folders: Path) -> SimulatorPackage | None:
    return next(_packages(folders), None)


def _packages(folders: Iterable[Path]) -> Iterator[SimulatorPackage]:
    for folder in folders:
        try:
            version = _VERSION.search((folder / "__init__.py").read_text(encoding="utf-8"))
        except OSError:
            continue
        if version and (folder / "models" / "assets").is_dir():
            yield SimulatorPackage(folder.absolute(), version[1])
