"""The statistics that LeRobot keeps of an episode and of a whole dataset: what policies normalise with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.statistics import QUANTILES, Moments, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.datasets.writing.api import Header

PICTURE_STRIDE = 4
"""Every so many rows and columns of a picture count in its statistics; LeRobot thins them out too."""


class Accumulated:
    """One feature's moments and sample."""

    def __init__(self, width: int) -> None:
        self.moments = Moments(width)
        self.sample = Sample(width)

    def update(self, rows: NDArray[np.floating[Any]]) -> None:
        """Add rows, (N, D)."""
        self.moments.update(rows)
        self.sample.update(rows)

    def values(self, count: int) -> dict[str, NDArray[np.float64]]:
        """Return the statistics, (D,) each; `count` is the number of steps."""
        moments = self.moments
        found = {"min": moments.low, "max": moments.high, "mean": moments.mean, "std": moments.std}
        quantiles = self.sample.quantiles(tuple(QUANTILES.values()))
        return found | {"count": np.array([count])} | dict(zip(QUANTILES, quantiles, strict=True))


def _rows(values: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray(values, np.float64).reshape(len(values), -1)


class EpisodeStatistics:
    """Of one episode."""

    def __init__(self, columns: Mapping[str, NDArray[np.generic]]) -> None:
        self.pictures: dict[str, Accumulated] = {}
        self._columns: dict[str, dict[str, NDArray[np.float64]]] = {}
        self._length = len(next(iter(columns.values())))
        for key, values in columns.items():
            rows = _rows(values)
            accumulated = Accumulated(rows.shape[1])
            accumulated.update(rows)
            self._columns[key] = accumulated.values(self._length)

    def picture(self, key: str, frame: NDArray[np.uint8]) -> None:
        """Count a camera's frame, (H, W, 3)."""
        pixels = frame[::PICTURE_STRIDE, ::PICTURE_STRIDE].reshape(-1, 3) / 255.0
        self.pictures.setdefault(key, Accumulated(3)).update(pixels)

    def row(self) -> dict[str, Any]:
        """Return `stats/<feature>/<statistic>` → numbers; those of pictures are (3, 1, 1)."""
        row: dict[str, Any] = {}
        for key, values in self._columns.items():
            row |= {f"stats/{key}/{name}": numbers.tolist() for name, numbers in values.items()}
        for key, accumulated in self.pictures.items():
            row |= {
                f"stats/{key}/{name}": _shaped(name, numbers)
                for name, numbers in accumulated.values(self._length).items()
            }
        return row


class TotalStatistics:
    """Of all episodes."""

    def __init__(self, header: Header) -> None:
        self._cameras = {key: Accumulated(3) for key in header.cameras}
        self._columns: dict[str, Accumulated] = {}
        self._frames = 0

    def add(self, episode: EpisodeStatistics, columns: Mapping[str, NDArray[np.generic]]) -> None:
        """Count an episode."""
        for key, values in columns.items():
            rows = _rows(values)
            self._columns.setdefault(key, Accumulated(rows.shape[1])).update(rows)
        for key, accumulated in episode.pictures.items():
            self._cameras[key].moments.merge(accumulated.moments)
            self._cameras[key].sample.update(accumulated.sample.rows[::PICTURE_STRIDE])
        self._frames += len(next(iter(columns.values())))

    def values(self) -> dict[str, Any]:
        """Return `meta/stats.json`."""
        found: dict[str, Any] = {
            key: {name: numbers.tolist() for name, numbers in each.values(self._frames).items()}
            for key, each in self._columns.items()
        }
        for key, each in self._cameras.items():
            found[key] = {name: _shaped(name, numbers) for name, numbers in each.values(self._frames).items()}
        return found


def _shaped(name: str, numbers: NDArray[np.float64]) -> list[Any]:
    if name == "count":
        return list(numbers.tolist())
    return list(numbers.reshape(3, 1, 1).tolist())
