"""A scene's asset files: leaving out what nothing shows, and reading the rest on two cores."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import mujoco

from rpent_robot_libero.server.warmup import in_background


def drop_unused(xml: str) -> str:
    """Return the scene without meshes, materials and textures that nothing refers to.

    The benchmark's arenas declare those of other arenas: a sixth of what would be decoded and uploaded.
    Neither physics nor pictures depend on them.
    """
    root = ElementTree.fromstring(xml)  # noqa: S314 - written by the benchmark in this process
    asset = root.find("asset")
    if asset is None:
        return xml
    materials = {element.get("material") for element in root.iter()}
    meshes = {element.get("mesh") for element in root.iter()}
    _keep(asset, "material", materials)
    textures = {element.get("texture") for element in root.iter()}
    _keep(asset, "mesh", meshes)
    _keep(asset, "texture", textures)
    return ElementTree.tostring(root, encoding="unicode")


def _keep(asset: ElementTree.Element, tag: str, names: set[str | None]) -> None:
    for element in asset.findall(tag):
        if element.get("name") not in names and element.get("type") != "skybox":
            asset.remove(element)


def compile_scene(xml: str) -> Any:
    """Compile a scene to a `mujoco.MjModel`; a second thread reads its textures into MuJoCo's cache.

    The compiler decodes one file after the other, first meshes, then pictures, half of the time each.
    """
    textures = re.findall(r"<texture [^>]*file=\"[^\"]*\"[^>]*/>", xml)
    if not textures:
        return mujoco.MjModel.from_xml_string(xml)
    only_textures = f"<mujoco><asset>{''.join(textures)}</asset><worldbody/></mujoco>"
    (reader,) = in_background(lambda: mujoco.MjModel.from_xml_string(only_textures))
    try:
        return mujoco.MjModel.from_xml_string(xml)
    finally:
        reader.join()
