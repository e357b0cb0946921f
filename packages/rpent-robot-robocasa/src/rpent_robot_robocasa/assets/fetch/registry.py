"""The simulator's own registry of downloads, read as data by its own interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from rpent_robot_robocasa.assets.package import SimulatorPackage

TIMEOUT_S = 120.0
_MARK = "registry:"
_READ = f"""
import json
from robocasa.scripts.download_kitchen_assets import DOWNLOAD_ASSET_REGISTRY as registry
print()
print({_MARK!r} + json.dumps({{name: [entry["url"], str(entry["folder"])] for name, entry in registry.items()}}))
"""


@dataclass(frozen=True, slots=True)
class Download:
    """One archive of the registry."""

    name: str
    url: str
    folder: PurePosixPath
    """The folder that it brings, below the assets folder: `textures`, `objects/objaverse`."""


def read_registry(package: SimulatorPackage) -> tuple[Download, ...]:
    """Return what the simulator's downloader would fetch.

    Args:
        package: The simulator.

    Raises:
        EnvironmentSetupError: Its downloader cannot be imported, or is not the one that is known.
    """
    root = package.root / "models" / "assets"
    try:
        text = _ask(package)
        line = next(line for line in reversed(text.splitlines()) if line.startswith(_MARK))
        entries = json.loads(line.removeprefix(_MARK))
        return tuple(_download(name, url, Path(folder), root) for name, (url, folder) in entries.items())
    except (OSError, subprocess.SubprocessError, StopIteration, ValueError) as error:
        raise EnvironmentSetupError(
            f"The simulator in `{package.root}` does not say what its assets are downloaded from.",
            hint="rpent env sync --rebuild robocasa",
        ) from error


def _ask(package: SimulatorPackage) -> str:
    ended = subprocess.run(
        [_python(package.root), "-c", _READ],
        env={**os.environ, "PYTHONPATH": str(package.root.parent), "PYTHONSAFEPATH": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    return ended.stdout


def _python(root: Path) -> str:
    """Return the interpreter of the environment that a package is installed in, else this one."""
    environment = root.parents[3] if len(root.parents) > 3 else root
    python = environment / "bin" / "python"
    return str(python) if python.exists() else sys.executable


def _download(name: str, url: str, folder: Path, root: Path) -> Download:
    """Return an entry; its folder must be below the package's assets.

    Raises:
        ValueError: It is not.
    """
    return Download(name, url, PurePosixPath(folder.resolve().relative_to(root.resolve()).as_posix()))
