"""How big things are: half sizes in metres, at most 3.5 cm across where a hand shall close on them.

Everything stands on a flat bottom, so nothing rolls away. What is wider is carried by its rim or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent_robot_robocasa.assets.placeholder.mjcf import Vector

ROUND_CONTAINERS: dict[str, tuple[float, float]] = {
    "bowl": (0.075, 0.030),
    "cup": (0.033, 0.045),
    "mug": (0.034, 0.045),
    "coffee_cup": (0.034, 0.045),
    "glass_cup": (0.033, 0.050),
    "wine_glass": (0.032, 0.070),
    "measuring_cup": (0.034, 0.035),
    "jug": (0.034, 0.070),
    "jug_wide_opening": (0.045, 0.070),
    "pitcher": (0.045, 0.085),
    "blender_jug": (0.045, 0.080),
    "pan": (0.095, 0.022),
    "pot": (0.090, 0.050),
    "saucepan": (0.080, 0.045),
    "saucepan_with_lid": (0.080, 0.045),
    "plate": (0.095, 0.009),
    "strainer": (0.060, 0.025),
    "colander": (0.085, 0.040),
    "kettle_non_electric": (0.034, 0.060),
    "teapot": (0.034, 0.045),
}
"""Radius and half height."""

OPEN_BOXES: dict[str, Vector] = {
    "tray": (0.150, 0.110, 0.012),
    "oven_tray": (0.150, 0.115, 0.012),
    "baking_sheet": (0.150, 0.115, 0.010),
    "basket": (0.100, 0.080, 0.045),
    "tupperware": (0.070, 0.055, 0.030),
    "ice_cube_tray": (0.090, 0.034, 0.015),
}

ROUND: dict[str, float] = {
    "apple": 0.033,
    "orange": 0.033,
    "lemon": 0.026,
    "lime": 0.025,
    "onion": 0.033,
    "potato": 0.032,
    "tomato": 0.031,
    "peach": 0.032,
    "pear": 0.033,
    "kiwi": 0.027,
    "mango": 0.034,
    "garlic": 0.024,
    "egg": 0.021,
    "avocado": 0.032,
    "tangerine": 0.029,
    "mushroom": 0.022,
    "ice_cube": 0.014,
    "sugar_cube": 0.010,
    "marshmallow": 0.014,
    "strawberry": 0.016,
    "cherry": 0.012,
    "grapes": 0.028,
    "watermelon": 0.034,
    "cantaloupe": 0.034,
    "coconut": 0.034,
    "pineapple": 0.034,
    "cabbage": 0.034,
    "lettuce": 0.034,
    "broccoli": 0.034,
    "cauliflower": 0.034,
    "artichoke": 0.034,
    "bell_pepper": 0.034,
    "cupcake": 0.029,
    "donut": 0.033,
}
"""Radius, which is half of the height too."""

BOXES: dict[str, Vector] = {
    "banana": (0.062, 0.018, 0.018),
    "carrot": (0.055, 0.014, 0.014),
    "cucumber": (0.055, 0.018, 0.018),
    "corn": (0.055, 0.021, 0.021),
    "eggplant": (0.050, 0.026, 0.026),
    "sweet_potato": (0.045, 0.025, 0.025),
    "baguette": (0.110, 0.028, 0.025),
    "fish": (0.055, 0.025, 0.018),
    "fork": (0.080, 0.011, 0.006),
    "spoon": (0.080, 0.014, 0.007),
    "knife": (0.090, 0.011, 0.006),
    "ladle": (0.100, 0.025, 0.018),
    "spatula": (0.100, 0.027, 0.010),
    "whisk": (0.095, 0.023, 0.020),
    "wooden_spoon": (0.100, 0.018, 0.010),
    "rolling_pin": (0.120, 0.020, 0.020),
    "scissors": (0.070, 0.028, 0.008),
    "tongs": (0.090, 0.018, 0.014),
    "peeler": (0.065, 0.014, 0.010),
    "cutting_board": (0.140, 0.100, 0.010),
    "placemat": (0.170, 0.120, 0.003),
    "steak": (0.042, 0.030, 0.014),
    "chocolate": (0.055, 0.028, 0.008),
    "bread": (0.050, 0.034, 0.034),
    "bread_flat": (0.048, 0.034, 0.011),
    "sandwich_bread": (0.048, 0.034, 0.010),
    "sponge": (0.042, 0.028, 0.015),
    "digital_scale": (0.080, 0.080, 0.014),
    "straw": (0.080, 0.004, 0.004),
    "kebab_skewer": (0.090, 0.012, 0.012),
    "skewers": (0.090, 0.012, 0.012),
    "hot_dog": (0.055, 0.019, 0.019),
    "hotdog_bun": (0.055, 0.024, 0.022),
    "bar": (0.055, 0.018, 0.012),
    "butter_stick": (0.050, 0.017, 0.017),
    "cheese": (0.045, 0.028, 0.022),
    "pizza": (0.085, 0.085, 0.010),
    "pancake": (0.045, 0.034, 0.008),
    "waffle": (0.045, 0.034, 0.010),
    "aluminum_foil": (0.110, 0.022, 0.022),
    "tomato_slice": (0.022, 0.022, 0.006),
    "pickle_slice": (0.018, 0.018, 0.005),
}
"""Length, width and height; the long side lies along x, of `POINTING` ones along y."""

POINTING = frozenset({"utensil", "tool"})
"""Types that lie with their long side along y, away from whoever looks: tasks place forks and spoons so."""
ACROSS = frozenset({"rolling_pin", "aluminum_foil"})
"""Tools that do not."""

BY_TYPE: dict[str, Vector] = {
    "drink": (0.030, 0.030, 0.065),
    "alcohol": (0.032, 0.032, 0.100),
    "condiment": (0.028, 0.028, 0.060),
    "cleaner": (0.032, 0.024, 0.060),
    "packaged_food": (0.034, 0.028, 0.055),
    "meat": (0.040, 0.026, 0.014),
    "utensil": (0.080, 0.014, 0.008),
    "vegetable": (0.038, 0.020, 0.020),
    "fruit": (0.030, 0.030, 0.030),
    "bread_food": (0.045, 0.033, 0.028),
    "sweets": (0.028, 0.028, 0.020),
    "dairy": (0.032, 0.032, 0.055),
    "pastry": (0.042, 0.033, 0.024),
    "cooked_food": (0.042, 0.030, 0.020),
    "receptacle": (0.065, 0.065, 0.045),
    "tool": (0.070, 0.023, 0.015),
    "decoration": (0.033, 0.033, 0.045),
    "spice": (0.022, 0.022, 0.045),
    "lid": (0.075, 0.075, 0.014),
    "iced_item": (0.015, 0.015, 0.015),
}
"""What a category is that has no size of its own, by the first of its types that is here."""

ANYTHING: Vector = (0.033, 0.033, 0.033)
SHRINK = 0.06
"""The second instance of a category is this much smaller than the first."""
