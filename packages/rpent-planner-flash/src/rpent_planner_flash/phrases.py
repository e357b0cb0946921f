"""The lower half of the grammar: words → things and prepositional phrases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from rpent_planner_flash.goals import SIDE_RELATIONS, Direction, Reference, Relation
from rpent_planner_flash.lexicon import (
    COLOURS,
    DESCRIBERS,
    DETERMINERS,
    DIRECTIONS,
    FILLERS,
    LEVELS,
    PART_NOUNS,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIERS,
    SEPARATORS,
    STAND_INS,
    SURFACES,
    VERBS,
    Preposition,
    Verb,
)
from rpent_planner_flash.names import reference
from rpent_planner_flash.sentences import commands, stems

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_T = TypeVar("_T")

IT = Reference("it")
"""Stands for whatever was mentioned; compared by identity."""
_LONGEST_VERB = max(map(len, VERBS))
_LONGEST_PREPOSITION = max(map(len, PREPOSITIONS))
_VERB_WORDS = {words[0] for words in VERBS}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A prepositional phrase; `bare` when nothing follows the preposition (`put the bowl inside`)."""

    preposition: Preposition
    anchors: tuple[Reference, ...] = ()
    side: Direction | None = None
    negated: bool = False
    on_top: bool = False
    describes: bool = False
    """It was bound to the thing before it: `the plate located on the counter`."""

    @property
    def bare(self) -> bool:
        """Whether it names neither a thing nor a side."""
        return not self.anchors and self.side is None

    @property
    def is_side(self) -> bool:
        """Whether it only picks a side: `on the left`, `in the middle`."""
        return self.side is not None and not self.anchors

    def relation(self) -> Relation:
        """Return what it says about the thing that it describes."""
        if self.side is not None:
            if not self.anchors:
                return Relation("side", side=self.side, negated=self.negated)
            return Relation(SIDE_RELATIONS[self.side], self.anchors, negated=self.negated)
        anchor = self.anchors[0] if self.anchors else None
        if anchor is not None and anchor.noun in SURFACES and anchor.sides == ("middle",):
            return Relation("center", (replace(anchor, relations=()),), negated=self.negated)
        match self.preposition:
            case "from" | "to" | "at" | "out":
                inside = anchor is not None and anchor.noun in PART_NOUNS
                return Relation("in" if inside else "on", self.anchors, negated=self.negated)
            case kind:
                return Relation(kind, self.anchors, negated=self.negated)


class PhraseParser:
    """A cursor over the instruction's words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        self.bound: set[int] = set()
        """Where words stand that follow `located` and the like."""
        for sentence in commands(text):
            for token in sentence:
                if token in DESCRIBERS:
                    self.bound.add(len(self.tokens))
                if token not in FILLERS:
                    self.tokens.append(token)
        self.position = 0
        self.aims = False
        """`to` and a verb say what for, and not whereto: `press the button to serve coffee`."""

    @property
    def done(self) -> bool:
        """Whether every word was read."""
        return self.position >= len(self.tokens)

    def peek(self, ahead: int = 0) -> str:
        """Return a word ahead, or nothing."""
        at = self.position + ahead
        return self.tokens[at] if at < len(self.tokens) else ""

    def skip(self, words: Collection[str]) -> None:
        """Go over the words of a class."""
        while self.peek() in words and not self.done:
            self.position += 1

    def verb(self) -> Verb | None:
        """Read a verb, if one comes."""
        found = self._match(VERBS, _LONGEST_VERB)
        if found is None:
            return None
        self.position += found[0]
        return found[1]

    def gerund(self) -> Verb | None:
        """Read a verb in `-ing`, if one comes."""
        for stem in stems(self.peek()):
            found = self._match(VERBS, _LONGEST_VERB, first=stem)
            if found is not None:
                self.position += found[0]
                return found[1]
        return None

    def means(self) -> bool:
        """Read `by`, when how to do it comes: `by pressing the button`."""
        found = self._means_follow()
        self.position += found
        return found

    def aim(self) -> list[str]:
        """Read what it is for, if that comes (`to serve coffee`): the words after `to`, up to the sentence's end."""
        if not self._aim_follows():
            return []
        rest = self.tokens[self.position + 1 :]
        ends = [number for number, token in enumerate(rest) if token in (".", ";", "then")]
        words = rest[: ends[0]] if ends else rest
        self.position += 1 + len(words)
        return words

    def _means_follow(self) -> bool:
        return self.peek() == "by" and self._gerund_follows(1)

    def _gerund_follows(self, ahead: int = 0) -> bool:
        return any(stem in _VERB_WORDS for stem in stems(self.peek(ahead)))

    def _aim_follows(self) -> bool:
        following = self.peek(1)
        if self.peek() != "to" or not following:
            return False
        if (
            following in DETERMINERS
            or following in DIRECTIONS
            or following in LEVELS
            or following in PRONOUNS
        ):
            return False
        return self.aims or following in _VERB_WORDS or self.peek(2) in DETERMINERS

    def things(self) -> list[Reference]:
        """Read an object: one thing or several joined by `and`; empty when none comes."""
        first = self._thing()
        if first is None:
            return []
        found = [first]
        while self.peek() in ("and", ",") and (following := self._another_thing()) is not None:
            found.append(following)
        # `both A and B`: the quantity counted what is now listed.
        return [replace(thing, count=1) for thing in found] if len(found) > 1 else found

    def phrases(self) -> list[Phrase]:
        """Read the prepositional phrases that follow."""
        found = []
        while (phrase := self._phrase()) is not None:
            found.append(phrase)
        return found

    def _another_thing(self) -> Reference | None:
        """Read `and B` after A when B is a thing, and not the start of a clause."""
        start = self.position
        self.skip(SEPARATORS)
        clause = self._match(VERBS, _LONGEST_VERB) is not None or self._gerund_follows()
        if not clause and (thing := self._thing()) is not None:
            return thing
        self.position = start
        return None

    def _phrase(self) -> Phrase | None:
        if self._means_follow() or self._aim_follows():
            return None
        describes = self.position in self.bound
        phrase = self._plain_phrase()
        return replace(phrase, describes=True) if phrase is not None and describes else phrase

    def _plain_phrase(self) -> Phrase | None:
        start = self.position
        negated = self.peek() == "not"
        self.position += negated
        sided = self._sided_phrase(negated)
        if sided is not None:
            return sided
        found = self._match(PREPOSITIONS, _LONGEST_PREPOSITION)
        if found is None:
            self.position = start
            return None
        length, preposition = found
        on_top = "top" in self.tokens[self.position : self.position + length]
        self.position += length
        if preposition == "on" and self.peek() == "top" and self.peek(1) in ("", *SEPARATORS):
            self.position += 1  # `the lid on top`
            on_top = True
        if preposition == "between":
            return Phrase(preposition, tuple(self.things()), negated=negated)
        thing = self._thing()
        if thing is None:
            return Phrase(preposition, negated=negated, on_top=on_top)
        if thing.noun in DIRECTIONS and thing.owner is not None:  # `the stove's front`
            return Phrase(preposition, (thing.owner,), DIRECTIONS[thing.noun], negated)
        return Phrase(preposition, (thing,), negated=negated, on_top=on_top)

    def _sided_phrase(self, negated: bool) -> Phrase | None:
        """Read `to the right [side] [of X]`, `on the left`, `in the middle of X`, `right of X`."""
        start = self.position
        preposition = self._match(PREPOSITIONS, 1)
        if preposition is not None and preposition[1] in ("on", "in", "to", "at", "from"):
            self.position += 1
        self.skip(DETERMINERS)
        side = DIRECTIONS.get(self.peek())
        if side is not None:
            self.position += 1
            self.skip({"side"})
            if self.peek() == "of":
                self.position += 1
                anchor = self._thing()
                if anchor is not None:
                    return _sided(side, anchor, negated)
            elif preposition is not None and not self._noun_follows():
                return Phrase(preposition[1], side=side, negated=negated)
        self.position = start
        return None

    def _noun_follows(self) -> bool:
        word = self.peek()
        if word == "" or word in SEPARATORS or word == "not":
            return False
        return self._match(PREPOSITIONS, _LONGEST_PREPOSITION) is None

    def _thing(self) -> Reference | None:
        start = self.position
        count = QUANTIFIERS.get(self.peek(), 1)
        self.position += count > 1
        self.skip({"of"} if count > 1 else ())
        if self.peek() in PRONOUNS and not self._word_follows_pronoun():
            self.position += 1
            return IT
        self.skip(DETERMINERS)
        words = self._words()
        if not words:
            self.position = start
            return None
        if len(words) == 1 and words[0] in STAND_INS and self.peek() != "of":
            return IT
        owner = None
        if self.peek() == "'s":
            self.position += 1
            owner = reference(words)
            words = self._words()
        elif self.peek() == "of":
            self.position += 1
            owner = self._thing()
        return reference(words, owner, count)

    def _word_follows_pronoun(self) -> bool:
        return self.peek() == "this" and self.peek(1) not in SEPARATORS and self.peek(1) != ""

    def _words(self) -> list[str]:
        """Read the words of a name; `and` belongs to it only between colours (`yellow and white mug`)."""
        words: list[str] = []
        while not self.done:
            word = self.peek()
            if word == "and" and words and words[-1] in COLOURS and self.peek(1) in COLOURS:
                self.position += 1
                continue
            ends = word in SEPARATORS or word in ("of", "'s", "not") or word in DETERMINERS
            if ends or self._match(PREPOSITIONS, _LONGEST_PREPOSITION) is not None:
                break
            words += word.split("-")
            self.position += 1
        return words

    def _match(
        self, table: Mapping[tuple[str, ...], _T], longest: int, first: str | None = None
    ) -> tuple[int, _T] | None:
        """Return how many words make up the longest entry that comes, and its value; `first` replaces a word."""
        for length in range(longest, 0, -1):
            key = tuple(self.tokens[self.position : self.position + length])
            if first is not None and key:
                key = (first, *key[1:])
            if len(key) == length and key in table:
                return length, table[key]
        return None


def _sided(side: Direction, anchor: Reference, negated: bool) -> Phrase:
    return Phrase(SIDE_RELATIONS[side], (anchor,), negated=negated)
