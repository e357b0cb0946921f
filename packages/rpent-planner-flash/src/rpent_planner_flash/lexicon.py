"""The words that the grammar knows by class. Everything else is part of a name.

These are closed classes of English (verbs of manipulation, prepositions, colours), not a benchmark's words:
names of things never appear here, save for the few nouns that name a part of something (`drawer`) or that
stand for what was mentioned (`it`, `door`).
"""

from __future__ import annotations

from typing import Literal

from rpent_planner_flash.goals import Direction, RelationKind

Verb = Literal["pick", "put", "push", "move", "open", "close", "turn_on", "turn_off", "turn"]

VERBS: dict[tuple[str, ...], Verb] = {
    ("pick", "up"): "pick",
    ("pick",): "pick",
    ("grab",): "pick",
    ("grasp",): "pick",
    ("take",): "pick",
    ("lift", "up"): "pick",
    ("lift",): "pick",
    ("get",): "pick",
    ("fetch",): "pick",
    ("put", "down"): "put",
    ("put",): "put",
    ("place",): "put",
    ("set", "down"): "put",
    ("set",): "put",
    ("stack",): "put",
    ("drop",): "put",
    ("lay",): "put",
    ("insert",): "put",
    ("push", "open"): "open",
    ("push", "shut"): "close",
    ("push", "closed"): "close",
    ("push",): "push",
    ("shove",): "push",
    ("nudge",): "push",
    ("slide", "open"): "open",
    ("slide", "shut"): "close",
    ("slide", "closed"): "close",
    ("slide",): "push",
    ("move",): "move",
    ("bring",): "move",
    ("pull", "open"): "open",
    ("pull", "out"): "open",
    ("pull",): "open",
    ("open",): "open",
    ("close",): "close",
    ("shut",): "close",
    ("turn", "on"): "turn_on",
    ("switch", "on"): "turn_on",
    ("turn", "off"): "turn_off",
    ("switch", "off"): "turn_off",
    ("turn",): "turn",
    ("switch",): "turn",
}
"""Longest match first; `turn` alone waits for its particle after the object (`switch stove on`)."""

DIRECTIONS: dict[str, Direction] = {
    "left": "left",
    "right": "right",
    "front": "front",
    "back": "back",
    "rear": "back",
    "middle": "middle",
    "center": "middle",
    "centre": "middle",
    "leftmost": "left",
    "rightmost": "right",
}
LEVELS = {"top": "top", "upper": "top", "middle": "middle", "bottom": "bottom", "lower": "bottom"}

Preposition = RelationKind | Literal["from", "to", "at"]

PREPOSITIONS: dict[tuple[str, ...], Preposition] = {
    ("on", "the", "top", "of"): "on",
    ("on", "top", "of"): "on",
    ("onto", "the", "top", "of"): "on",
    ("at", "the", "top", "of"): "on",
    ("atop",): "on",
    ("on", "to"): "on",
    ("onto",): "on",
    ("on",): "on",
    ("upon",): "on",
    ("inside", "of"): "in",
    ("inside",): "in",
    ("into",): "in",
    ("within",): "in",
    ("in", "front", "of"): "front_of",
    ("in",): "in",
    ("underneath",): "under",
    ("beneath",): "under",
    ("below",): "under",
    ("under",): "under",
    ("next", "to"): "next_to",
    ("close", "to"): "next_to",
    ("adjacent", "to"): "next_to",
    ("beside",): "next_to",
    ("near", "to"): "next_to",
    ("near",): "next_to",
    ("by",): "next_to",
    ("between",): "between",
    ("behind",): "behind",
    ("out", "of"): "from",
    ("from",): "from",
    ("off",): "from",
    ("to",): "to",
    ("at",): "at",
}

DETERMINERS = {"the", "a", "an", "this", "that", "its"}
PRONOUNS = {"it", "them", "this", "these"}
STAND_INS = {"door"}
"""Nouns that, bare, mean the openable thing that was mentioned last."""
QUANTIFIERS = {"both": 2, "two": 2, "three": 3}
FILLERS = {"please", "is", "are", "which", "located", "sitting", "placed", "there", "carefully", "robot"}
SEPARATORS = {"and", "then", ",", ";", "."}
COLOURS = {
    "red",
    "green",
    "blue",
    "yellow",
    "white",
    "black",
    "brown",
    "grey",
    "gray",
    "orange",
    "pink",
    "purple",
}
DRAWER_NOUNS = {"drawer", "layer", "level"}
PART_NOUNS = {"drawer", "compartment"}
SURFACES = {"table", "desk", "counter", "floor", "workspace"}
