"""Parquet files of a LeRobot dataset, read piece by piece."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.faults import DatasetError, damaged, library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

ROWS_AT_ONCE = 4096
_EPISODE = "episode_index"


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Turn whatever a damaged file raises into one sentence."""
    pyarrow = library("pyarrow", "pyarrow", "reading LeRobot datasets")
    try:
        yield
    except DatasetError:
        raise
    except FileNotFoundError:
        raise DatasetError(f"`{file}` is missing.") from None
    except (OSError, KeyError, ValueError, TypeError, pyarrow.ArrowException) as error:
        raise damaged(file, error) from None


def read_columns(file: Path, wanted: Callable[[str], bool] | None) -> dict[str, list[Any]]:
    """Read a small table whole, as Python lists.

    Args:
        file: A parquet file of `meta/`.
        wanted: Which top-level columns; None takes all.
    """
    with reading(file):
        parquet = library("pyarrow.parquet", "pyarrow", "reading LeRobot datasets")
        schema = parquet.read_schema(file)
        names = [name for name in schema.names if wanted is None or wanted(name)]
        return dict(parquet.read_table(file, columns=names).to_pydict())


def rows_of_episodes(
    file: Path, columns: Sequence[str], wanted: set[int]
) -> Iterator[tuple[int, dict[str, NDArray[np.generic]]]]:
    """Yield each wanted episode of a data file with its columns, as the rows come.

    Args:
        file: A parquet file of `data/`.
        columns: Names of columns with numbers, or lists of numbers.
        wanted: Values of `episode_index`.

    Yields:
        `episode_index`, and column → (T,) or (T, D); a missing number is NaN.
    """
    current: int | None = None
    parts: list[dict[str, NDArray[np.generic]]] = []
    for batch in batches(file, [*columns, _EPISODE]):
        numbers = batch[_EPISODE]
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for start, end in pairwise(cuts):
            index = int(numbers[start])
            if index != current:
                if current in wanted and current is not None:
                    yield current, _joined(parts)
                current, parts = index, []
            if index in wanted:
                parts.append({name: batch[name][start:end] for name in columns})
    if current in wanted and current is not None:
        yield current, _joined(parts)


def batches(file: Path, columns: Sequence[str]) -> Iterator[dict[str, NDArray[np.generic]]]:
    """Yield a data file's columns, some thousand rows at a time; batches without rows are left out."""
    with reading(file):
        parquet = library("pyarrow.parquet", "pyarrow", "reading LeRobot datasets")
        opened = parquet.ParquetFile(file)
        missing = [name for name in columns if name not in opened.schema_arrow.names]
        if missing:
            raise damaged(file, f"it lacks the column `{missing[0]}`, which `meta/info.json` declares")
        for batch in opened.iter_batches(ROWS_AT_ONCE, columns=list(columns)):
            if batch.num_rows:
                yield {name: _array(batch.column(name), name, file) for name in columns}


def _array(column: Any, name: str, file: Path) -> NDArray[np.generic]:
    """Return a column of numbers as (T,), or a column of equally long lists as (T, D)."""
    rows, values = len(column), column
    nested = False
    while hasattr(values, "flatten") and _is_list(values.type):
        values, nested = values.flatten(), True
    flat: NDArray[np.generic] = values.to_numpy(zero_copy_only=False)
    if flat.dtype.kind not in "fiub":
        if flat.dtype.kind != "O" or not all(item is None or isinstance(item, bool) for item in flat):
            raise damaged(file, f"the column `{name}` holds no numbers")
        flat = np.array([item is True for item in flat])
    if not nested:
        return flat
    if column.null_count or flat.size % rows:
        raise damaged(file, f"the lists of the column `{name}` are not equally long")
    lengths = np.asarray(column.value_lengths().to_numpy(zero_copy_only=False))
    if len(set(lengths.tolist())) > 1:
        raise damaged(file, f"the lists of the column `{name}` are not equally long")
    return flat.reshape(rows, -1)


def _is_list(kind: Any) -> bool:
    types = library("pyarrow.types", "pyarrow", "reading LeRobot datasets")
    return bool(types.is_list(kind) or types.is_fixed_size_list(kind) or types.is_large_list(kind))


def _joined(parts: list[dict[str, NDArray[np.generic]]]) -> dict[str, NDArray[np.generic]]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
