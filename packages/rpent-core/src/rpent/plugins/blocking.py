"""Which plugins the user switched off, where, and how to switch them on again. Nothing is imported for it.

Three sources: `rpent plugins disable` writes a file in the user's configuration, `RPENT_DISABLE_PLUGINS` and
`--no-plugin` hold for one process and its children, and `RPENT_LOAD_PLUGINS` names the only ones that may load.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rpent.plugins.index import Entry

DISABLE_VARIABLE = "RPENT_DISABLE_PLUGINS"
LOAD_VARIABLE = "RPENT_LOAD_PLUGINS"
CONFIG_VARIABLE = "RPENT_CONFIG_DIR"
FILE_NAME = "disabled-plugins.txt"
_HEADER = (
    "# Plugins that `rpent plugins disable` switched off, one a line; `rpent plugins enable` undoes it.\n"
)


@dataclass(frozen=True, slots=True)
class Blocking:
    """What the user switched off: names, distributions, `distribution:name`, or `*` for all."""

    variable: frozenset[str] = frozenset()
    """From `RPENT_DISABLE_PLUGINS` and `--no-plugin`."""
    file: frozenset[str] = frozenset()
    """From the user's file."""
    only: frozenset[str] | None = None
    """What `RPENT_LOAD_PLUGINS` allows; None allows everything."""

    def blocks(self, entry: Entry) -> bool:
        """Whether a plugin is left out; what core itself brings never is."""
        return self.remedy(entry) is not None

    def remedy(self, entry: Entry) -> str | None:
        """Return what switches a plugin on again, or None when it is not switched off."""
        if entry.built_in:
            return None
        if named := _match(entry, self.file):
            return f"rpent plugins enable {named}"
        if named := _match(entry, self.variable):
            return f"Take `{named}` out of `{DISABLE_VARIABLE}` (or of `--no-plugin`)."
        if self.only is not None and _match(entry, self.only) is None:
            return f"Add `{entry.name}` to `{LOAD_VARIABLE}`, or unset it."
        return None


def names_of(entry: Entry) -> tuple[str, str, str]:
    """Return the names by which the user may speak of a plugin."""
    return entry.name, entry.distribution, entry.qualified_name


def _match(entry: Entry, names: frozenset[str]) -> str | None:
    """Return which of the names means this plugin."""
    if not names:
        return None  # the metadata need not be read
    return next((name for name in (*names_of(entry), "*") if name in names), None)


def blocking() -> Blocking:
    """Return what the environment and the user's file say."""
    only = os.environ.get(LOAD_VARIABLE)
    return Blocking(
        variable=_listed(os.environ.get(DISABLE_VARIABLE, "")),
        file=read_file(),
        only=None if only is None else _listed(only),
    )


def block(names: Iterable[str]) -> None:
    """Add names to `RPENT_DISABLE_PLUGINS`, so that this process and its services leave those plugins out."""
    already = _listed(os.environ.get(DISABLE_VARIABLE, ""))
    os.environ[DISABLE_VARIABLE] = ",".join(sorted(already | set(names)))


def file_path() -> str:
    """Return the user's file: in the folder that `RPENT_CONFIG_DIR` names, else where the system has it."""
    folder = os.environ.get(CONFIG_VARIABLE)
    if not folder and sys.platform.startswith("linux"):
        # What `platformdirs` says, without its modules: the names of plugins stand in `rpent run --help`.
        base = os.environ.get("XDG_CONFIG_HOME", "").strip() or os.path.expanduser("~/.config")  # noqa: PTH111
        folder = os.path.join(base, "rpent")  # noqa: PTH118
    elif not folder:
        from platformdirs import user_config_dir  # noqa: PLC0415

        folder = user_config_dir("rpent")
    return os.path.join(folder, FILE_NAME)  # noqa: PTH118


def read_file() -> frozenset[str]:
    """Return the names in the user's file; none where there is no such file or it cannot be read."""
    try:
        with open(file_path(), encoding="utf-8") as file:  # noqa: PTH123  (no `pathlib` for a list of names)
            lines = [line.partition("#")[0].strip() for line in file]
    except (OSError, UnicodeDecodeError):
        return frozenset()
    return frozenset(line for line in lines if line)


def write_file(names: Iterable[str]) -> Path:
    """Replace the user's file, atomically, and return where it is.

    Raises:
        RpentError: It cannot be written.
    """
    from pathlib import Path  # noqa: PLC0415

    from rpent.errors import RpentError  # noqa: PLC0415

    path = Path(file_path())
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(_HEADER + "".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise RpentError(
            f"`{path}` cannot be written ({error.strerror or error}).",
            hint=f"Set `{CONFIG_VARIABLE}` to a folder that you may write to, or `{DISABLE_VARIABLE}` instead.",
        ) from error
    return path


def _listed(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())
