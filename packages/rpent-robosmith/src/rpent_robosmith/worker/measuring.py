"""Measures and successes over the steps of an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.measures import Measure, Quantity, Success


class Meter:
    """Fed each step of one episode; knows its measures at the end."""

    def __init__(self, entry: EnvEntry) -> None:
        self.entry = entry
        self.length = 0
        self.total = 0.0
        self._values: dict[str, list[float]] = {name: [] for name in entry.measures}
        self._signals: list[bool] = []

    def step(self, observation: Any, action: Any, reward: float, info: Mapping[str, Any]) -> None:
        """Take in one step: the observation after the action, and what came with it.

        Raises:
            UsageError: A measure or the success signal names something that is not there.
        """
        self.length += 1
        self.total += float(reward)
        for name, measure in self.entry.measures.items():
            try:
                self._values[name].append(step_value(measure, observation, action, reward, info))
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise UsageError(
                    f"The measure `{name}` of `{self.entry.id}` cannot be read from a step: {_reason(error)}."
                ) from error
        if self.entry.success.signal is not None:
            self._signals.append(self._signal(info, self.entry.success.signal))

    def _signal(self, info: Mapping[str, Any], name: str) -> bool:
        if name not in info:
            has = ", ".join(f"`{key}`" for key in sorted(info, key=str)) or "nothing"
            raise UsageError(
                f"`{self.entry.id}` has no success signal `{name}` in `info`, which has {has}.",
                hint="Declare what counts as a success, such as `--criterion mean_return>=200`.",
            )
        return bool(np.all(np.asarray(info[name], dtype=np.float64) > 0))

    def measures(self) -> dict[str, float]:
        """Return the episode's measures; an episode without a step has none."""
        if not self.length:
            return {}
        return {name: reduced(self.entry.measures[name], values) for name, values in self._values.items()}

    def success(self, *, terminated: bool) -> bool:
        """Return whether the episode was a success; one without a step is none."""
        success = self.entry.success
        if not self.length or (success.terminated is not None and success.terminated != terminated):
            return False
        if success.measure is None:
            return any(self._signals) if success.when == "ever" else self._signals[-1]
        known = {"return": self.total, "length": float(self.length), **self.measures()}
        return within(success, known[success.measure])


def within(bounds: Success | Measure, value: float) -> bool:
    """Return whether a value is in the bounds, which belong to it; NaN never is."""
    above = bounds.at_least is None or value >= bounds.at_least
    below = bounds.at_most is None or value <= bounds.at_most
    return above and below and not np.isnan(value)


def step_value(
    measure: Measure, observation: Any, action: Any, reward: float, info: Mapping[str, Any]
) -> float:
    """Return the number of one step.

    Raises:
        KeyError: A part of the observation, or an entry of `info`, is not there.
        IndexError: The vector is shorter than an index.
        ValueError: More than one number is left.
    """
    step = {"observation": observation, "action": action, "info": info, "reward": reward}
    vector = quantity(measure.quantity, step)
    if measure.minus is not None:
        vector = vector - quantity(measure.minus, step)
    if measure.map == "norm":
        return float(np.sqrt(np.sum(np.square(vector))))
    if vector.size != 1:
        raise ValueError(f"{vector.size} numbers where one is wanted (name an `index`, or `map: norm`)")
    number = float(vector[0])
    return {
        "none": number,
        "abs": abs(number),
        "square": number * number,
        "degrees": float(np.degrees(number)),
    }[measure.map]


def quantity(wanted: Quantity, step: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return a vector of a step, float64, flattened in C order; bound by the errors of `step_value`."""
    value = step[wanted.of]
    if wanted.key is not None:
        value = value[wanted.key]
    vector = np.asarray(value, dtype=np.float64).reshape(-1)
    return vector[list(wanted.index)] if wanted.index else vector


def reduced(measure: Measure, values: list[float]) -> float:
    """Return the number of an episode from those of its steps (at least one)."""
    counted = np.asarray(values if measure.last is None else values[-measure.last :], dtype=np.float64)
    match measure.reduce:
        case "fraction":
            return float(np.mean([within(measure, value) for value in counted]))
        case "first":
            return float(counted[0])
        case "last":
            return float(counted[-1])
        case "change":
            return float(counted[-1] - counted[0])
        case "mean" | "sum" | "min" | "max" as name:
            return float(getattr(np, name)(counted))


def _reason(error: Exception) -> str:
    return f"`{error.args[0]}` is not there" if isinstance(error, KeyError) else str(error)
