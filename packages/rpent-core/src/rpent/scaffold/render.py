"""Write a distribution from a template. A template is a working plugin named `my-bot`, its files suffixed."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from rpent.errors import RpentError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path

SUFFIX = ".template"
"""Keeps the template's own tests and modules from being collected, linted and imported as core's."""

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def spellings(name: str) -> dict[str, str]:
    """Return what stands for `my-bot`, in every spelling that a template uses."""
    if not NAME.fullmatch(name):
        raise UsageError(
            f"`{name}` is not a name for a plugin.",
            hint="Use lower-case letters, digits and single dashes: `my-bot`.",
        )
    snake = name.replace("-", "_")
    camel = "".join(part.capitalize() for part in name.split("-"))
    return {"MY_BOT": snake.upper(), "MyBot": camel, "my_bot": snake, "my-bot": name}


def render(kind: str, name: str, target: Path) -> list[Path]:
    """Write the template of a kind (`robot`) into the folder `target`; returns the files, in order.

    Raises:
        UsageError: The name is not one, or the folder has something in it already.
        RpentError: The folder cannot be written.
    """
    replacements = spellings(name)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"`{target}` exists already.", hint="Name another folder with `--directory`.")
    template = files("rpent.scaffold") / "templates" / kind
    written = []
    try:
        for parts, text in _texts(template):
            path = target.joinpath(*(_replace(part, replacements) for part in parts))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_replace(text, replacements), encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise RpentError(f"`{target}` cannot be written: {error.strerror}.") from error
    return written


def _replace(text: str, replacements: Mapping[str, str]) -> str:
    for old, new in replacements.items():
        text = text.replace(old, new)
    return text


def _texts(folder: Traversable, parents: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path (without the suffix) and the text of every file of a template."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            yield from _texts(item, (*parents, item.name))
        elif item.name.endswith(SUFFIX):
            yield (*parents, item.name.removesuffix(SUFFIX)), item.read_text(encoding="utf-8")
