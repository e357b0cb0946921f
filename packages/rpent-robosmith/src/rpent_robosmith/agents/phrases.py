"""What people write in a sentence, as patterns: numbers, percentages, durations, refusals."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_WORDS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "hundred": 100, "half a": 0.5, "half an": 0.5,
}  # fmt: skip
_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mio": 1e6,
    "million": 1e6,
    "millions": 1e6,
    "hundred": 1e2,
}
_SIGN = r"(?<![\d.])[+-]?"
_DIGITS = (
    rf"{_SIGN}\d{{1,3}}(?:[,_]\d{{3}}){{1,5}}(?:\.\d{{1,15}})?"
    rf"|{_SIGN}\d{{1,15}}(?:\.\d{{1,15}})?(?:e[+-]?\d{{1,3}})?|{_SIGN}\.\d{{1,15}}"
)
NUMBER = (
    rf"(?:(?:{_DIGITS})(?:\s?(?:thousand|millions?|mio|hundred)\b|[km]\b)?"
    rf"|\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?:\s(?:hundred|thousand|million))?\b)"
)
"""Digits (`50,000`, `1e6`, `100k`, `1.5 million`) or a word (`ten`, `half an`)."""
PERCENT = r"(?:\s?%|\s?per\s?cent\b|\s?percent\b)"
AT_LEAST = r"(?:at\s+least|no\s+less\s+than|not\s+less\s+than|a\s+minimum\s+of|minimum|>=|≥)"
AT_MOST = r"(?:at\s+most|no\s+more\s+than|not\s+more\s+than|up\s+to|a\s+maximum\s+of|maximum|no\s+longer\s+than|<=|≤)"
MORE = r"(?:more\s+than|over|above|exceeding|better\s+than|greater\s+than|higher\s+than|>)"
LESS = r"(?:less\s+than|fewer\s+than|under|below|lower\s+than|smaller\s+than|<)"
COMPARISON = rf"(?:{AT_LEAST}|{AT_MOST}|{MORE}|{LESS})"
REFUSAL = re.compile(
    r"\b(?:not|no|never|without|avoid(?:ing)?|instead\s+of|rather\s+than|except|do\s?n[o']t\s+use|don't)\b",
    re.I,
)
_MOST = 1e12
_CLAUSE_END = re.compile(r"[,;.:!?]|\b(?:but|and|then|while|use|using|with)\b", re.I)
_REFUSED_WORDS = 5


def number(text: str) -> float:
    """Return what a match of `NUMBER` means.

    Raises:
        ValueError: It is none.
    """
    text = " ".join(text.lower().replace(",", "").replace("_", "").split())
    found = re.fullmatch(r"([+-]?[\d.]+(?:e[+-]?\d+)?|[a-z]+(?:\san?)?)(?:\s?([a-z]+))?", text)
    if text in _WORDS:
        return float(_WORDS[text])
    if found is None:
        raise ValueError(f"`{text}` is no number")
    base, scale = found.groups()
    value = float(_WORDS[base]) if base in _WORDS else float(base)
    return value * (_SCALES[scale] if scale else 1.0)


def whole(text: str) -> int:
    """Return what a match of `NUMBER` counts; more than 10^12 is as good as that."""
    return int(min(number(text), _MOST))


def operator(comparison: str, default: str = ">=") -> str:
    """Return `>=`, `>`, `<=` or `<` for a match of `COMPARISON`; the default for nothing."""
    for pattern, meaning in ((AT_LEAST, ">="), (AT_MOST, "<="), (MORE, ">"), (LESS, "<")):
        if comparison and re.fullmatch(pattern, comparison.strip(), re.I):
            return meaning
    return default


def refused_spans(text: str) -> list[tuple[int, int]]:
    """Return where a sentence says what is not wanted: from `not`, `without`, … to the end of that clause."""
    spans = []
    for refusal in REFUSAL.finditer(text):
        rest = text[refusal.end() :]
        end = _CLAUSE_END.search(rest)
        words = re.match(rf"(?:\s*\S+){{0,{_REFUSED_WORDS}}}", rest)
        length = min(end.start() if end else len(rest), words.end() if words else len(rest))
        spans.append((refusal.start(), refusal.end() + length))
    return spans


@dataclass(slots=True)
class Text:
    """A sentence that is read piece by piece; what was understood is taken out."""

    whole: str
    rest: str = field(init=False)

    def __post_init__(self) -> None:
        self.rest = self.whole

    def take(self, pattern: str) -> list[re.Match[str]]:
        """Return the matches of a pattern in what is left, and take them out; letters match in either case."""
        found = list(re.finditer(pattern, self.rest, re.IGNORECASE))
        for match in found:
            self.blank(*match.span())
        return found

    def blank(self, start: int, end: int) -> None:
        """Take a piece out; places stay what they are."""
        self.rest = self.rest[:start] + " " * (end - start) + self.rest[end:]

    def refused(self, start: int) -> bool:
        """Whether what begins at this place is refused by the sentence."""
        return any(begin <= start < end for begin, end in refused_spans(self.whole))
