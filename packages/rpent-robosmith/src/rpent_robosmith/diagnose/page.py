"""The frame of an HTML report: one file, no script, nothing fetched, everything from data escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpent_robosmith.diagnose.records import Finding

_STYLE = """
:root{color-scheme:light dark}
body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}
h1{font-size:1.3rem;overflow-wrap:anywhere} h2{font-size:1.05rem;margin-top:2rem}
table{border-collapse:collapse;display:block;overflow-x:auto}
td,th{padding:.15rem .7rem .15rem 0;text-align:left;vertical-align:top;font-variant-numeric:tabular-nums}
th{font-weight:600} tr+tr td{border-top:1px solid #8883}
figure{display:inline-block;margin:0 .6rem .6rem 0} figcaption{font-size:.8rem;opacity:.8}
svg text{font-size:10px;fill:currentColor} .axis,.zero{stroke:#888} .bound{stroke:#c53030;stroke-dasharray:3 2}
.interval{stroke:currentColor;stroke-width:2} svg circle{fill:currentColor}
.yes{fill:#2f855a} .no{fill:#c53030} .unknown{fill:#718096}
.error{color:#c53030} .warning{color:#b7791f} .info{color:#3182ce}
.a{color:#2b6cb0} .b{color:#c05621}
"""


def page(title: str, sections: Iterable[str]) -> str:
    """Return a whole page.

    Args:
        title: Plain text.
        sections: HTML that this package made.
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(sections)
        + "\n</body></html>\n"
    )


def section(title: str, *parts: str) -> str:
    """Return a heading and what is under it; nothing where there is nothing."""
    body = "\n".join(part for part in parts if part)
    return f"<h2>{escape(title)}</h2>\n{body}" if body else ""


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of plain text and plots."""
    if not rows:
        return ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    lines = ["".join(f"<td>{_cell(cell)}</td>" for cell in row) for row in rows]
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


class Plot(str):
    """HTML of a plot: the only text that is not escaped."""

    __slots__ = ()


def _cell(cell: str) -> str:
    return cell if isinstance(cell, Plot) else escape(cell)


def finding_list(findings: Sequence[Finding]) -> str:
    """Return the findings as a list."""
    if not findings:
        return "<p>Nothing.</p>"
    items = [
        f'<li><b class="{finding.severity}">{finding.severity}</b> {escape(finding.text)}</li>'
        for finding in findings
    ]
    return f"<ul>{''.join(items)}</ul>"


def paragraphs(lines: Iterable[str]) -> str:
    """Return each line of plain text as a paragraph."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines)
