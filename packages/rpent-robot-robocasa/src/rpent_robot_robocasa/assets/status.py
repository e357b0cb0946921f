"""What there is: the package, the placeholders, the real assets."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError

from rpent_robot_robocasa.assets.locate import locate
from rpent_robot_robocasa.assets.manifest import asset_files, read_manifest, tree_digest
from rpent_robot_robocasa.assets.package import managed_package
from rpent_robot_robocasa.assets.packs import PACKS
from rpent_robot_robocasa.assets.paths import placeholder_dir, real_dir

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robot_robocasa.assets.locate import Choice
    from rpent_robot_robocasa.assets.package import SimulatorPackage


def status(package: SimulatorPackage | None = None) -> dict[str, Any]:
    """Return what there is as plain data.

    Args:
        package: The simulator's package; by default that of the managed environment.
    """
    package = package or managed_package()
    return {
        "version": 1,
        "package": None if package is None else {"folder": str(package.root), "version": package.version},
        "real": _real(package),
        "placeholder": None if package is None else _placeholder(package),
        "used": _used(package),
    }


def _placeholder(package: SimulatorPackage) -> dict[str, Any]:
    folder = placeholder_dir(package.version)
    found = _described("placeholder", folder, package)
    manifest = read_manifest(folder)
    if manifest is not None:
        found["unchanged"] = tree_digest(folder, asset_files(folder)) == manifest.digest
    return found


def _real(package: SimulatorPackage | None) -> dict[str, Any]:
    found = _described("real", real_dir(), package)
    there = found["manifest"]["packs"] if found["manifest"] else ()
    found["packs"] = {name: name in there for name in PACKS}
    return found


def _described(kind: Choice, folder: Path, package: SimulatorPackage | None) -> dict[str, Any]:
    manifest = read_manifest(folder)
    problem = None if package is None else _problem(kind, package)
    return {
        "folder": str(folder),
        "ready": package is not None and problem is None,
        "problem": problem,
        "manifest": None if manifest is None else asdict(manifest),
    }


def _problem(kind: Choice, package: SimulatorPackage) -> str | None:
    try:
        locate(kind, version=package.version)
    except RpentError as error:
        return error.message
    return None


def _used(package: SimulatorPackage | None) -> str | None:
    """Return the kind of assets that a run would use; None when there are none."""
    if package is None:
        return None
    try:
        return locate("auto", version=package.version).kind
    except RpentError:
        return None
