"""The words that the grammar knows by class. Everything else is part of a name.

These are closed classes of English (verbs of manipulation, prepositions, colours), not a benchmark's words:
names of things never appear here, save for the few nouns that name a part of something (`drawer`, `button`)
or that stand for what was mentioned (`it`, `door`).
"""

from __future__ import annotations

from typing import Literal

from rpent_planner_flash.goals import Direction, Level, RelationKind

Verb = Literal[
    "pick",
    "put",
    "add",
    "push",
    "move",
    "open",
    "close",
    "turn_on",
    "turn_off",
    "turn",
    "press",
    "adjust",
    "raise",
    "lower",
    "navigate",
]

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
    ("take", "off"): "pick",
    ("take", "out"): "pick",
    ("remove",): "pick",
    ("retrieve",): "pick",
    ("put", "down"): "put",
    ("put",): "put",
    ("place",): "put",
    ("set", "down"): "put",
    ("set",): "put",
    ("stack",): "put",
    ("drop",): "put",
    ("lay",): "put",
    ("insert",): "put",
    ("add",): "add",
    ("push", "open"): "open",
    ("push", "shut"): "close",
    ("push", "closed"): "close",
    ("push", "down"): "press",
    ("press", "down"): "press",
    ("press",): "press",
    ("push",): "push",
    ("shove",): "push",
    ("nudge",): "push",
    ("slide", "open"): "open",
    ("slide", "shut"): "close",
    ("slide", "closed"): "close",
    ("slide",): "push",
    ("move",): "move",
    ("bring",): "move",
    ("carry",): "move",
    ("transfer",): "move",
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
    ("rotate",): "turn",
    ("swing",): "turn",
    ("start",): "turn_on",
    ("preheat",): "turn_on",
    ("stop",): "turn_off",
    ("adjust",): "adjust",
    ("increase",): "raise",
    ("raise",): "raise",
    ("decrease",): "lower",
    ("reduce",): "lower",
    ("lower",): "lower",
    ("navigate", "to"): "navigate",
    ("drive", "to"): "navigate",
    ("walk", "to"): "navigate",
    ("go", "to"): "navigate",
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

Preposition = RelationKind | Literal["from", "to", "at", "out"]

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
    ("that", "contains"): "with",
    ("containing",): "with",
    ("with",): "with",
    ("out", "of"): "from",
    ("out",): "out",
    ("from", "under"): "under",
    ("from", "inside"): "in",
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
DESCRIBERS = {"which", "located", "sitting", "placed", "standing", "lying"}
"""Fillers that bind what follows to the thing before: `the plate located on the counter`."""
COPULAS = {"is", "are", "has", "have"}
MANNERS = {"please", "carefully", "fully", "completely", "securely", "firmly", "gently", "slowly"}
FILLERS = {"is", "are", "there", "robot", *DESCRIBERS, *MANNERS}
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
CONTROL_NOUNS = {
    "button",
    "switch",
    "lever",
    "knob",
    "dial",
    "timer",
    "temperature",
    "heat",
    "handle",
    "faucet",
    "tap",
    "spout",
    "rack",
    "burner",
    "door",
    "doors",
    "lid",
    "head",
    "dispenser",
}
"""What is a part of a machine, and worked by the hand: of whose, the words before it say (`sink faucet`)."""
QUALIFIERS = {
    "start",
    "stop",
    "power",
    "on",
    "off",
    "temperature",
    "time",
    "timer",
    "speed",
    "faucet",
    "door",
    "front",
    "rear",
    "back",
    "left",
    "right",
    "center",
    "middle",
    "top",
    "upper",
    "bottom",
    "lower",
}
"""Words before such a part that tell it from its equals, and are not whose it is."""
AMOUNTS: dict[str, Level] = {
    "hot": "hot",
    "warm": "hot",
    "cold": "cold",
    "cool": "cold",
    "max": "up",
    "maximum": "up",
    "high": "up",
    "low": "down",
    "min": "down",
}
SURFACES = {"table", "desk", "counter", "floor", "workspace"}
