"""Order and units of the numbers of two vectors that are the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.pair import size
from rpent_robosmith.compatibility.units import factor

if TYPE_CHECKING:
    from rpent_robosmith.inspect.api import Feature


def order_of(taken: tuple[str, ...], given: tuple[str, ...]) -> tuple[int, ...]:
    """Return taken[i] = given[order[i]], where both have the same names in another order; else nothing."""
    if taken == given or sorted(taken) != sorted(given) or len(set(taken)) != len(taken):
        return ()
    return tuple(given.index(name) for name in taken)


def unit_of(feature: Feature, index: int) -> str:
    """Return the unit of one of a feature's numbers."""
    return feature.units[index] if index < len(feature.units) else feature.unit


def unit_scales(taken: Feature, given: Feature) -> tuple[float, ...]:
    """Return the factor for each number, in the order of who takes them; nothing where all are 1.

    What has no factor (metres to radians) keeps 1; the check of units says so.
    """
    if taken.kind != "vector" or given.kind != "vector" or size(taken) != size(given):
        return ()
    order = order_of(taken.names, given.names) or tuple(range(size(taken)))
    scales = [factor(unit_of(given, order[i]), unit_of(taken, i)) or 1.0 for i in range(size(taken))]
    return tuple(scales) if any(scale != 1.0 for scale in scales) else ()
