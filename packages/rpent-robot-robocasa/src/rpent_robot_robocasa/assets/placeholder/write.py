"""Writing the whole tree: built beside its place, then moved into it."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.environments.paths import make_dir, unwritable

from rpent_robot_robocasa.assets.bundled import copy_bundled
from rpent_robot_robocasa.assets.manifest import Manifest, write_manifest
from rpent_robot_robocasa.assets.placeholder.colours import texture_colour
from rpent_robot_robocasa.assets.placeholder.naming import model_for, read_registries
from rpent_robot_robocasa.assets.placeholder.objects.categories import Category, read_categories
from rpent_robot_robocasa.assets.placeholder.objects.shapes import object_model, upright_model
from rpent_robot_robocasa.assets.placeholder.references import find_references
from rpent_robot_robocasa.assets.placeholder.textures import flat_png

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robot_robocasa.assets.package import SimulatorPackage

INSTANCES = 2
"""Of every category of objects."""

ABANDONED_S = 3600.0
"""A writing takes seconds: one that began so long ago was killed."""


def write_placeholder(package: SimulatorPackage, folder: Path) -> Manifest:
    """Write the placeholder assets for a package; what was in the folder is replaced at the end, in one step.

    Args:
        package: The simulator that shall use them.
        folder: Where they go.

    Returns:
        What was written.

    Raises:
        EnvironmentSetupError: The package is not the one that is known, or the folder cannot be written.
    """
    make_dir(folder.parent)
    _remove_abandoned(folder)
    try:
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise unwritable(folder.parent, error) from error
    try:
        copy_bundled(package.root, aside)
        for name, content in generated_files(package.root):
            _write_new(aside / name, content)
        manifest = write_manifest(aside, kind="placeholder", package_version=package.version)
        aside.chmod(0o755)
        replace_folder(aside, folder)
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return manifest


def generated_files(package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files that are made: path below the assets folder and content, always the same ones."""
    references = find_references(package)
    registries = read_registries(package)
    for name in references.textures:
        yield name, flat_png(texture_colour(name.rpartition("/")[2]))
    for name in references.models:
        model = model_for(name, registries)
        if model is None:
            continue
        folder = name.removesuffix("/model.xml")
        yield f"{folder}/model.xml", model.text().encode()
        if model.assets:
            yield f"{folder}/tex.png", flat_png(texture_colour("wood" if "cabinets" in folder else "metal"))
    for category in read_categories(package):
        yield from _objects(category)
        yield from _instances(category, references.instances)


def _objects(category: Category) -> Iterator[tuple[str, bytes]]:
    for source in category.sources:
        for folder in source.folders:
            for index in range(INSTANCES):
                place = f"objects/{folder}/{category.name}_p{index}"
                if source.auxiliary:
                    place = f"objects/{folder}/saucepan_with_lid_p{index}/{category.name}"
                yield f"{place}/model.xml", object_model(category, index, source.scale).text().encode()
                if "bread" in category.name:
                    upright = upright_model(category, source.scale)
                    yield f"{place}/model_upright.xml", upright.text().encode()


def _instances(category: Category, names: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield a category's instances that tasks name."""
    for source in category.sources:
        for name in names:
            if name.rpartition("/")[0] in source.folders:
                content = object_model(category, 0, source.scale).text().encode()
                yield f"objects/{name}/model.xml", content


def _remove_abandoned(folder: Path) -> None:
    """Remove what writings that were killed have left beside a folder."""
    for left in folder.parent.glob(f".{folder.name}-*"):
        if time.time() - left.stat().st_mtime > ABANDONED_S:
            shutil.rmtree(left, ignore_errors=True)


def _write_new(file: Path, content: bytes) -> None:
    """Write a file unless there is one: what the package bundles, and what is named first, counts."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def replace_folder(new: Path, place: Path) -> None:
    """Move a folder into its place; one that is there is moved away first and then removed."""
    old = Path(tempfile.mkdtemp(prefix=f".{place.name}-old-", dir=place.parent))
    if place.exists():
        place.replace(old / "was")
    new.replace(place)
    shutil.rmtree(old, ignore_errors=True)
