"""Which environment a sentence is about: a score between 0 and 1, and a threshold.

The score is the share of the sentence's telling words that an entry knows (its tags, name and robot fully, its
description by half). A word about a body (`arm`, `ant`, `drone`) weighs half, for it is no task; an entry without that
body is no answer however well the rest fits. What the sentence says no to counts against an entry that has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent_robosmith.catalog.words import BODIES, canonical, form, says_nothing, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpent_robosmith.catalog.entry import EnvEntry

THRESHOLD = 0.6
"""An entry that scores less is shown as a near miss, and not taken."""
BODY_WEIGHT = 0.5
DESCRIPTION_WEIGHT = 0.5
WRONG_BODY = 0.4
"""What remains of a score where the sentence's body is not the entry's."""
REFUSED = 0.5
"""What remains where the sentence says no to a word of the entry; nothing where it is the entry's robot or name."""
_REST = (
    r"(?P<words>\W+(?:using\W+|with\W+)?\w[^.,;:!?()]*?)"
    r"(?=[.,;:!?()]|\b(?:but|although|though|yet|so that|using|while)\b|$)"
)
_DO_NOT = re.compile(
    r"\b(?:never|cannot|\w+n['\u2019]t|(?:do|does|did|can|may|must|shall|should|will|is|are|be)\W+not|"
    r"(?:without|avoids?|avoiding|not)(?=\s+(?!using\b)(?:\w+\s+){0,3}?(?!using\b)\w+ing\b))" + _REST,
    re.IGNORECASE,
)
"""Says what must not happen: `without falling`, `do not let the cart leave the track`. No thing is meant by it."""
_NO = re.compile(
    r"\b(?:without|no|not|none|avoid(?:s|ing)?|except|excluding|rather than|instead of|other than|nor)\b"
    + _REST,
    re.IGNORECASE,
)
"""Says which things are not meant: `without an arm`, `not with a humanoid`."""
_NO_BODIES = {"none", "toy"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """What is looked for."""

    words: tuple[str, ...]
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """How well one entry fits."""

    entry: EnvEntry
    score: float
    matched: tuple[str, ...]
    missed: tuple[str, ...]
    reason: str = ""
    """Why the score is lower than the words alone would make it."""


@dataclass(frozen=True, slots=True)
class _Words:
    own: frozenset[str]
    """Of its id and robot."""
    strong: frozenset[str]
    """Those, and of its tags and name."""
    weak: frozenset[str]
    """Of its description."""


def query_of(sentence: str) -> Query:
    """Return the telling words of a sentence, and those that it says no to."""
    rest = _DO_NOT.sub(" ", sentence)
    refused = [word for match in _NO.finditer(rest) for word in tokens(match["words"])]
    return Query(words=telling(tokens(_NO.sub(" ", rest))), refused=telling(refused))


def telling(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words that tell one environment from another, in their order, each once."""
    return tuple(dict.fromkeys(word for word in words if not says_nothing(word)))


def search(query: Query, entries: Sequence[EnvEntry]) -> list[Scored]:
    """Return every entry that shares a word with a query, the best first; entries of one score keep their order."""
    words = [_words(entry) for entry in entries]
    known = frozenset().union(*(each.strong | each.weak for each in words)) if words else frozenset()
    wanted = tuple(dict.fromkeys(form(word, known) for word in query.words))
    refused = tuple(dict.fromkeys(form(word, known) for word in query.refused))
    found = [_scored(entry, each, wanted, refused) for entry, each in zip(entries, words, strict=True)]
    return sorted((scored for scored in found if scored.matched), key=lambda scored: -scored.score)


def _scored(entry: EnvEntry, words: _Words, wanted: Sequence[str], refused: Sequence[str]) -> Scored:
    weights = {word: BODY_WEIGHT if word in BODIES else 1.0 for word in wanted}
    hits = {word: weight * _hit(words, word) for word, weight in weights.items()}
    score = sum(hits.values()) / sum(weights.values()) if weights else 0.0
    reason = ""
    stranger = next((word for word in wanted if word in BODIES and word not in words.strong), None)
    unwanted = [word for word in refused if word in words.strong and word not in wanted]
    if stranger is not None:
        score, reason = score * WRONG_BODY, f"it has no {stranger}"
    if unwanted:
        score *= REFUSED if words.own.isdisjoint(unwanted) else 0.0
        reason = f"the sentence says no to `{unwanted[0]}`"
    return Scored(
        entry=entry,
        score=round(score, 4),
        matched=tuple(word for word in wanted if hits[word]),
        missed=tuple(word for word in wanted if not hits[word]),
        reason=reason,
    )


def _hit(words: _Words, word: str) -> float:
    if word in words.strong:
        return 1.0
    return DESCRIPTION_WEIGHT if word in words.weak else 0.0


def _words(entry: EnvEntry) -> _Words:
    robot = "" if entry.robot in _NO_BODIES else entry.robot
    own = _canonical(entry.id, robot, entry.robot_model or "")
    strong = own | _canonical(*entry.tags, entry.name)
    weak = (form(word, strong) for word in telling(tokens(entry.description)))
    return _Words(own=own, strong=strong, weak=frozenset(canonical(word) for word in weak))


def _canonical(*texts: str) -> frozenset[str]:
    return frozenset(telling(canonical(word) for text in texts for word in tokens(text)))
