"""A folder of links that makes the agent's rpent distributions importable in another interpreter.

A service must speak the agent's version of everything, whatever is installed beside its simulator. So its
interpreter gets a `PYTHONPATH` entry with links to the agent's packages and their `.dist-info` folders; the
rest of the agent's site-packages stays out of sight.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.environments.paths import cache_dir, make_dir, unwritable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.environments.distributions import LinkedDistribution


def overlay(linked: Sequence[LinkedDistribution]) -> Path:
    """Return a folder with links to these distributions; made once for each set of targets, and then reused.

    Raises:
        EnvironmentSetupError: The cache cannot be written.
    """
    links = _links(linked)
    digest = hashlib.sha256("\n".join(f"{name}\0{target}" for name, target in sorted(links.items())).encode())
    folder = cache_dir() / "overlays" / digest.hexdigest()[:16]
    if not folder.is_dir():
        make_dir(folder.parent)
        try:
            _make(folder, links)
        except OSError as error:
            raise unwritable(folder.parent, error) from error
    return folder


def _links(linked: Sequence[LinkedDistribution]) -> dict[str, Path]:
    links = {}
    for item in linked:
        links[item.metadata_dir.name] = item.metadata_dir
        for name, path in item.modules().items():
            links[path.name if path.is_file() else name] = path.absolute()
    return links


def _make(folder: Path, links: dict[str, Path]) -> None:
    """Build it aside and rename it into place, so that two runs at once do not disturb each other."""
    building = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
    try:
        for name, target in links.items():
            (building / name).symlink_to(target)
        try:
            os.rename(building, folder)  # noqa: PTH104 (Path.rename is the same; this names the intent)
        except OSError:
            if not folder.is_dir():  # another run was faster
                raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
