"""What a user chose when an environment was built: kept beside it, so that later builds take the same."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILE = "choices.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class BuildChoices:
    """Options of `rpent env sync`; what is None or empty was not chosen."""

    python: str | None = None
    """The Python version instead of the environment's own, as uv takes it (`3.12`)."""
    torch_backend: str | None = None
    """The build of PyTorch: `auto` (what fits the machine), `cpu`, `cu130`, …, as uv takes it."""
    index_url: str | None = None
    """The package index to take everything from, PyTorch too."""
    find_links: tuple[str, ...] = ()
    """Folders, or pages, with wheels that are taken besides those of the index."""

    def over(self, earlier: BuildChoices) -> BuildChoices:
        """Return these choices, with the earlier ones where nothing was chosen now."""
        return BuildChoices(
            python=self.python or earlier.python,
            torch_backend=self.torch_backend or earlier.torch_backend,
            index_url=self.index_url or earlier.index_url,
            find_links=self.find_links or earlier.find_links,
        )

    def uv_arguments(self) -> list[str]:
        """Return uv's arguments for where packages come from, besides the index."""
        return [part for place in self.find_links for part in ("--find-links", place)]

    def uv_variables(self) -> dict[str, str]:
        """Return uv's environment variables for the index, whose address may hold a password."""
        return {"UV_DEFAULT_INDEX": self.index_url} if self.index_url else {}

    def as_dict(self) -> dict[str, Any]:
        """Return what was chosen as plain data, equal to what JSON makes of it."""
        chosen = {**asdict(self), "find_links": list(self.find_links)}
        return {name: value for name, value in chosen.items() if value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> BuildChoices:
        """Return what `as_dict` gave; other names are passed over."""
        known = {name: data[name] for name in ("python", "torch_backend", "index_url") if data.get(name)}
        return cls(**known, find_links=tuple(data.get("find_links") or ()))


def read_choices(directory: Path) -> BuildChoices:
    """Return what was chosen for the environment in this folder; nothing where it is not known."""
    try:
        return BuildChoices.from_dict(json.loads((directory / _FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, AttributeError):
        return BuildChoices()


def write_choices(directory: Path, choices: BuildChoices) -> None:
    """Keep what was chosen, readable for its owner only (an index's address may hold a password)."""
    file = directory / _FILE
    file.touch(mode=0o600)
    file.write_text(json.dumps(choices.as_dict(), indent=1) + "\n", encoding="utf-8")


def without_password(choices: BuildChoices) -> BuildChoices:
    """Return the choices as they may be shown: an index's user and password left out."""
    if choices.index_url is None or "@" not in choices.index_url:
        return choices
    scheme, slashes, rest = choices.index_url.partition("://")
    return replace(choices, index_url=f"{scheme}{slashes}{rest.rpartition('@')[2]}")
