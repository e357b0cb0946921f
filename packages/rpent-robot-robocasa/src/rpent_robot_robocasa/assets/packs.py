"""The downloads that make up the real assets, by the names in the simulator's own downloader."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent_robot_robocasa.assets.manifest import Manifest

PACKS: dict[str, str] = {
    "tex": "textures",
    "tex_generative": "generated textures",
    "fixtures_lw": "fixtures",
    "objs_objaverse": "objects of Objaverse",
    "objs_aigen": "generated objects",
    "objs_lw": "objects of Lightwheel",
}
"""Name in the registry and what it holds."""


def missing_packs(manifest: Manifest) -> list[str]:
    """Return the packs that a folder lacks."""
    return [name for name in PACKS if name not in manifest.packs]
