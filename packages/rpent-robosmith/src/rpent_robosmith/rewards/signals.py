"""What a template can reward at a single step: measures, limits and the environment's own signal, as source text.

A measure is one number an episode; its source text here is the number of one step, before the episode's steps are
reduced. An `error` is never negative and best at 0, a `gain` is better when higher.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts, SpaceFacts
    from rpent_robosmith.measures import Measure, Quantity
    from rpent_robosmith.task import TaskSpec

_NEVER_NEGATIVE = ("abs", "square", "norm")
_STEPWISE = ("mean", "min", "max", "first", "last")
"""Reductions whose bounds are also bounds of a step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """What one step says of a measure."""

    measure: str
    kind: Literal["error", "gain"]
    function: str
    """Name of the function that the source text defines."""
    source: str
    """`def function(obs, action, info): ...`, ending in a newline."""
    tolerance: float
    """An error below it is as good as success."""
    span: float
    """How large it usually gets: from the bounds of the spaces where they are finite, else 1."""
    needs_only_observation: bool
    """Whether it can be taken before a step as well: of a potential."""

    @property
    def width(self) -> float:
        """What of it counts as one: of a gain its span, of an error something between its tolerance and its span."""
        width = self.span if self.kind == "gain" else math.sqrt(self.tolerance * self.span)
        return float(f"{width:.3g}")


def signals(entry: EnvEntry, facts: EnvFacts) -> tuple[Signal, ...]:
    """Return the signals of the environment's measures: success's first, then progress's, then the others."""
    first = (name for name in (entry.success.measure, entry.progress) if name in entry.measures)
    names = dict.fromkeys([*first, *entry.measures])
    return tuple(_signal(name, entry, facts) for name in names if name is not None)


def limits(task: TaskSpec, entry: EnvEntry, facts: EnvFacts) -> tuple[Signal, ...]:
    """Return an error for each safety limit that says something of single steps: 0 within, growing outside."""
    return tuple(
        Signal(
            measure=name,
            kind="error",
            function=f"beyond_{_identifier(name)}",
            source=_function(
                f"beyond_{_identifier(name)}", entry.measures[name], facts, _outside(at_least, at_most)
            ),
            tolerance=0.0,
            span=_span(entry.measures[name], facts),
            needs_only_observation=False,
        )
        for name, at_least, at_most in _limited(task, entry)
    )


def _limited(task: TaskSpec, entry: EnvEntry) -> Iterator[tuple[str, float | None, float | None]]:
    for criterion in task.safety:
        name = criterion.metric.removeprefix("mean_")
        measure = entry.measures.get(name)
        if measure is None or measure.reduce not in _STEPWISE:
            continue
        above = criterion.operator in {">=", ">"}
        yield name, criterion.threshold if above else None, None if above else criterion.threshold


def _signal(name: str, entry: EnvEntry, facts: EnvFacts) -> Signal:
    measure = entry.measures[name]
    bounds = _bounds(name, measure, entry)
    kind, finish = _reading(measure, bounds)
    span = _span(measure, facts)
    return Signal(
        measure=name,
        kind=kind,
        function=f"{kind}_{_identifier(name)}",
        source=_function(f"{kind}_{_identifier(name)}", measure, facts, finish),
        tolerance=_tolerance(measure, bounds, span),
        span=span,
        needs_only_observation=all(
            part is None or part.of == "observation" for part in (measure.quantity, measure.minus)
        ),
    )


def _bounds(name: str, measure: Measure, entry: EnvEntry) -> tuple[float | None, float | None]:
    """Return between what a step's number should be, where that is said."""
    if measure.reduce == "fraction":
        return measure.at_least, measure.at_most
    if entry.success.measure == name and measure.reduce in _STEPWISE:
        return entry.success.at_least, entry.success.at_most
    return None, None


def _reading(
    measure: Measure, bounds: tuple[float | None, float | None]
) -> tuple[Literal["error", "gain"], str]:
    """Return whether it is an error or a gain, and the expression of it in `value`."""
    at_least, at_most = bounds
    if measure.reduce == "fraction":
        if measure.better == "higher":
            return "error", _outside(at_least, at_most)
        return "error", f"0.0 if {_outside(at_least, at_most)} > 0.0 else 1.0"
    if measure.better == "lower":
        return ("error", "value") if measure.map in _NEVER_NEGATIVE else ("gain", "-value")
    if at_least is not None or at_most is not None:
        return "error", _outside(at_least, at_most)
    return "gain", "value"


def _tolerance(measure: Measure, bounds: tuple[float | None, float | None], span: float) -> float:
    if (
        measure.better == "lower"
        and measure.map in _NEVER_NEGATIVE
        and bounds[1] is not None
        and bounds[1] > 0
    ):
        return bounds[1]
    return 0.05 * span


def _outside(at_least: float | None, at_most: float | None) -> str:
    parts = ["0.0"]
    if at_least is not None:
        parts.append(f"{at_least!r} - value")
    if at_most is not None:
        parts.append(f"value - {at_most!r}")
    return f"max({', '.join(parts)})"


def _function(name: str, measure: Measure, facts: EnvFacts, finish: str) -> str:
    vector = _vector(measure.quantity, facts.observation)
    if measure.minus is not None:
        vector = f"{vector} - {_vector(measure.minus, facts.observation)}"
    mapped = {
        "norm": "np.linalg.norm(vector)",
        "abs": "abs(vector[0])",
        "square": "vector[0] ** 2",
        "degrees": "np.degrees(vector[0])",
        "none": "vector[0]",
    }[measure.map]
    lines = [f"def {name}(obs, action, info):", f"    vector = {vector}", f"    value = float({mapped})"]
    return "\n".join([*lines, f"    return {finish}", ""])


def _vector(quantity: Quantity, observation: SpaceFacts) -> str:
    if quantity.of == "reward":
        return 'np.array([info["env_reward"]], dtype=float)'
    source = {"observation": "obs", "action": "action", "info": "info"}[quantity.of]
    if quantity.of == "observation" and quantity.key is None and observation.kind == "dict":
        flat = "np.concatenate([np.ravel(obs[key]) for key in sorted(obs)])"
    else:
        part = source if quantity.key is None else f"{source}[{quantity.key!r}]"
        flat = f"np.asarray({part}, dtype=float).reshape(-1)"
    return f"{flat}[{list(quantity.index)}]" if quantity.index else flat


def _span(measure: Measure, facts: EnvFacts) -> float:
    """Return how far a number goes: half the width of the narrowest bounds, the diagonal for a norm; else 1."""
    if measure.map == "degrees":
        return 180.0
    halves = [
        half
        for quantity in (measure.quantity, measure.minus)
        if quantity is not None and quantity.of in {"observation", "action"}
        for half in _half_widths(quantity, facts)
    ]
    sensible = [half for half in halves if 0.0 < half < 1e3]
    if not sensible or len(sensible) < len(halves):
        return 1.0
    if measure.map == "norm":
        return float(f"{math.sqrt(sum(half**2 for half in sensible)):.3g}")
    return float(f"{min(sensible):.3g}")


def _half_widths(quantity: Quantity, facts: EnvFacts) -> list[float]:
    space = facts.action if quantity.of == "action" else facts.observation
    if quantity.key is not None and space.kind == "dict":
        space = space.parts.get(quantity.key, space)
    if not space.low or not space.high or len(space.low) != len(space.high):
        return [math.inf]
    numbers = quantity.index or range(len(space.low))
    return [
        (space.high[number] - space.low[number]) / 2 if number < len(space.low) else math.inf
        for number in numbers
    ]


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name, flags=re.ASCII).lower()
