"""Text of models, tools and services on a terminal: what would steer the terminal is shown instead of obeyed."""

from __future__ import annotations

_CONTROLS = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_CONTROLS |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_CONTROLS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)
_KEPT = {ord("\n"), ord("\t")}
_TABLE = {code: picture for code, picture in _CONTROLS.items() if code not in _KEPT}


def printable(text: str) -> str:
    """Return the text with control characters (escape sequences, carriage returns, text direction) made visible.

    Line feeds and tabs stay; ESC becomes `␛`.
    """
    return text.translate(_TABLE)
