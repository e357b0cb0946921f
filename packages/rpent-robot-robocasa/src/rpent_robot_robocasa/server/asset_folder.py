"""Which folder of kitchen assets the simulator reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from rpent.errors import EnvironmentSetupError

from rpent_robot_robocasa.assets.locate import FETCH, MAKE, Choice, locate
from rpent_robot_robocasa.assets.manifest import read_manifest
from rpent_robot_robocasa.assets.packs import missing_packs

if TYPE_CHECKING:
    from rpent_robot_robocasa.assets.manifest import Kind

_HINT = f"`{MAKE}` makes stand-ins, `{FETCH}` gets the real ones (10 GB)."
_NEEDED = ("fixtures", "objects", "scenes", "textures")
_TAIL, _BEFORE = "models/assets", "robocasa/models/assets"


def find_assets(wanted: str, version: str) -> tuple[Path, Kind]:
    """Return the folder that a configuration means, and what is in it.

    Args:
        wanted: A kind (`auto`, `real`, `placeholder`) or a folder. Of a folder whose manifest does not say that
            all real packs are in it, results are not the benchmark's: it counts as placeholders.
        version: Of the simulator's package.

    Raises:
        EnvironmentSetupError: It is not there, or no folder of kitchen assets.
    """
    if wanted in get_args(Choice):
        found = locate(cast("Choice", wanted), version=version)
        return found.folder, found.kind
    folder = Path(wanted).expanduser().resolve()
    missing = [name for name in _NEEDED if not (folder / name).is_dir()]
    if missing:
        state = f"lacks `{missing[0]}`" if folder.is_dir() else "does not exist"
        raise EnvironmentSetupError(f"The folder of kitchen assets `{folder}` {state}.", hint=_HINT)
    if _TAIL in str(folder) and f"/{_BEFORE}" not in str(folder):
        raise EnvironmentSetupError(
            f"The simulator cannot read kitchen assets from `{folder}`: before `{_TAIL}` it wants `robocasa`.",
            hint="Move the folder, or name a link to it.",
        )
    manifest = read_manifest(folder)
    real = manifest is not None and manifest.kind == "real" and not missing_packs(manifest)
    return folder, "real" if real else "placeholder"
