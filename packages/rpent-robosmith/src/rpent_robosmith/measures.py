"""What counts as doing well in an episode, as data: how a number is read from it, and when it is a success.

No expression is evaluated: a measure names a quantity, what is done to it at each step, and how the steps become one
number. The same data serve catalogs, task specs, the model's proposals, trainings, evaluations and reports.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from rpent_robosmith.data import Data


class Quantity(Data):
    """A vector at each step: a part of the observation or action, an entry of `info`, the environment's reward."""

    of: Literal["observation", "action", "info", "reward"] = "observation"
    """`observation` is the one *after* the step's action."""
    key: str | None = None
    """Part of a Dict observation, or entry of `info`."""
    index: tuple[int, ...] = ()
    """Which numbers; empty takes all of them."""


class Measure(Data):
    """One number an episode."""

    summary: str = ""
    unit: str = ""
    quantity: Quantity
    minus: Quantity | None = None
    """What is subtracted before `map`: the distance to a goal is a difference and `norm`."""
    map: Literal["none", "abs", "square", "norm", "degrees"] = "none"
    """What becomes of the vector at each step; `norm` is Euclidean. Without `norm` the vector must have one number."""
    at_least: float | None = None
    at_most: float | None = None
    """For `fraction`: which steps count."""
    last: int | None = Field(None, ge=1)
    """Only the last so many steps of the episode; None means all."""
    reduce: Literal["mean", "sum", "min", "max", "first", "last", "fraction", "change"] = "last"
    better: Literal["higher", "lower"] = "higher"

    @model_validator(mode="after")
    def _bounds_are_for_fractions(self) -> Self:
        bounded = self.at_least is not None or self.at_most is not None
        if bounded != (self.reduce == "fraction"):
            raise ValueError("`at_least` and `at_most` say which steps a `fraction` counts, and only that")
        return self


class Success(Data):
    """When an episode is a success: the environment's own signal, or a declared criterion."""

    signal: str | None = None
    """Entry of `info`: `is_success`."""
    when: Literal["last", "ever"] = "last"
    measure: str | None = None
    """Name of a measure of the environment, or `return` (the environment's own reward, summed) or `length`."""
    at_least: float | None = None
    at_most: float | None = None
    terminated: bool | None = None
    """Whether the episode must (or must not) have ended by itself besides."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.signal is None) == (self.measure is None):
            raise ValueError("a success is either a `signal` or a `measure` with bounds")
        if (self.measure is not None) != (self.at_least is not None or self.at_most is not None):
            raise ValueError("`at_least` and `at_most` bound the `measure`")
        return self

    @property
    def declared(self) -> bool:
        """Whether it is a criterion of ours instead of the environment's own signal."""
        return self.signal is None
