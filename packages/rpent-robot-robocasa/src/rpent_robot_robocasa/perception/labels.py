"""What instructions call the things of a kitchen and their parts."""

from __future__ import annotations

from rpent_manipulation.perception.vocabulary import Vocabulary

FIXTURES: dict[str, tuple[str, ...]] = {
    "cabinet": ("cabinet", "cupboard", "kitchen cabinet"),
    "coffee_machine": ("coffee machine", "coffee maker", "coffee machine dispenser"),
    "counter": ("counter", "countertop", "kitchen counter", "counter top"),
    "dining_counter": ("dining counter", "dining table", "counter", "table", "countertop"),
    "dish_rack": ("dish rack", "drying rack", "dish drainer"),
    "drawer": ("drawer", "cabinet drawer", "kitchen drawer", "open drawer"),
    "electric_kettle": ("electric kettle",),
    "fridge": ("fridge", "refrigerator", "freezer", "fridge shelf", "fridge shelves", "freezer shelf"),
    "hood": ("hood", "range hood", "extractor hood"),
    "island": ("island", "kitchen island", "counter", "dining counter", "dining table", "table"),
    "oven": ("oven",),
    "paper_towel": ("paper towel", "paper towel roll"),
    "shelf": ("shelf", "shelves", "open shelf", "open cabinet"),
    "sink": ("sink", "kitchen sink"),
    "stand_mixer": ("stand mixer", "mixer"),
    "stool": ("stool", "bar stool", "chair"),
    "stove": ("stove", "stovetop", "stove top", "range", "cooktop", "range oven"),
    "stovetop": ("stovetop", "stove", "stove top", "cooktop", "hob"),
    "toaster_oven": ("toaster oven",),
}
"""Kind of fixture → its names, best first."""

OBJECTS: dict[str, tuple[str, ...]] = {
    "aluminum_foil": ("aluminum foil", "foil"),
    "bagged_food": ("bagged food", "bag"),
    "bar_soap": ("bar soap", "soap", "bar of soap"),
    "blender_jug": ("blender jug",),
    "bottled_drink": ("bottled drink", "drink", "bottle"),
    "bottled_water": ("bottled water", "water bottle", "bottle of water", "bottle"),
    "boxed_drink": ("boxed drink", "drink"),
    "bread_flat": ("bread", "bread slice", "slice of bread", "flat bread", "toast"),
    "brussel_sprout": ("brussel sprout", "brussels sprout"),
    "butter_stick": ("butter stick", "stick of butter", "butter"),
    "can": ("can", "soda can", "soda", "can of soda"),
    "canned_food": ("canned food", "can", "can of food"),
    "cheese": ("cheese", "wedge of cheese", "cheese wedge"),
    "coffee_cup": ("coffee cup", "cup of coffee", "coffee"),
    "condiment_bottle": ("condiment bottle", "condiment", "bottle"),
    "cream_cheese_stick": ("cream cheese stick", "cream cheese"),
    "dish_brush": ("dish brush", "dishbrush", "brush"),
    "digital_scale": ("digital scale", "scale"),
    "fish": ("fish",),
    "glass_cup": ("glass cup", "glass", "glass of coffee", "cup"),
    "hotdog_bun": ("hot dog bun", "hotdog bun", "bun"),
    "jug_wide_opening": ("jug",),
    "kebab_skewer": ("kebab skewer", "skewer", "kebab"),
    "kettle_electric": ("electric kettle", "kettle"),
    "kettle_non_electric": ("kettle",),
    "oil_and_vinegar_bottle": ("oil vinegar bottle", "oil and vinegar bottle", "oil bottle", "bottle"),
    "orange": ("orange",),
    "oven_tray": ("oven tray", "tray"),
    "pan": ("pan", "frying pan"),
    "salt_and_pepper_shaker": ("salt pepper shaker", "salt and pepper shaker", "shaker"),
    "sandwich_bread": ("sandwich bread", "bread", "toasted item", "bread slice", "slice of bread"),
    "saucepan_lid": ("saucepan lid", "lid"),
    "saucepan_with_lid": ("saucepan", "saucepan with lid"),
    "shaker": ("shaker", "salt shaker"),
    "soap_dispenser": ("soap dispenser", "soap"),
    "spray": ("spray", "spray bottle"),
    "steak": ("steak", "beef"),
    "teapot": ("teapot",),
    "tupperware": ("tupperware", "tupperware container"),
    "wine": ("wine", "wine bottle", "bottle of wine"),
    "wooden_spoon": ("wooden spoon", "spoon"),
}
"""Category of object → its names, where they are more than its own words."""

_STOVE_PLACES = tuple(
    f"{row} {column}".strip() for row in ("front", "rear", "") for column in ("left", "center", "right")
)
_OPENINGS = (
    *("left freezer door", "right freezer door", "freezer door", "left door", "right door", "door"),
    *("freezer drawer", "drawer", "lid"),
)


def _stove_parts() -> dict[str, tuple[str, ...]]:
    """Return the burners and their knobs: `the knob of the front left burner` is the `front left knob`."""
    parts: dict[str, tuple[str, ...]] = {}
    for place in _STOVE_PLACES:
        others = {place, place.replace("rear", "back")}
        name = place.replace(" ", "_")
        parts[f"{name}_burner"] = tuple(f"{other} burners?" for other in others)
        parts[f"{name}_knob"] = tuple(
            phrase
            for other in sorted(others)
            for phrase in (
                f"{other} (?:burner |stove )?knob",
                f"{other} (?:burner )?dial",
                f"knob (?:of|for) (?:the )?{other} burner",
            )
        )
    return parts


def _openings() -> dict[str, tuple[str, ...]]:
    """Return doors, drawers and lids, with their handles."""
    parts: dict[str, tuple[str, ...]] = {}
    for opening in _OPENINGS:
        name = opening.replace(" ", "_")
        parts[name] = (f"{opening}s?",)
        parts[f"{name}_handle"] = (
            f"{opening} handles?",
            f"handles? (?:of|on) (?=(?:[a-z]+ ){{0,3}}{opening}s?\\b)",
        )
    return parts


PARTS: dict[str, tuple[str, ...]] = {
    **_stove_parts(),
    **_openings(),
    "burner": ("burners?", "stove eye"),
    "knob": ("knobs?", "dials?"),
    "start_button": ("start button",),
    "stop_button": ("stop button",),
    "power_button": ("power button", "on button", "power switch"),
    "cancel_button": ("cancel button",),
    "lid_button": ("lid button", "lid release", "button to open the lid", "lid release button"),
    "head_lock_button": ("head lock button", "lock button"),
    "button": ("buttons?",),
    "left_lever": ("left lever",),
    "right_lever": ("right lever",),
    "lever": ("levers?",),
    "switch": ("switch",),
    "time_knob": ("time(?:r)? (?:knob|dial)", "timer"),
    "temperature_knob": ("temperature (?:knob|dial)", "temperature"),
    "function_knob": ("function (?:knob|dial)",),
    "doneness_knob": ("(?:doneness|browning) (?:knob|dial)",),
    "speed_knob": ("speed (?:knob|dial)",),
    "faucet_handle": (
        "(?:faucet|tap|water) (?:handle|lever)",
        "handle (?:of|on) (?:the )?(?:sink )?(?:faucet|tap)",
    ),
    "spout": ("(?:faucet |tap )?spout",),
    "faucet": ("faucet", "tap"),
    "left_basin": ("left (?=(?:sink )?basin\\b)",),
    "right_basin": ("right (?=(?:sink )?basin\\b)",),
    "basin": ("basin",),
    "top_rack": ("(?:top|upper|highest) (?=(?:[a-z]+ ){0,2}racks?\\b)",),
    "bottom_rack": ("(?:bottom|lower|lowest) (?=(?:[a-z]+ ){0,2}racks?\\b)",),
    "rack": ("racks?",),
    "top_tray": ("top (?=(?:[a-z]+ ){0,2}trays?\\b)",),
    "bottom_tray": ("bottom (?=(?:[a-z]+ ){0,2}trays?\\b)",),
    "tray": ("trays?",),
    "head": ("head",),
    "bowl": ("bowl",),
    "handle": ("handles?",),
}
"""Part → how instructions name it, as regular expressions."""

ANSWERS_TO: dict[str, tuple[str, ...]] = {
    "switch": ("lever", "button", "power_button", "start_button"),
    "lever": ("switch",),
    "start_button": ("power_button",),
    "power_button": ("start_button", "switch"),
    "spout": ("faucet",),
    "faucet_handle": ("lever", "switch"),
    "tray": ("rack",),
    "rack": ("tray",),
}
"""Part → what else it may be asked for as."""

PLACES = frozenset(
    [
        *("top", "bottom", "upper", "lower", "left", "right", "middle", "front", "rear", "back"),
        *("highest", "second", "uppermost", "lowest", "current", "single"),
    ]
)
"""Words that choose among several things and are no part's name."""

KITCHEN = Vocabulary(
    aliases={**FIXTURES, **OBJECTS},
    parts=PARTS,
    answers_to=ANSWERS_TO,
    places=PLACES,
    whole_stands_in=False,
)
