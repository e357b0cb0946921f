"""What an instruction asks for: goals over references, as plain frozen data.

Directions (`left`, `right`, `front`, `back`) are those of the picture that the instruction's author saw:
front is towards the viewer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Direction = Literal["left", "right", "front", "back", "middle"]
Level = Literal["up", "down", "hot", "cold"]
"""Where a control is to be turned to."""
RelationKind = Literal[
    "on",
    "in",
    "under",
    "next_to",
    "between",
    "center",
    "left_of",
    "right_of",
    "front_of",
    "behind",
    "side",
    "with",
]
SIDE_RELATIONS: dict[Direction, RelationKind] = {
    "left": "left_of",
    "right": "right_of",
    "front": "front_of",
    "back": "behind",
    "middle": "center",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a thing is, relative to `anchors`; `side` picks among equals (`the book on the left`)."""

    kind: RelationKind
    anchors: tuple[Reference, ...] = ()
    side: Direction | None = None
    negated: bool = False

    def __str__(self) -> str:
        """Render as a short phrase."""
        words = self.side if self.kind == "side" else self.kind.replace("_", " ")
        text = f"{words} {' & '.join(str(anchor) for anchor in self.anchors)}".strip()
        return f"not {text}" if self.negated else text


@dataclass(frozen=True, slots=True)
class Reference:
    """A thing that the instruction names: `the black bowl between the plate and the ramekin`."""

    noun: str
    """Without determiners and selectors: `akita black bowl`, `drawer`, `compartment`."""
    relations: tuple[Relation, ...] = ()
    level: str | None = None
    """Of a drawer or shelf: `top`, `middle`, `bottom`."""
    owner: Reference | None = None
    """What a part belongs to: the cabinet of a drawer, the caddy of a compartment."""
    count: int = 1

    def __str__(self) -> str:
        """Render as a short phrase."""
        text = f"{self.level} {self.noun}" if self.level else self.noun
        if self.count > 1:
            text = f"{self.count} {text}"
        if self.owner is not None:
            text = f"{text} of {self.owner}"
        return text + "".join(f" [{relation}]" for relation in self.relations)

    @property
    def sides(self) -> tuple[Direction, ...]:
        """The directions that pick among equals."""
        return tuple(r.side for r in self.relations if r.kind == "side" and r.side is not None)

    def with_relations(self, *relations: Relation) -> Reference:
        """Return a copy that carries further relations."""
        return replace(self, relations=(*self.relations, *relations))


@dataclass(frozen=True, slots=True)
class Pick:
    """Hold a thing; only where nothing is said about where to put it."""

    item: Reference

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"pick({self.item})"


@dataclass(frozen=True, slots=True)
class Place:
    """Bring a thing into a relation to a target."""

    item: Reference
    relation: RelationKind
    target: Reference

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"place({self.item}, {self.relation}, {self.target})"


@dataclass(frozen=True, slots=True)
class Push:
    """Slide a thing over the surface that it stands on until it is in a relation to a target."""

    item: Reference
    relation: RelationKind
    target: Reference

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"push({self.item}, {self.relation}, {self.target})"


@dataclass(frozen=True, slots=True)
class Open:
    """Open a drawer or a door."""

    item: Reference

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"open({self.item})"


@dataclass(frozen=True, slots=True)
class Close:
    """Close a drawer or a door."""

    item: Reference

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"close({self.item})"


@dataclass(frozen=True, slots=True)
class Turn:
    """Switch a thing on or off."""

    item: Reference
    state: Literal["on", "off"]

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"turn_{self.state}({self.item})"


@dataclass(frozen=True, slots=True)
class Press:
    """Press a button, a switch or a lever down."""

    item: Reference

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"press({self.item})"


@dataclass(frozen=True, slots=True)
class Adjust:
    """Turn a control further: more, less, hotter, colder."""

    item: Reference
    level: Level

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"adjust({self.item}, {self.level})"


@dataclass(frozen=True, slots=True)
class Swing:
    """Turn a part that swings, such as a spout, to a side."""

    item: Reference
    side: Direction

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"swing({self.item}, {self.side})"


@dataclass(frozen=True, slots=True)
class Slide:
    """Slide a part that runs on rails, such as a rack, in or out."""

    item: Reference
    way: Literal["in", "out"]

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"slide({self.item}, {self.way})"


@dataclass(frozen=True, slots=True)
class Navigate:
    """Drive to a thing and face it."""

    item: Reference

    def __str__(self) -> str:
        """Render as a short phrase."""
        return f"navigate({self.item})"


Operation = Open | Close | Turn | Press | Adjust | Swing | Slide
"""What is done to a thing where it stands."""
Goal = Pick | Place | Push | Operation | Navigate
