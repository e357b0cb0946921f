"""Which files the simulator's package names: textures, fixtures and ornaments, found in its source and registries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent_robot_robocasa.assets.bundled import BUNDLED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SEARCHED = (
    ("models", ".py"),
    ("utils", ".py"),
    ("environments", ".py"),
    (BUNDLED, ".yaml"),
    (BUNDLED, ".xml"),
)
_TEXTURE = re.compile(r"(?:generative_)?textures/[\w./-]+\.(?:png|jpg|jpeg)")
_MODEL = re.compile(r"(?:fixtures|objects)/[\w./-]+")
_INSTANCE = re.compile(r'"instance": "(\w+_\d+)"')
_INSTANCE_FILE = re.compile(r'"mjcf_path": "((?:objaverse|aigen_objs|lightwheel)/\w+/\w+)/model\.xml"')
_NAMED_FILE = re.compile(r'<texture[^>]*file="([^"]+)"')
_REGISTRY_XML = re.compile(r"^\s+xml:\s*(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class References:
    """What is named, relative to the assets folder."""

    textures: tuple[str, ...]
    models: tuple[str, ...]
    """Folders with a `model.xml`, or XML files."""
    instances: tuple[str, ...]
    """Objects that a task asks for by their own names, below `objects/`: `objaverse/kiwi/kiwi_6`."""


def find_references(package: Path) -> References:
    """Return every texture, model and object that the package's source, registries and models name, sorted."""
    textures: set[str] = set()
    models: set[str] = set()
    instances: set[str] = set()
    for text in _texts(package):
        textures.update(_TEXTURE.findall(text))
        models.update(name.rstrip("./") for name in _MODEL.findall(text))
        instances.update(_INSTANCE_FILE.findall(text))
        instances.update(f"objaverse/{name.rpartition('_')[0]}/{name}" for name in _INSTANCE.findall(text))
    textures.update(_textures_of_models(package / BUNDLED))
    return References(tuple(sorted(textures)), tuple(sorted(models)), tuple(sorted(instances)))


def registry_models(package: Path, registry: str) -> frozenset[str]:
    """Return the models that one registry of fixtures names, such as `stove_wide`."""
    file = package / BUNDLED / "fixtures" / "fixture_registry" / f"{registry}.yaml"
    return frozenset(_REGISTRY_XML.findall(file.read_text(encoding="utf-8")))


def _texts(package: Path) -> Iterator[str]:
    for folder, suffix in _SEARCHED:
        for file in sorted((package / folder).rglob(f"*{suffix}")):
            yield file.read_text(encoding="utf-8", errors="ignore")


def _textures_of_models(assets: Path) -> Iterator[str]:
    """Yield the pictures that the bundled models name relative to themselves, where they lie below the assets."""
    for model in sorted(assets.rglob("*.xml")):
        for name in _NAMED_FILE.findall(model.read_text(encoding="utf-8", errors="ignore")):
            parts: list[str] = list(model.parent.relative_to(assets).parts)
            inside = True
            for part in name.split("/"):
                if part != "..":
                    parts.append(part)
                elif parts:
                    parts.pop()
                else:
                    inside = False
            if inside and name.endswith(".png"):
                yield "/".join(part for part in parts if part != ".")
