"""Which assets a run shall use. Light: the robot asks this before the simulator starts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rpent.errors import EnvironmentSetupError

from rpent_robot_robocasa.assets.manifest import GENERATOR, Kind, Manifest, asset_files, read_manifest
from rpent_robot_robocasa.assets.package import managed_package
from rpent_robot_robocasa.assets.packs import PACKS, missing_packs
from rpent_robot_robocasa.assets.paths import placeholder_dir, real_dir

if TYPE_CHECKING:
    from pathlib import Path

Choice = Literal["auto", "real", "placeholder"]

MAKE = "rpent robocasa assets placeholder"
FETCH = "rpent robocasa assets fetch"


@dataclass(frozen=True, slots=True)
class Assets:
    """Kitchen assets that can be used: `ROBOCASA_ASSETS_PATH` is `folder`."""

    folder: Path
    kind: Kind
    manifest: Manifest


def locate(choice: Choice = "auto", *, version: str | None = None) -> Assets:
    """Return the assets to use.

    Args:
        choice: `auto` takes the real ones where they are complete, else the placeholders.
        version: Of the simulator's package; by default that of the managed environment.

    Raises:
        EnvironmentSetupError: They are missing, incomplete or of another version.
    """
    version = version or _installed_version()
    if choice == "real" or (choice == "auto" and _real_problem(version) is None):
        return _located("real", version, hint=FETCH)
    hint = MAKE if choice == "placeholder" else f"{MAKE} (or the real ones, 10 GB: {FETCH})"
    return _located("placeholder", version, hint=hint)


def _located(kind: Kind, version: str, *, hint: str) -> Assets:
    folder = real_dir() if kind == "real" else placeholder_dir(version)
    problem = _real_problem(version) if kind == "real" else _placeholder_problem(folder, version)
    manifest = read_manifest(folder)
    if problem is None and not os.access(folder / "objects", os.W_OK):
        raise EnvironmentSetupError(
            f"The kitchen assets in `{folder}` cannot be written, and the simulator writes there.",
            hint="It puts a copy of each model beside the model while it loads it: give yourself the right to.",
        )
    if problem or manifest is None:
        raise EnvironmentSetupError(
            problem or f"There are no {kind} kitchen assets in `{folder}`.", hint=hint
        )
    return Assets(folder, kind, manifest)


def _installed_version() -> str:
    package = managed_package()
    if package is None:
        raise EnvironmentSetupError(
            "The simulator of RoboCasa is not installed, so its kitchen assets cannot be chosen.",
            hint="rpent env sync robocasa",
        )
    return package.version


def _placeholder_problem(folder: Path, version: str) -> str | None:
    """Return what is wrong with placeholders in a sentence; None when they can be used."""
    manifest = read_manifest(folder)
    if manifest is None:
        return f"There are no placeholder kitchen assets in `{folder}`."
    if manifest.package_version != version:
        return (
            f"The placeholder kitchen assets in `{folder}` are for robocasa {manifest.package_version}, and "
            f"{version} is installed."
        )
    if manifest.generator != GENERATOR:
        return f"The placeholder kitchen assets in `{folder}` were made by another version of this package."
    if (there := len(asset_files(folder))) < manifest.files:
        return (
            f"The placeholder kitchen assets in `{folder}` are incomplete: {there} of {manifest.files} files."
        )
    return None


def _real_problem(version: str) -> str | None:
    """Return what is wrong with the real assets in a sentence; None when they can be used."""
    folder = real_dir()
    manifest = read_manifest(folder)
    if manifest is None:
        return f"There are no real kitchen assets in `{folder}`."
    if missing := missing_packs(manifest):
        return (
            f"The real kitchen assets in `{folder}` are incomplete: {', '.join(missing)} of {len(PACKS)} packs "
            "are missing."
        )
    if manifest.package_version != version:
        return (
            f"The real kitchen assets in `{folder}` are for robocasa {manifest.package_version}, and {version} is "
            "installed."
        )
    return None
