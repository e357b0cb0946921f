"""A scene's asset files: leaving out what nothing shows, and reading the rest on two cores."""

from __future__ import annotations

import re
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


def read_ahead(xml: str) -> None:
    """Read a scene's textures and meshes into MuJoCo's asset cache, on two threads.

    Decoding pictures and meshes is nearly all of a compilation, and the compiler does it one by one.
    """
    compiler = re.search(r"<compiler[^>]*>", xml)
    if compiler is None:
        return

    def compile_part(elements: list[str]) -> None:
        mujoco.MjModel.from_xml_string(
            f"<mujoco>{compiler.group()}<asset>{''.join(elements)}</asset><worldbody/></mujoco>"
        )

    textures = re.findall(r"<texture [^>]*file=\"[^\"]*\"[^>]*/>", xml)
    meshes = re.findall(r"<mesh [^>]*/>", xml)
    for thread in in_background(lambda: compile_part(textures), lambda: compile_part(meshes)):
        thread.join()
