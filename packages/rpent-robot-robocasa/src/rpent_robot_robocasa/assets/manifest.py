"""The manifest of an assets folder: what was put there, and for which version of the simulator.

This module is light: the robot reads manifests when a run begins.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Kind = Literal["real", "placeholder"]

FILE = "manifest.json"
FORMAT = 1
"""The manifest's own format."""
GENERATOR = 1
"""The version of the placeholder generator: another one means other shapes, so the assets are made anew."""

_PASSING = re.compile(r"^\.fetch/|/\d+_\d+_\d+\.xml$")
"""Archives, and the copies that the simulator writes beside a model while it loads it (time and process id)."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an assets folder holds."""

    format: int
    kind: Kind
    package_version: str
    """Of the distribution with the package `robocasa`."""
    generator: int
    """0 where nothing was generated."""
    files: int
    """How many there are, the manifest left out."""
    bytes: int
    digest: str
    """SHA-256 of all paths and contents, for placeholders; empty for downloads."""
    packs: Mapping[str, str] = field(default_factory=dict)
    """For real assets: the simulator's downloads that are complete, and where they came from."""


def write_manifest(
    folder: Path, *, kind: Kind, package_version: str, packs: Mapping[str, str] | None = None
) -> Manifest:
    """Write the manifest of what lies in a folder.

    Args:
        folder: The assets.
        kind: Whether they were generated or downloaded.
        package_version: The simulator that they belong to.
        packs: The downloads that are complete, and where they came from.
    """
    placeholder = kind == "placeholder"
    names = asset_files(folder)
    manifest = Manifest(
        format=FORMAT,
        kind=kind,
        package_version=package_version,
        generator=GENERATOR if placeholder else 0,
        files=len(names),
        bytes=sum((folder / name).stat().st_size for name in names),
        digest=tree_digest(folder, names) if placeholder else "",
        packs=dict(packs or {}),
    )
    temporary = folder / f".{FILE}"
    temporary.write_text(json.dumps(asdict(manifest), indent=1) + "\n", encoding="utf-8")
    temporary.replace(folder / FILE)
    return manifest


def read_manifest(folder: Path) -> Manifest | None:
    """Return a folder's manifest; None where there is none that can be read."""
    try:
        data: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
        manifest = Manifest(**data)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return manifest if _is_sound(manifest) else None


def _is_sound(manifest: Manifest) -> bool:
    """Whether each value is of its type: anybody may have written into the file."""
    numbers = (manifest.format, manifest.generator, manifest.files, manifest.bytes)
    return (
        all(type(number) is int for number in numbers)
        and manifest.format == FORMAT
        and manifest.kind in get_args(Kind)
        and isinstance(manifest.package_version, str)
        and isinstance(manifest.digest, str)
        and isinstance(manifest.packs, dict)
        and all(isinstance(address, str) for address in manifest.packs.values())
    )


def asset_files(folder: Path) -> list[str]:
    """Return the files below a folder, sorted; without the manifest, archives and what the simulator left behind."""
    root = len(str(folder)) + 1
    found = (f"{place}/{name}"[root:] for place, _, names in os.walk(folder) for name in names)
    return sorted(name for name in found if name not in (FILE, f".{FILE}") and not _PASSING.search(name))


def tree_digest(folder: Path, names: list[str]) -> str:
    """Return the SHA-256 of files' paths and contents."""
    total = hashlib.sha256()
    for name in names:
        content = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        total.update(f"{name}\0{content}\n".encode())
    return total.hexdigest()
