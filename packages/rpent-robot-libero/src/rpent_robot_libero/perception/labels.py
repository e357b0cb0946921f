"""What LIBERO's instructions call its objects and their parts."""

from __future__ import annotations

from rpent_manipulation.perception.vocabulary import Vocabulary

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

LIBERO = Vocabulary(aliases=ALIASES, parts=PARTS, part_names=PART_NAMES)
