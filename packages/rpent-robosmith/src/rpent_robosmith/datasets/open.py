"""Which reader a path needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rpent_robosmith.datasets.faults import DatasetError

if TYPE_CHECKING:
    from rpent_robosmith.datasets.api import DatasetReader

KINDS = "a LeRobot folder (v2.0, v2.1, v3.0), HDF5 of robomimic or LIBERO, or run directories of RPent"
_MAGIC = b"\x89HDF\r\n\x1a\n"


def kind_of(path: Path) -> str | None:
    """Return `lerobot`, `hdf5` or `runs`, or None for anything else; never raises for a foreign thing."""
    try:
        if path.is_dir():
            return _kind_of_folder(path)
        return "hdf5" if path.is_file() and _is_hdf5(path) else None
    except OSError:
        return None


def _kind_of_folder(path: Path) -> str | None:
    if (path / "meta" / "info.json").is_file():
        return "lerobot"
    if (path / "run.json").is_file() or any(path.glob("*/run.json")) or any(path.glob("*/*/run.json")):
        return "runs"
    from rpent_robosmith.datasets.hdf5 import files_of  # noqa: PLC0415

    return "hdf5" if files_of(path) else None


def _is_hdf5(path: Path) -> bool:
    from rpent_robosmith.datasets.hdf5 import SUFFIXES  # noqa: PLC0415

    if path.suffix.lower() in SUFFIXES:
        return True
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def open_dataset(path: str | Path) -> DatasetReader:
    """Open a dataset on this machine.

    Args:
        path: A file or a folder.

    Raises:
        DatasetError: Nothing is there, it is of no known kind, or it is damaged.
        MissingPackageError: A library that its format needs is not installed.
    """
    place = Path(path).expanduser()
    if not place.exists():
        raise DatasetError(
            f"There is no file or folder `{path}`.", hint=f"A dataset is {KINDS}, on this machine."
        )
    kind = kind_of(place)
    if kind == "lerobot":
        from rpent_robosmith.datasets.lerobot import LerobotReader  # noqa: PLC0415

        return LerobotReader(place)
    if kind == "hdf5":
        from rpent_robosmith.datasets.hdf5 import Hdf5Reader  # noqa: PLC0415

        return Hdf5Reader(place)
    if kind == "runs":
        from rpent_robosmith.datasets.runs import RunsReader  # noqa: PLC0415

        return RunsReader(place)
    raise DatasetError(f"`{path}` is no dataset that is read here.", hint=f"A dataset is {KINDS}.")
