"""Small plots as inline SVG: histograms, overlaid distributions, bars, intervals. Everything written is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WIDTH, HEIGHT = 260, 110
_LEFT, _BOTTOM, _TOP = 6, 18, 6
COLOURS = ("#2b6cb0", "#c05621")
BINS = 40
MAX_BARS = 400


def distribution(
    samples: Sequence[NDArray[np.float64]], *, title: str, bounds: tuple[float, float] | None = None
) -> str:
    """Draw one or two samples over common bins, each as a share of its own size.

    Args:
        samples: (N,) each; numbers that are not finite are left out.
        title: For readers of the page, and screen readers.
        bounds: Two vertical lines.
    """
    finite = [sample[np.isfinite(sample)] for sample in samples]
    everything = np.concatenate(finite) if finite else np.zeros(0)
    if not everything.size:
        return _frame(title, '<text x="10" y="50">no finite numbers</text>')
    marks = [bound for bound in bounds or () if np.isfinite(bound)]
    low, high = float(min(everything.min(), *marks, np.inf)), float(max(everything.max(), *marks, -np.inf))
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS + 1)
    shares = [np.histogram(sample, edges)[0] / max(sample.size, 1) for sample in finite]
    top = max(float(share.max()) for share in shares) or 1.0
    parts = [
        _steps(share, top, COLOURS[number % 2], filled=len(shares) == 1)
        for number, share in enumerate(shares)
    ]
    for mark in marks:
        x = _x((mark - low) / (high - low))
        parts.append(f'<line class="bound" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM}"/>')
    return _frame(title, "".join(parts) + _axis(low, high))


def bars(values: Sequence[float], classes: Sequence[str], *, title: str) -> str:
    """Draw a bar an episode, coloured by its class (`yes`, `no`, `unknown`); of many, evenly spread ones."""
    step = max(1, -(-len(values) // MAX_BARS))
    shown = list(zip(values, classes, strict=True))[::step]
    top = max((value for value, _ in shown), default=1.0) or 1.0
    width = (WIDTH * 3 - 2 * _LEFT) / max(len(shown), 1)
    room = HEIGHT - _BOTTOM - _TOP
    parts = [
        f'<rect class="{escape(kind)}" x="{_LEFT + number * width:.2f}" width="{max(width * 0.85, 0.5):.2f}" '
        f'y="{HEIGHT - _BOTTOM - room * value / top:.2f}" height="{room * value / top:.2f}"/>'
        for number, (value, kind) in enumerate(shown)
    ]
    label = f'<text x="{_LEFT}" y="{HEIGHT - 4}">0 … {len(values) - 1}, up to {top:.4g}</text>'
    return _frame(title, "".join(parts) + label, width=WIDTH * 3)


def interval(middle: float, low: float, high: float, scale: float, *, title: str) -> str:
    """Draw a difference with its interval around zero, on an axis of ± scale."""
    span = scale or 1.0

    def place(value: float) -> float:
        return 100 + 90 * max(-1.0, min(1.0, value / span))

    body = (
        '<line class="zero" x1="100" x2="100" y1="2" y2="18"/>'
        f'<line class="interval" x1="{place(low):.1f}" x2="{place(high):.1f}" y1="10" y2="10"/>'
        f'<circle cx="{place(middle):.1f}" cy="10" r="3.5"/>'
    )
    return f'<svg viewBox="0 0 200 20" width="200" height="20" role="img"><title>{escape(title)}</title>{body}</svg>'


def _x(share: float) -> float:
    return _LEFT + share * (WIDTH - 2 * _LEFT)


def _steps(shares: NDArray[np.float64], top: float, colour: str, *, filled: bool) -> str:
    base, room = HEIGHT - _BOTTOM, HEIGHT - _BOTTOM - _TOP
    points = [f"{_x(0):.1f},{base}"]
    for number, share in enumerate(shares):
        y = base - room * share / top
        points += [f"{_x(number / BINS):.1f},{y:.1f}", f"{_x((number + 1) / BINS):.1f},{y:.1f}"]
    points.append(f"{_x(1):.1f},{base}")
    opacity = 0.75 if filled else 0.25
    return (
        f'<polygon points="{" ".join(points)}" fill="{colour}" fill-opacity="{opacity}" stroke="{colour}"/>'
    )


def _axis(low: float, high: float) -> str:
    y = HEIGHT - 4
    return (
        f'<text x="{_LEFT}" y="{y}">{low:.4g}</text>'
        f'<text x="{WIDTH - _LEFT}" y="{y}" text-anchor="end">{high:.4g}</text>'
    )


def _frame(title: str, body: str, width: int = WIDTH) -> str:
    base = HEIGHT - _BOTTOM
    axis = f'<line class="axis" x1="{_LEFT}" x2="{width - _LEFT}" y1="{base}" y2="{base}"/>'
    return (
        f'<figure><svg viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}" role="img">'
        f"<title>{escape(title)}</title>{axis}{body}</svg><figcaption>{escape(title)}</figcaption></figure>"
    )
