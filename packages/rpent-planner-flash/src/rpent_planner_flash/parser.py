"""Instruction → goals, by recursive descent over a small grammar of manipulation English.

    instruction := clause (separator+ clause)*
    clause      := [verb] [things] (prepositional phrase)*
    things      := thing ("and" thing)*
    thing       := [quantity] [determiner] words ["of" thing | "'s" words]
    phrase      := ["not"] preposition [thing ["and" thing]]

A clause without a verb repeats the last one's; a missing or pronominal object is what is held or mentioned.
Of several phrases after `put X`, the last one that can be a destination is it; those before it describe X,
those after it describe the target.
"""

from __future__ import annotations

from dataclasses import replace

from rpent.errors import RpentError

from rpent_planner_flash.goals import (
    SIDE_RELATIONS,
    Close,
    Goal,
    Open,
    Pick,
    Place,
    Push,
    Reference,
    RelationKind,
    Turn,
)
from rpent_planner_flash.lexicon import PART_NOUNS, SEPARATORS, Verb
from rpent_planner_flash.phrases import IT, Phrase, PhraseParser


class InstructionError(RpentError):
    """An instruction that the grammar does not cover."""


def parse(instruction: str) -> list[Goal]:
    """Compile an instruction into goals, in the order in which they are to be reached.

    Raises:
        InstructionError: A part of it is not understood; the message quotes the part.
    """
    return _ClauseParser(instruction).parse()


class _ClauseParser:
    """Turns clauses into goals and remembers what pronouns may mean."""

    def __init__(self, instruction: str) -> None:
        self.words = PhraseParser(instruction)
        self.goals: list[Goal] = []
        self.held: list[Reference] = []
        self.target: Reference | None = None
        """What was placed into, opened or switched last."""

    def parse(self) -> list[Goal]:
        words, verb = self.words, None
        words.skip(SEPARATORS)
        while not words.done:
            start = words.position
            verb = words.verb() or verb
            if verb is None:
                raise self._error("it does not start with a verb that I know", start)
            self._clause(verb)
            if words.position == start:
                raise self._error("this part is not understood", start)
            words.skip(SEPARATORS)
        self.goals.extend(Pick(item) for item in self.held)
        if not self.goals:
            raise self._error("it asks for nothing", 0)
        return self.goals

    def _clause(self, verb: Verb) -> None:
        things = self.words.things()
        phrases = self.words.phrases()
        if verb in ("turn_on", "turn_off", "turn"):
            self._turn(verb, things, phrases)
        elif verb == "pick":
            self._pick(things, phrases)
        elif verb in ("open", "close"):
            self._open_or_close(verb, things, phrases)
        else:
            self._put(verb, things, phrases)

    def _turn(self, verb: Verb, things: list[Reference], phrases: list[Phrase]) -> None:
        if verb == "turn":
            particle = next((p for p in phrases if p.bare and p.preposition in ("on", "from")), None)
            if particle is None:
                raise self._error("turn on or off?", self.words.position)
            verb = "turn_on" if particle.preposition == "on" else "turn_off"
        for thing in self._resolve(things):
            self.goals.append(Turn(thing, "on" if verb == "turn_on" else "off"))
            self.target = thing

    def _pick(self, things: list[Reference], phrases: list[Phrase]) -> None:
        if not things:
            raise self._error("it does not say what to pick", self.words.position)
        self.goals.extend(Pick(item) for item in self.held)
        self.held = [self._described(thing, phrases) for thing in things]

    def _open_or_close(self, verb: Verb, things: list[Reference], phrases: list[Phrase]) -> None:
        for named in self._resolve(things):
            thing = self._inherit_owner(self._described(named, phrases))
            self.goals.append(Open(thing) if verb == "open" else Close(thing))
            self.target = thing

    def _put(self, verb: Verb, things: list[Reference], phrases: list[Phrase]) -> None:
        start = self.words.position
        described, destination, after = _split_destination(phrases)
        if destination is None:
            raise self._error("it does not say where to put it", start)
        items = [self._described(thing, described) for thing in self._items(things)]
        relation, target = self._destination(destination)
        target = self._inherit_owner(self._described(target, after))
        pushes = verb == "push" or (verb == "move" and destination.preposition in ("to", *_BESIDE))
        for item in items:
            self.goals.append((Push if pushes else Place)(item, relation, target))
        self.held, self.target = [], target

    def _items(self, things: list[Reference]) -> list[Reference]:
        """What `put` moves: things named, or held, or (`stack … and place them`) the lowest of the stack."""
        if things and things[0] is not IT:
            return things
        if self.held:
            return self.held
        if self.goals and isinstance(self.goals[-1], Place) and self.target is not None:
            return [self.target]
        raise self._error("it does not say what to put", self.words.position)

    def _destination(self, phrase: Phrase) -> tuple[RelationKind, Reference]:
        relation = phrase.relation()
        if relation.anchors and relation.anchors[0] is not IT:
            target = relation.anchors[0]
            if relation.kind == "between":
                target = Reference("", (relation,))
        elif self.target is not None:
            target = self.target
        else:
            raise self._error("it does not say where", self.words.position)
        kind: RelationKind = relation.kind
        if kind == "side" and relation.side is not None:
            kind = SIDE_RELATIONS[relation.side]
        if kind == "on" and target.noun == "drawer" and phrase.on_top:
            # The top of a drawer is the top of what it slides in.
            target = target.owner or Reference("drawer")
        return kind, target

    def _resolve(self, things: list[Reference]) -> list[Reference]:
        """Replace pronouns by what was placed into, opened or switched last."""
        if things and things[0] is not IT:
            return things
        if self.target is None:
            raise self._error("it does not say what", self.words.position)
        return [self.target]

    def _described(self, thing: Reference, phrases: list[Phrase]) -> Reference:
        return thing.with_relations(*(phrase.relation() for phrase in phrases))

    def _inherit_owner(self, thing: Reference) -> Reference:
        """`close the bottom drawer of the cabinet and open the top drawer`: the same cabinet."""
        last = self.target
        if thing.noun in PART_NOUNS and thing.owner is None and last is not None and last.noun == thing.noun:
            return replace(thing, owner=last.owner)
        return thing

    def _error(self, reason: str, start: int) -> InstructionError:
        rest = " ".join(self.words.tokens[start:])
        where = f" at `{rest}`" if rest else ""
        return InstructionError(
            f"The instruction `{self.words.text}` is not understood{where}: {reason}.",
            hint="Flash knows pick, put … in/on/next to, push, open, close, and turn on/off; "
            "use a planner with a language model for anything else.",
        )


_BESIDE = ("left_of", "right_of", "front_of", "behind", "next_to", "between")
_INTO = ("in", "on", "under", "to")


def _split_destination(phrases: list[Phrase]) -> tuple[list[Phrase], Phrase | None, list[Phrase]]:
    """Split into what describes the item, the destination, and what describes the target."""
    ranked = [i for i, p in enumerate(phrases) if p.preposition in _INTO and not p.is_side]
    ranked = ranked or [i for i, p in enumerate(phrases) if p.preposition in _BESIDE]
    ranked = ranked or [i for i, p in enumerate(phrases) if p.is_side]
    if not ranked:
        return phrases, None, []
    at = ranked[-1]
    return phrases[:at], phrases[at], phrases[at + 1 :]
