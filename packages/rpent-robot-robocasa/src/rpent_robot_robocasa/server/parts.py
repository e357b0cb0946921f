"""What the parts of a kitchen fixture are called, from the names of its joints, bodies and geoms.

The names are the ones that RoboCasa's fixture classes look up (`robocasa/models/fixtures`), without the fixture's own
prefix, so they hold for every set of assets: `knob_front_left_joint`, `fridge_door_joint`, `leftdoorhinge`,
`start_button`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

HANDLE = "handle"
_FULL_WORDS = {"temp": "temperature", "sideL": "left", "sideR": "right"}
_LEVELS = re.compile(r"(?:^|_)(rack|tray|drawer)(\d+)")
_BUTTON = re.compile(r"(?:^|_)((?:start|stop|power)_button|button)(?:_|$)")
_OPENINGS = ("door", "drawer", "lid")
_NAMED_BY_THEIR_NUMBER = {1: ("",), 2: ("bottom", "top"), 3: ("bottom", "middle", "top")}


def part_of_joint(joint: str, joints: Iterable[str] = ()) -> str:
    """Return the part that a joint moves.

    Args:
        joint: Name of the joint, without the fixture's prefix.
        joints: Names of all joints of the fixture: a rack is the `top_rack` only where there are two.

    Returns:
        The part, such as `left_door`, `front_left_knob`, `faucet_handle`; empty for a drawer's own slide, which moves
        the drawer itself.
    """
    name = re.sub(r"_?joint\d*$", "", joint)
    if name == "slide":
        return ""
    if name == "micro" or "door" in name:
        return _door(name)
    if level := _LEVELS.search(name):
        return _level(name, level, joints)
    if name.startswith(HANDLE):
        return "faucet_handle"
    for noun in ("knob", "button", "lever"):
        if noun in name.split("_"):
            return _adjectives_first(name, noun)
    return re.sub(r"_?\d+$", "", name)


def part_of_geom(geom: str, bodies: Iterable[str], part: str, kind: str) -> str:
    """Return the part that a geom shows, where it is finer than the moving part it belongs to.

    Args:
        geom: Name of the geom, without the fixture's prefix.
        bodies: Names of the bodies it hangs on, up to the fixture's root, without the prefix.
        part: The moving part, empty for the fixture itself.
        kind: Kind of the fixture: a drawer's handle is a part of the drawer itself.
    """
    is_handle = any(HANDLE in name for name in (geom, *bodies))
    if part:
        return f"{part}_{HANDLE}" if is_handle and part.endswith(_OPENINGS) else part
    if button := _BUTTON.search(geom):
        return button.group(1)
    name = re.sub(r"_(?:vis|visual|main|g\d+)+$", "", geom)
    if "burner" in name.split("_"):
        return _adjectives_first(name.removesuffix("_vis"), "burner")
    if kind == "sink" and "basin" in name.split("_"):
        return _adjectives_first(name, "basin")
    return HANDLE if is_handle else ""


def _door(name: str) -> str:
    side = next((f"{side}_" for side in ("left", "right") if side in name), "")
    return f"{side}{'freezer_' if 'freezer' in name else ''}door"


def _level(name: str, level: re.Match[str], joints: Iterable[str]) -> str:
    noun, number = level.group(1), int(level.group(2))
    compartment = "freezer_" if "freezer" in name else ""
    alike = [found for other in joints if (found := _LEVELS.search(other)) and found.group(1) == noun]
    numbers = sorted(
        int(found.group(2)) for found in alike if ("freezer" in found.string) == bool(compartment)
    )
    places = _NAMED_BY_THEIR_NUMBER.get(len(numbers), ())
    place = places[numbers.index(number)] if places and number in numbers else ""
    return "_".join(filter(None, (place, compartment + noun)))


def _adjectives_first(name: str, noun: str) -> str:
    """Return `knob_front_left` as `front_left_knob`."""
    words = [_FULL_WORDS.get(word, word) for word in name.split("_") if word not in (noun, "on", "reg")]
    return "_".join([*words, noun])
