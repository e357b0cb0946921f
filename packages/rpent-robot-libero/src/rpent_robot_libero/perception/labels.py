"""Text prompts against instance labels: which things of a scene does `the akita black bowl` name?

Labels are the simulator's instance names (`akita_black_bowl_1`), with a part after a slash where the instance is
articulated (`wooden_cabinet_1/top_drawer`). Prompts are the words of instructions, so every kind of object has the
names that the benchmark's instructions use.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ALIASES: dict[str, tuple[str, ...]] = {
    "akita_black_bowl": ("akita black bowl", "black bowl", "bowl"),
    "bigger_akita_black_bowl": ("bigger akita black bowl", "akita black bowl", "black bowl", "bowl"),
    "red_akita_black_bowl": ("red akita black bowl", "akita black bowl", "black bowl", "red bowl", "bowl"),
    "basket": ("basket",),
    "black_book": ("black book", "book"),
    "yellow_book": ("yellow book", "book"),
    "bowl_drainer": ("bowl drainer", "drainer"),
    "chefmate_8_frypan": ("frying pan", "frypan", "pan", "chefmate frypan"),
    "chocolate_pudding": ("chocolate pudding", "pudding"),
    "cookies": ("cookie box", "box of cookies", "cookie"),
    "yellow_cookies": ("yellow cookie", "yellow cookie box", "cookie box", "cookie"),
    "cream_cheese": ("cream cheese", "cream cheese box"),
    "desk_caddy": ("desk caddy", "caddy"),
    "yellow_desk_caddy": ("yellow desk caddy", "desk caddy", "caddy"),
    "flat_stove": ("flat stove", "stove"),
    "yellow_stove": ("yellow stove", "stove"),
    "glazed_rim_porcelain_ramekin": ("ramekin", "glazed rim porcelain ramekin", "porcelain ramekin"),
    "red_ramekin": ("red ramekin", "ramekin"),
    "libero_mug_green": ("green mug", "mug"),
    "libero_mug_yellow": ("yellow mug", "mug"),
    "milk": ("milk", "milk carton"),
    "porcelain_mug": ("white mug", "porcelain mug", "mug", "cup"),
    "white_porcelain_mug": ("white mug", "white porcelain mug", "mug", "cup"),
    "red_coffee_mug": ("red mug", "red coffee mug", "coffee mug", "mug", "cup"),
    "white_yellow_mug": ("yellow and white mug", "white and yellow mug", "mug", "cup"),
    "short_cabinet": ("short cabinet", "cabinet", "drawer"),
    "slide_cabinet": ("slide cabinet", "cabinet"),
    "white_cabinet": ("white cabinet", "cabinet", "drawer"),
    "wooden_cabinet": ("wooden cabinet", "cabinet", "drawer"),
    "yellow_cabinet": ("yellow cabinet", "cabinet", "drawer"),
    "short_fridge": ("short fridge", "fridge"),
    "wine_rack": ("wine rack", "rack"),
    "brown_rack": ("brown rack", "rack"),
    "wooden_shelf": ("wooden shelf", "shelf"),
    "wooden_two_layer_shelf": ("wooden two layer shelf", "cabinet shelf", "shelf", "wooden shelf"),
    "wooden_tray": ("wooden tray", "tray"),
    "white_storage_box": ("white storage box", "storage box", "box"),
}
"""Kind of object → its names, best first. A kind that is not listed is named by its own words."""

PARTS: dict[str, tuple[str, ...]] = {
    "top_drawer": ("top drawer", "top layer", "upper drawer"),
    "middle_drawer": ("middle drawer", "middle layer"),
    "bottom_drawer": ("bottom drawer", "bottom layer", "lower drawer"),
    "door": ("door",),
    "knob": ("knob", "button", "dial"),
    "burner": ("burner", "cook region"),
    "handle": ("handle",),
}
"""Part of an articulated instance → how instructions name it."""

PART_NAMES = {
    "cabinet_top": "top_drawer",
    "cabinet_middle": "middle_drawer",
    "cabinet_bottom": "bottom_drawer",
    "drawer_top": "top_drawer",
    "drawer_middle": "middle_drawer",
    "drawer_bottom": "bottom_drawer",
    "microdoorroot": "door",
    "slidelink": "door",
    "button": "knob",
    "faucet_link2": "handle",
    "movable": "handle",
}
"""What the models call a moving part → what it is called here."""

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
    ]
)
ARTICLES = frozenset(["the", "a", "an", "of", "both", "its", "this", "that", "and"])
CONTAINERS = frozenset(["box", "bottle", "carton", "can", "container", "jar", "pack", "package"])
RELATIONS = re.compile(
    r"\b(?:on|in|inside|from|next|between|beside|behind|under|near|at|to|with|not|left|right|front)\b"
)


def split_label(label: str) -> tuple[str, str]:
    """Return the kind of object and the part: `wooden_cabinet_1/top_drawer` → `wooden_cabinet`, `top_drawer`."""
    instance, _, part = label.partition("/")
    return re.sub(r"_\d+$", "", instance), PART_NAMES.get(part, part)


def spoken(label: str) -> str:
    """Return what the perceptor calls a thing: `akita_black_bowl_1` is an `akita black bowl`."""
    kind, part = split_label(label)
    name = kind.replace("_", " ")
    return f"{part.replace('_', ' ')} of {name}" if part else name


def words(text: str) -> tuple[str, ...]:
    """Return the words that tell things apart: lower case, without articles, plurals made singular."""
    found = re.findall(r"[a-z0-9]+", text.lower())
    return tuple(_singular(word) for word in found if word not in ARTICLES)


def _singular(word: str) -> str:
    if word.endswith("ies") and word not in {"series"}:
        return "cookie" if word == "cookies" else word[:-3] + "y"
    return word[:-1] if word.endswith("s") and len(word) > 3 and not word.endswith("ss") else word


def match(prompt: str, labels: Sequence[str], *, min_score: float = 0.2) -> list[tuple[int, float]]:
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
    wanted, part = parse(prompt)
    scored = [(index, _score(wanted, part, label)) for index, label in enumerate(labels)]
    best = max((score for _, score in scored), default=0.0)
    floor = max(min_score, 0.9 * best)
    kept = [(index, score) for index, score in scored if score >= floor and score > 0]
    return sorted(kept, key=lambda pair: -pair[1])


def parse(prompt: str) -> tuple[tuple[str, ...], str]:
    """Return the words of the thing itself, and the part: `top drawer of the cabinet` → (cabinet,), top_drawer."""
    text = re.sub(r"['\u2019]s?\b", " ", prompt.lower())
    text = re.sub(r"^\s*(?:on\s+)?(?:the\s+)?top\s+of\b", " ", text)
    head = RELATIONS.split(text, maxsplit=1)[0]
    if not words(head):
        head = RELATIONS.sub(" ", text)
    for phrase, part in _part_phrases():
        rest, found = re.subn(rf"\b{phrase}\b", " ", head)
        if found:
            return tuple(word for word in words(rest) if word != "handle"), part
    return words(head), ""


@cache
def _part_phrases() -> tuple[tuple[str, str], ...]:
    pairs = [(phrase, part) for part, phrases in PARTS.items() for phrase in phrases]
    return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))


@cache
def _names(kind: str) -> tuple[tuple[str, ...], ...]:
    own = kind.replace("_", " ")
    return tuple(words(name) for name in (*ALIASES.get(kind, ()), own))


def _score(wanted: tuple[str, ...], part: str, label: str) -> float:
    kind, label_part = split_label(label)
    if label_part and part != label_part:
        return 0.0
    weight = 1.0 if part == label_part else 0.6
    if wanted:
        return weight * max((_overlap(wanted, name) for name in _names(kind)), default=0.0)
    carries = part == label_part or any(set(name) & set(part.split("_")) for name in _names(kind))
    return weight * 0.9 if part and carries else 0.0


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
