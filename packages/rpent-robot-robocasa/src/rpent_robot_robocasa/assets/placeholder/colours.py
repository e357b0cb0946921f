"""Flat colours: one for each kind of thing, so that a picture can be read."""

from __future__ import annotations

import colorsys
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent_robot_robocasa.assets.placeholder.mjcf import Colour

WHITE: Colour = (0.94, 0.94, 0.93, 1)
STEEL: Colour = (0.72, 0.75, 0.78, 1)
GREY: Colour = (0.50, 0.52, 0.54, 1)
DARK: Colour = (0.20, 0.20, 0.22, 1)
BLACK: Colour = (0.08, 0.08, 0.09, 1)
CHROME: Colour = (0.42, 0.46, 0.52, 1)
"""Handles: darker than the steel of the doors that they stand out of."""
RED: Colour = (0.85, 0.12, 0.10, 1)
GREEN: Colour = (0.10, 0.65, 0.25, 1)
BLUE: Colour = (0.15, 0.35, 0.80, 1)
ORANGE: Colour = (0.95, 0.55, 0.10, 1)
GLASS: Colour = (0.70, 0.85, 0.95, 0.45)
WOOD: Colour = (0.55, 0.38, 0.22, 1)

SURFACES: tuple[tuple[str, tuple[int, int, int]], ...] = (
    ("dark_wood", (70, 48, 35)),
    ("light_wood", (205, 175, 130)),
    ("walnut", (95, 65, 45)),
    ("gray_wood", (150, 145, 138)),
    ("wood", (160, 115, 75)),
    ("marble", (225, 225, 225)),
    ("granite", (120, 120, 125)),
    ("brick", (165, 95, 75)),
    ("white", (240, 240, 238)),
    ("black", (30, 30, 30)),
    ("dark_gray", (70, 70, 72)),
    ("light_gray", (200, 200, 200)),
    ("gray", (130, 130, 132)),
    ("dark_blue", (35, 50, 90)),
    ("blue", (95, 125, 160)),
    ("green", (120, 150, 115)),
    ("red", (160, 60, 50)),
    ("metal", (175, 178, 182)),
    ("brass", (190, 155, 80)),
    ("gold", (200, 165, 80)),
    ("concrete", (160, 158, 155)),
    ("tile", (215, 212, 205)),
    ("beige", (225, 210, 185)),
    ("yellow", (225, 200, 110)),
)
"""Colours of walls, floors, counters and doors by a word in the texture's file name; the first that fits counts."""

FOODS: dict[str, Colour] = {
    "apple": (0.80, 0.10, 0.12, 1),
    "avocado": (0.25, 0.38, 0.15, 1),
    "banana": (0.97, 0.85, 0.20, 1),
    "bell_pepper": (0.90, 0.20, 0.10, 1),
    "broccoli": (0.15, 0.45, 0.15, 1),
    "cabbage": (0.60, 0.78, 0.45, 1),
    "carrot": (0.95, 0.50, 0.10, 1),
    "cauliflower": (0.94, 0.92, 0.82, 1),
    "cheese": (0.98, 0.80, 0.25, 1),
    "chocolate": (0.30, 0.16, 0.08, 1),
    "corn": (0.98, 0.85, 0.35, 1),
    "cucumber": (0.20, 0.50, 0.20, 1),
    "egg": (0.95, 0.88, 0.78, 1),
    "eggplant": (0.30, 0.12, 0.38, 1),
    "fish": (0.55, 0.62, 0.70, 1),
    "garlic": (0.94, 0.92, 0.88, 1),
    "kiwi": (0.45, 0.35, 0.20, 1),
    "lemon": (0.98, 0.90, 0.25, 1),
    "lime": (0.45, 0.75, 0.20, 1),
    "mango": (0.95, 0.65, 0.20, 1),
    "onion": (0.72, 0.45, 0.30, 1),
    "orange": (0.97, 0.55, 0.08, 1),
    "peach": (0.98, 0.70, 0.52, 1),
    "pear": (0.72, 0.80, 0.30, 1),
    "potato": (0.70, 0.55, 0.35, 1),
    "strawberry": (0.88, 0.12, 0.20, 1),
    "sweet_potato": (0.75, 0.38, 0.25, 1),
    "tomato": (0.88, 0.18, 0.10, 1),
    "watermelon": (0.20, 0.55, 0.25, 1),
}


def texture_colour(name: str) -> tuple[int, int, int]:
    """Return the colour of a texture, 0 to 255 each, by its file name: always the same for one name."""
    lowered = name.lower()
    for word, colour in SURFACES:
        if word in lowered:
            return colour
    mixed = zlib.crc32(name.encode())
    return 110 + mixed % 110, 110 + (mixed >> 8) % 110, 110 + (mixed >> 16) % 110


def object_colour(category: str) -> Colour:
    """Return the colour of a category of objects: a food's own, else a strong one that depends on the name alone."""
    if category in FOODS:
        return FOODS[category]
    mixed = zlib.crc32(category.encode())
    red, green, blue = colorsys.hsv_to_rgb(
        mixed % 360 / 360, 0.45 + (mixed >> 9) % 40 / 100, 0.55 + (mixed >> 17) % 40 / 100
    )
    return round(red, 3), round(green, 3), round(blue, 3), 1
