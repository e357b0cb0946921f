"""What is wrong with a dataset's files, in one sentence."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError, UsageError

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


class DatasetError(UsageError):
    """A dataset is damaged, or of no kind that is read."""


class MissingPackageError(RpentError):
    """A light library that a format needs is not installed."""


def damaged(path: Path, reason: object, *, hint: str | None = None) -> DatasetError:
    """Say that a file of a dataset cannot be read, and why, on one line."""
    text = " ".join(str(reason).split()) or type(reason).__name__
    return DatasetError(f"`{path}` cannot be read: {text[:300].rstrip('.')}.", hint=hint)


def library(module: str, package: str, purpose: str, *, extra: str = "datasets") -> ModuleType:
    """Import a library of the extra `datasets`.

    Args:
        module: What is imported: `pyarrow.parquet`.
        package: The distribution, for people.
        purpose: What it is needed for: `reading HDF5`.
        extra: The extra of `rpent-robosmith` that brings it.

    Raises:
        MissingPackageError: It is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingPackageError(
            f"`{package}` is needed for {purpose}, and is not installed.",
            hint=f'`pip install "rpent-robosmith[{extra}]"`',
        ) from None


def mapping(value: Any, path: Path, what: str) -> dict[str, Any]:
    """Return a value that must be a JSON object.

    Raises:
        DatasetError: It is something else.
    """
    if not isinstance(value, dict):
        raise damaged(path, f"{what} is not an object")
    return value
