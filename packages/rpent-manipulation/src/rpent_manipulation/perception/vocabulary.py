"""Text prompts against instance labels: which things of a scene does `the akita black bowl` name?

Labels are a simulator's instance names (`akita_black_bowl_1`), with a part after a slash where the instance is
articulated (`wooden_cabinet_1/top_drawer`). Prompts are the words of instructions, so every kind of object has the
names that a benchmark's instructions use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

COLOURS = frozenset(
    [
        "black",
        "white",
        "red",
        "green",
        "blue",
        "yellow",
        "brown",
        "orange",
        "grey",
        "gray",
        "silver",
        "purple",
        "pink",
    ],
)
ARTICLES = frozenset(["the", "a", "an", "of", "both", "its", "this", "that", "and"])
CONTAINERS = frozenset(["box", "bottle", "carton", "can", "container", "jar", "pack", "package"])
RELATIONS = re.compile(
    r"\b(?:on|in|inside|from|next|between|beside|behind|under|near|at|to|with|not|left|right|front)\b"
)

_MARK = "thispart"


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """What a benchmark calls its things."""

    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind of object → its names, best first. A kind that is not listed is named by its own words."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Part of an articulated instance → how instructions name it."""
    part_names: Mapping[str, str] = field(default_factory=dict)
    """What the models call a moving part → what it is called here."""
    answers_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Part, or the last word of its name → other parts that it may be asked for as: a switch is pressed like a
    button."""
    places: frozenset[str] = frozenset()
    """Words that say which of several things is meant and belong to no name: `top` in `the top drawer`."""
    whole_stands_in: bool = True
    """A whole thing is found where the asked part is not labelled, though other parts of it are."""

    def split_label(self, label: str) -> tuple[str, str]:
        """Return the kind of object and the part: `wooden_cabinet_1/top_drawer` → `wooden_cabinet`, `top_drawer`."""
        instance, _, part = label.partition("/")
        return re.sub(r"_\d+$", "", instance), self.part_names.get(part, part)

    def spoken(self, label: str) -> str:
        """Return what the perceptor calls a thing: `akita_black_bowl_1` is an `akita black bowl`."""
        kind, part = self.split_label(label)
        name = kind.replace("_", " ")
        return f"{part.replace('_', ' ')} of {name}" if part else name

    def match(self, prompt: str, labels: Sequence[str], *, min_score: float = 0.2) -> list[tuple[int, float]]:
        """Return the labels that a prompt names, best first.

        Words after a relation (`the bowl on the stove`) describe where a thing is, not what it is, and are left to the
        caller; `top drawer of the cabinet` names a part.

        Args:
            prompt: What is looked for.
            labels: Instance labels of the picture.
            min_score: Labels below this are left out, and so are those clearly worse than the best one.

        Returns:
            Pairs of (index in `labels`, score from 0 to 1).
        """
        wanted, part = self.parse(prompt)
        apart = (
            set() if self.whole_stands_in else {label.partition("/")[0] for label in labels if "/" in label}
        )
        scored = [
            (index, self._score(wanted, part, label, whole=0.0 if label in apart else 0.6))
            for index, label in enumerate(labels)
        ]
        best = max((score for _, score in scored), default=0.0)
        floor = max(min_score, 0.9 * best)
        kept = [(index, score) for index, score in scored if score >= floor and score > 0]
        return sorted(kept, key=lambda pair: -pair[1])

    def parse(self, prompt: str) -> tuple[tuple[str, ...], str]:
        """Return the words of the thing itself, and the part: `top drawer of the cabinet` → (cabinet,), top_drawer.

        A part alone takes its owner from what follows: `the button on the microwave` → (microwave,), button.
        """
        text = re.sub(r"['\u2019]s?\b", " ", prompt.lower())
        text = re.sub(r"^\s*(?:on\s+)?(?:the\s+)?top\s+of\b", " ", text)
        for phrase, part in self._part_phrases:
            marked, found = re.subn(rf"\b{phrase}\b", f" {_MARK} ", text)
            head = _head(marked)
            if found and _MARK in head:
                own = {_MARK, "handle", *part.split("_")}
                rest = self._placeless(word for word in words(head) if word not in own)
                return rest or self._owner(marked), part
        return self._placeless(words(_head(text))), ""

    def _owner(self, marked: str) -> tuple[str, ...]:
        """Return the words of the thing that a part is said to be on."""
        found = re.search(rf"{_MARK}\s+(?:on|in|of|at)\b(.*)", marked)
        return self._placeless(words(RELATIONS.split(found.group(1), maxsplit=1)[0])) if found else ()

    def _placeless(self, found: Iterable[str]) -> tuple[str, ...]:
        return tuple(word for word in found if word not in self.places)

    @cached_property
    def _part_phrases(self) -> tuple[tuple[str, str], ...]:
        pairs = [(phrase, part) for part, phrases in self.parts.items() for phrase in phrases]
        return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))

    def _names(self, kind: str) -> tuple[tuple[str, ...], ...]:
        own = kind.replace("_", " ")
        return tuple(words(name) for name in (*self.aliases.get(kind, ()), own))

    def _score(self, wanted: tuple[str, ...], part: str, label: str, *, whole: float) -> float:
        kind, label_part = self.split_label(label)
        names = self._names(kind)
        if label_part:
            weight = self._part_fit(part, label_part, names)
        elif part and any({*wanted, *part.split("_")} == set(name) for name in names):
            return 1.0  # a thing of its own that is called like a part: a kitchen drawer, a dish rack
        else:
            weight = whole if part else 1.0
        if wanted:
            return weight * max((_overlap(wanted, name) for name in names), default=0.0)
        named = any(set(name) & set(part.split("_")) for name in names)
        return weight * 0.9 if part and (label_part or named) else 0.0

    def _part_fit(self, part: str, label_part: str, names: Sequence[Sequence[str]]) -> float:
        """Return how well a part fits the asked one: `left_door` is a `door`, and a door without a side may do.

        The last of the names is the kind's own: the `handle` of a `drawer` is a drawer handle.
        """
        asked, own = part.split("_"), label_part.split("_")
        if asked == own:
            return 1.0
        if asked[-1] == own[-1] and set(asked) < set(own):
            return 0.95 if set(own) - set(asked) <= self.places else 0.92
        if asked[-1] == own[-1] and set(own) < set(asked):
            return 1.0 if set(asked) - set(own) <= set(names[-1]) else 0.6
        others = self.answers_to.get(label_part) or self.answers_to.get(own[-1], ())
        return 0.85 if part in others else 0.0


def words(text: str) -> tuple[str, ...]:
    """Return the words that tell things apart: lower case, without articles, plurals made singular."""
    found = re.findall(r"[a-z0-9]+", text.lower())
    return tuple(_singular(word) for word in found if word not in ARTICLES)


def _head(text: str) -> str:
    """Return what stands before the first relation; of a text that starts with one, all other words."""
    head = RELATIONS.split(text, maxsplit=1)[0]
    return head if words(head) else RELATIONS.sub(" ", text)


def _singular(word: str) -> str:
    if word.endswith("ies") and word not in {"series"}:
        return "cookie" if word == "cookies" else word[:-3] + "y"
    return word[:-1] if word.endswith("s") and len(word) > 3 and not word.endswith("ss") else word


def _overlap(wanted: Iterable[str], name: Sequence[str]) -> float:
    """Return how well a name fits: 0.6 of the share of prompt words, 0.4 of the share of name words."""
    asked = list(wanted)
    if len(asked) > 1 and asked[-1] in CONTAINERS and asked[-1] not in name:
        asked.pop()
    shared = set(asked) & set(name)
    if asked[-1] not in name or not shared:
        return 0.0
    asked_colours, own_colours = COLOURS & set(asked), COLOURS & set(name)
    if asked_colours and own_colours and not asked_colours & own_colours:
        return 0.0
    return 0.6 * len(shared) / len(set(asked)) + 0.4 * len(shared) / len(set(name))
