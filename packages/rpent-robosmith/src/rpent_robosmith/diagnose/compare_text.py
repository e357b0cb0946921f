"""A comparison as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.printable import printable

from rpent_robosmith.diagnose.text import number, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.diagnose.compare import Comparison, Distribution, Quantity

QUANTITY_HEADER = ("", "A", "B", "B - A", "95 % interval", "p", "corrected p", "")
DISTRIBUTION_HEADER = ("number", "mean A", "mean B", "std A", "std B", "KS distance", "p", "corrected p", "")


def lines(comparison: Comparison) -> Iterator[str]:
    """Yield the comparison, line by line."""
    yield f"A  {printable(comparison.a)} ({comparison.episodes_a} episodes)"
    yield f"B  {printable(comparison.b)} ({comparison.episodes_b} episodes)"
    yield ""
    yield from verdict(comparison)
    yield from (f"note: {printable(note)}" for note in comparison.notes)
    yield "\nPer episode (means; permutations of episodes, corrected by Holm)"
    yield from table(QUANTITY_HEADER, [quantity(each) for each in comparison.quantities])
    vectors = dict.fromkeys(each.vector for each in comparison.distributions)
    for vector in vectors:
        members = [each for each in comparison.distributions if each.vector == vector]
        yield f"\nDistribution of {printable(vector)} over all steps"
        yield from table(DISTRIBUTION_HEADER, [distribution(each) for each in members])


def verdict(comparison: Comparison) -> Iterator[str]:
    """Yield what got worse and better, or that nothing did beyond chance."""
    yield from (f"worse: {printable(text)}" for text in comparison.degradations)
    yield from (f"better: {printable(text)}" for text in comparison.improvements)
    if not comparison.degradations:
        yield f"No degradation beyond chance (level {comparison.level:g}, corrected for the number of tests)."


def quantity(each: Quantity) -> tuple[str, ...]:
    """Return a quantity's cells, under `QUANTITY_HEADER`."""
    interval = each.interval
    return (
        f"{each.name} {each.unit}".rstrip(),
        number(each.a),
        number(each.b),
        f"{each.difference:+.4g}",
        "" if interval is None else f"{interval.low:+.4g} to {interval.high:+.4g}",
        f"{each.p:.4g}",
        f"{each.p_corrected:.4g}",
        "differs" if each.significant else "",
    )


def distribution(each: Distribution) -> tuple[str, ...]:
    """Return a number's cells, under `DISTRIBUTION_HEADER`."""
    return (
        each.name,
        *(number(value) for value in (each.mean_a, each.mean_b, each.std_a, each.std_b)),
        number(each.distance),
        f"{each.p:.4g}",
        f"{each.p_corrected:.4g}",
        "differs" if each.significant else "",
    )
