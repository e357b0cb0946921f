"""Numbers before and after a network that takes normalised ones."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(values: Any) -> Any:
    """Return numbers of a JSON file, in which infinite ones are strings."""
    return np.asarray([float(value) for value in values], np.float64)


def normalized(values: Any, statistics: dict[str, Any]) -> Any:
    """Return (…, D) numbers as the network takes them: (x - mean) / std, or from [low, high] to [-1, 1]."""
    if statistics["mode"] == "mean_std":
        return (values - np.asarray(statistics["mean"])) / (np.asarray(statistics["std"]) + 1e-8)
    low, high = np.asarray(statistics["low"]), np.asarray(statistics["high"])
    return 2 * (values - low) / np.where(high == low, 1e-8, high - low) - 1


def denormalized(rows: Any, statistics: dict[str, Any]) -> Any:
    """Return what `normalized` makes (…, D) rows of."""
    if statistics["mode"] == "mean_std":
        return rows * (np.asarray(statistics["std"]) + 1e-8) + np.asarray(statistics["mean"])
    low, high = np.asarray(statistics["low"]), np.asarray(statistics["high"])
    return (rows + 1) / 2 * (high - low) + low
