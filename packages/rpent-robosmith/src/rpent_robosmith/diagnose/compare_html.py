"""The HTML report of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.diagnose import compare_text, svg
from rpent_robosmith.diagnose.compare import column_of
from rpent_robosmith.diagnose.html import MAX_PLOTS, summary
from rpent_robosmith.diagnose.page import Plot, finding_list, page, paragraphs, section, table

if TYPE_CHECKING:
    from rpent_robosmith.diagnose.analysis import Analysis
    from rpent_robosmith.diagnose.compare import Comparison, Quantity


def comparison_page(comparison: Comparison, a: Analysis, b: Analysis) -> str:
    """Return the comparison as one HTML file: A is blue, B is orange."""
    of_a, of_b = dict(summary(a.report)), dict(summary(b.report))
    names = list(dict.fromkeys([*of_a, *of_b]))
    rows = [(name, of_a.get(name, ""), of_b.get(name, "")) for name in names]
    vectors = list(dict.fromkeys(each.vector for each in comparison.distributions))
    return page(
        f"{comparison.a} and {comparison.b}",
        (
            table(("", f"A (blue): {comparison.a}", f"B (orange): {comparison.b}"), rows),
            section("Verdict", paragraphs([*compare_text.verdict(comparison), *comparison.notes])),
            section("Per episode", _quantities(comparison)),
            *(section(f"Distribution of {vector}", _vector(vector, comparison, a, b)) for vector in vectors),
            section("Findings in A", finding_list(a.report.findings)),
            section("Findings in B", finding_list(b.report.findings)),
        ),
    )


def _quantities(comparison: Comparison) -> str:
    header = (*compare_text.QUANTITY_HEADER, "B - A, relative")
    return table(header, [(*compare_text.quantity(each), _interval(each)) for each in comparison.quantities])


def _interval(each: Quantity) -> str:
    if each.interval is None:
        return ""
    scale = max(abs(each.interval.low), abs(each.interval.high), abs(each.difference))
    plot = svg.interval(
        each.difference, each.interval.low, each.interval.high, scale, title=f"{each.name}, B - A"
    )
    return Plot(plot)


def _vector(vector: str, comparison: Comparison, a: Analysis, b: Analysis) -> str:
    members = [each for each in comparison.distributions if each.vector == vector]
    first, second = (column_of(each, vector).sample.rows for each in (a, b))
    bounds = a.report.bounds if vector == "action" else None
    plots = "".join(
        svg.distribution(
            [first[:, i], second[:, i]],
            title=f"{each.name} (KS {each.distance:.3f}{', differs' if each.significant else ''})",
            bounds=None if bounds is None else (bounds.low[i], bounds.high[i]),
        )
        for i, each in enumerate(members[:MAX_PLOTS])
    )
    header = compare_text.DISTRIBUTION_HEADER
    return plots + table(header, [compare_text.distribution(each) for each in members])
