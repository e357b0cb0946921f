"""A checkpoint's folder as every backend reads it on the agent's side: where it is, which files it has, their JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator

from rpent.errors import PolicyError, clause
from rpent.home import expanded

if TYPE_CHECKING:
    from collections.abc import Sequence

_ADDRESS = re.compile(r"\S+://\S*|[\w.-]+:\d+|\[[\da-fA-F:.]+\]:\d+")


def absolute(value: str | None) -> str | None:
    """Return a path as it holds in every directory, so that a run can be resumed in another; an address as it is."""
    if value is None or (_ADDRESS.fullmatch(value) and not Path(value).exists()):
        return value
    return str(expanded(value))


FolderPath = Annotated[str, AfterValidator(absolute)]
"""For options that name a folder: it becomes absolute."""
OptionalFolderPath = Annotated[str | None, AfterValidator(absolute)]


def existing_folder(checkpoint: str | Path) -> Path:
    """Return the folder.

    Raises:
        PolicyError: There is none.
    """
    folder = expanded(checkpoint)
    if not folder.is_dir():
        raise PolicyError(
            f"The checkpoint folder `{folder}` does not exist.", hint="Give its path with `--checkpoint`."
        )
    return folder


def read_json(path: Path, *, hint: str | None = None) -> dict[str, Any]:
    """Return a JSON object.

    Args:
        path: The file.
        hint: What to do where it is not there.

    Raises:
        PolicyError: It is not there, cannot be read, or is something else.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise OSError("it is no file")
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PolicyError(f"The folder `{path.parent}` has no `{path.name}`.", hint=hint) from None
    except (OSError, ValueError, RecursionError) as error:
        raise PolicyError(f"`{path}` cannot be read as JSON ({clause(error)}).") from error
    if not isinstance(value, dict):
        raise PolicyError(f"`{path}` does not hold a JSON object.")
    return value


def has_any(folder: Path, names: Sequence[str]) -> bool:
    """Return whether a folder has one of these files."""
    return any((folder / name).is_file() for name in names)


def require_any(folder: Path, names: Sequence[str], what: str, *, hint: str | None = None) -> None:
    """Refuse a folder that has none of these files.

    Args:
        folder: Where they should be.
        names: One is enough.
        what: What they are: `tokenizer`.
        hint: What to do.

    Raises:
        PolicyError: It has none.
    """
    if not has_any(folder, names):
        accepted = " or ".join(f"`{name}`" for name in names)
        raise PolicyError(f"The folder `{folder}` has no {what} ({accepted}).", hint=hint)
