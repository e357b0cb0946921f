"""Units that artefacts name, and the factors between them."""

from __future__ import annotations

import math

_BASE = {
    "m": ("m", 1.0),
    "cm": ("m", 0.01),
    "mm": ("m", 0.001),
    "rad": ("rad", 1.0),
    "deg": ("rad", math.pi / 180),
    "m/s": ("m/s", 1.0),
    "cm/s": ("m/s", 0.01),
    "mm/s": ("m/s", 0.001),
    "rad/s": ("rad/s", 1.0),
    "deg/s": ("rad/s", math.pi / 180),
    "n": ("N", 1.0),
    "nm": ("N·m", 1.0),
    "s": ("s", 1.0),
    "ms": ("s", 0.001),
}
_NAMES = {
    "meter": "m",
    "metre": "m",
    "position": "",
    "radian": "rad",
    "degree": "deg",
    "degrees": "deg",
    "radians": "rad",
    "meters": "m",
    "metres": "m",
    "°": "deg",
    "°/s": "deg/s",
    "n·m": "nm",
    "n m": "nm",
    "newton": "n",
}


def known(unit: str) -> str:
    """Return a unit as it is known here, or an empty string."""
    text = unit.strip().lower()
    text = _NAMES.get(text, text)
    return text if text in _BASE else ""


def factor(one: str, other: str) -> float | None:
    """Return what a number in `one` is multiplied with to be in `other`; None where they measure different things.

    An empty or unknown unit fits every other.
    """
    left, right = known(one), known(other)
    if not left or not right:
        return 1.0
    (kind, scale), (other_kind, other_scale) = _BASE[left], _BASE[right]
    return scale / other_scale if kind == other_kind else None
