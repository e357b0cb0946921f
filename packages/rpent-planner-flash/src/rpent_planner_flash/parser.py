"""Instruction → goals, by recursive descent over a small grammar of manipulation English.

    instruction := clause (separator+ clause)*
    clause      := [verb] [things] (prepositional phrase)* ["to" aim | "by" (verb-ing [things] (phrase)*)+]
    things      := thing ("and" thing)*
    thing       := [quantity] [determiner] words ["of" thing | "'s" words]
    phrase      := ["not"] preposition [thing ["and" thing]]

A clause without a verb repeats the last one's; a missing or pronominal object is what is held or mentioned.
Of several phrases after `put X`, the last one that can be a destination is it; those before it describe X,
those after it describe the target. `Turn on X by pressing Y` asks for the pressing, of the Y of X.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from rpent.errors import RpentError

from rpent_planner_flash.goals import (
    SIDE_RELATIONS,
    Adjust,
    Close,
    Goal,
    Level,
    Navigate,
    Open,
    Pick,
    Place,
    Press,
    Push,
    Reference,
    RelationKind,
    Slide,
    Swing,
    Turn,
)
from rpent_planner_flash.lexicon import AMOUNTS, PART_NOUNS, SEPARATORS, Verb
from rpent_planner_flash.parts import is_control, whole, with_owner
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
        self.words.aims = verb in _WORKING
        things, phrases, aim = self.words.things(), self.words.phrases(), self.words.aim()
        if self.words.means():
            self._by(verb, things)
        else:
            self._ask(verb, things, phrases, self._aimed_at(aim), _amount(aim))

    def _ask(
        self,
        verb: Verb,
        things: list[Reference],
        phrases: list[Phrase],
        owner: Reference | None = None,
        level: Level | None = None,
    ) -> None:
        """Add the goals of one verb with its objects.

        Args:
            verb: What is to be done.
            things: To what.
            phrases: What was said of where.
            owner: Whose parts the objects are, where they do not say so.
            level: Where a control is to be turned to.
        """
        things = [with_owner(thing, owner) for thing in things] if owner is not None else things
        if verb == "press":
            self._press(things, phrases, owner)
        elif verb in ("adjust", "raise", "lower"):
            self._adjust(things, phrases, _CHANGES.get(verb, level))
        elif verb in ("turn_on", "turn_off", "turn"):
            self._turn(verb, things, phrases, level)
        elif verb == "navigate":
            self._navigate(things, phrases)
        elif verb == "pick":
            self._pick(things, phrases)
        elif verb in ("open", "close"):
            self._open_or_close(verb, things, phrases)
        else:
            self._put(verb, things, phrases, level)

    def _by(self, verb: Verb, things: list[Reference]) -> None:
        """Read how it is to be done (`by pressing the power button`): that is what is asked for."""
        owner = whole(things[0]) if things and things[0] is not IT else None
        self.target = owner or self.target
        level: Level = "down" if verb in ("turn_off", "lower", "close") else "up"
        while (means := self.words.gerund()) is not None:
            parts, phrases = self.words.things(), self.words.phrases()
            self._ask(means, parts, phrases, owner, level)
            start = self.words.position
            self.words.skip(SEPARATORS)
            if self.words.done or self.words.peek().endswith("ing"):
                continue
            self.words.position = start
            return

    def _aimed_at(self, aim: list[str]) -> Reference | None:
        """Return the thing that an aim is about (`to turn on the kettle`), if it is about one."""
        inner = PhraseParser(" ".join(aim))
        things = inner.things() if inner.verb() is not None else []
        return whole(things[0]) if things and things[0] is not IT else None

    def _press(self, things: list[Reference], phrases: list[Phrase], owner: Reference | None) -> None:
        for thing in self._resolve(things):
            part = self._owned(with_owner(self._described(thing, phrases), owner))
            self.goals.append(Press(part))
            self.target = whole(part)

    def _adjust(self, things: list[Reference], phrases: list[Phrase], level: Level | None) -> None:
        if level is None:
            level = next((amount for phrase in phrases for amount in _amounts(phrase)), None)
        if level is None:
            raise self._error("adjust it to what?", self.words.position)
        for thing in self._resolve(things):
            part = self._owned(self._described(thing, [p for p in phrases if not _amounts(p)]))
            self.goals.append(Adjust(part, level))
            self.target = whole(part)

    def _turn(self, verb: Verb, things: list[Reference], phrases: list[Phrase], level: Level | None) -> None:
        if verb == "turn":
            particle = next((p for p in phrases if p.bare and p.preposition in ("on", "from")), None)
            side = next((p.side for p in phrases if p.is_side), None)
            if particle is None and side is not None:
                self.goals.extend(Swing(self._owned(thing), side) for thing in self._resolve(things))
                return
            if particle is None and (level is not None or any(map(_amounts, phrases))):
                self._adjust(things, phrases, level)
                return
            if particle is None:
                raise self._error("turn on or off?", self.words.position)
            verb = "turn_on" if particle.preposition == "on" else "turn_off"
        for thing in self._resolve(things):
            part = self._owned(thing)
            self.goals.append(Turn(part, "on" if verb == "turn_on" else "off"))
            self.target = part

    def _navigate(self, things: list[Reference], phrases: list[Phrase]) -> None:
        if not things or things[0] is IT:
            raise self._error("it does not say where to", self.words.position)
        self.goals.append(Navigate(self._described(things[0], phrases)))
        self.target = things[0]

    def _pick(self, things: list[Reference], phrases: list[Phrase]) -> None:
        if not things:
            raise self._error("it does not say what to pick", self.words.position)
        self.goals.extend(Pick(item) for item in self.held)
        self.held = [self._described(thing, phrases) for thing in things]

    def _open_or_close(self, verb: Verb, things: list[Reference], phrases: list[Phrase]) -> None:
        for named in self._resolve(things):
            thing = self._owned(self._inherit_owner(self._described(named, phrases)))
            self.goals.append(Open(thing) if verb == "open" else Close(thing))
            self.target = thing

    def _put(
        self, verb: Verb, things: list[Reference], phrases: list[Phrase], level: Level | None = None
    ) -> None:
        start = self.words.position
        controls = bool(things) and is_control(things[0])
        ways = [p.preposition for p in phrases if p.bare and p.preposition in ("in", "out")]
        if verb == "push" and controls and ways:
            self._slide(things, "in" if ways[0] == "in" else "out")
            return
        if verb == "put" and controls and (not phrases or any(map(_amounts, phrases))):
            self._adjust(things, phrases, level)  # `setting the timer`
            return
        named = bool(things) and things[0] is not IT
        described, destination, after = _split_destination(phrases, describable=named)
        if destination is None:
            raise self._error("it does not say where to put it", start)
        items = [self._described(thing, described) for thing in self._items(things)]
        relation, target = self._destination(destination)
        if verb == "add" and destination.preposition == "to":
            relation = "in"
        target = self._inherit_owner(self._described(target, after))
        pushes = verb == "push" or (verb == "move" and destination.preposition in ("to", *_BESIDE))
        for item in items:
            self.goals.append((Push if pushes else Place)(item, relation, target))
        self.held, self.target = [], target

    def _slide(self, things: list[Reference], way: Literal["in", "out"]) -> None:
        for thing in self._resolve(things):
            part = self._owned(thing)
            self.goals.append(Slide(part, way))
            self.target = part

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

    def _owned(self, thing: Reference) -> Reference:
        """`close the microwave door and press the start button`: the microwave's."""
        return with_owner(thing, self.target if thing is not self.target else None)

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
            hint="Flash knows pick, put … in/on/next to, push, slide, open, close, press, turn on/off/to, adjust, "
            "and navigate to; "
            "use a planner with a language model for anything else.",
        )


_WORKING: frozenset[Verb] = frozenset({"press", "adjust", "raise", "lower", "turn", "turn_on", "turn_off"})
_CHANGES: dict[Verb, Level] = {"raise": "up", "lower": "down"}
_BESIDE = ("left_of", "right_of", "front_of", "behind", "next_to", "between")
_INTO = ("in", "on", "under", "to")


def _split_destination(
    phrases: list[Phrase], *, describable: bool = True
) -> tuple[list[Phrase], Phrase | None, list[Phrase]]:
    """Split into what describes the item, the destination, and what describes the target.

    Args:
        phrases: What followed `put X`.
        describable: X is named; of a pronoun nothing is described, so that the first place is the destination.
    """
    free = [i for i, p in enumerate(phrases) if not p.describes]
    ranked = [i for i in free if phrases[i].preposition in _INTO and not phrases[i].is_side]
    ranked = ranked or [i for i in free if phrases[i].preposition in _BESIDE]
    ranked = ranked or [i for i in free if phrases[i].is_side]
    if not ranked:
        return phrases, None, []
    at = ranked[-1] if describable else ranked[0]
    return phrases[:at], phrases[at], phrases[at + 1 :]


def _amounts(phrase: Phrase) -> list[Level]:
    """Return where a phrase says that a control is to be turned to: `to the max`."""
    if phrase.preposition not in ("to", "on") or not phrase.anchors:
        return []
    return [AMOUNTS[word] for word in phrase.anchors[0].noun.split() if word in AMOUNTS]


def _amount(words: list[str]) -> Level | None:
    return next((AMOUNTS[word] for word in words if word in AMOUNTS), None)
