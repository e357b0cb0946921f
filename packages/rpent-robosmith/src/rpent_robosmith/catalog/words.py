"""Words of sentences and of catalogs: split, brought to one form, and what they stand for.

Two words are the same when one's form is the other's: `swinging` and `swings` are `swing`, `reaches` is `reach`, and
`handle` is not `hand`. A form is taken only where it is a word that catalogs use, so nothing is cut off at random.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_IRREGULAR_FORMS = {
    "swing": "swung",
    "run": "ran runner",
    "hold": "held",
    "keep": "kept",
    "stand": "stood standup",
    "swim": "swam swum swimmer",
    "slide": "slid",
    "bring": "brought",
    "spin": "spun",
    "drive": "drove driven driver",
    "foot": "feet",
    "throw": "threw thrown",
    "grip": "gripper",
    "reach": "reacher",
    "push": "pusher",
    "walk": "walker",
    "hop": "hopper",
    "land": "lander",
    "balance": "balancer",
}
IRREGULAR = {word: base for base, words in _IRREGULAR_FORMS.items() for word in words.split()}
"""Inflections that no rule makes, and who does it (`reacher`) for what is done."""

SYNONYMS = {
    word: meant
    for meant, words in {
        "block": "cube brick box",
        "target": "goal",
        "pole": "stick rod broom broomstick",
        "walk": "stroll gait stride locomotion locomote",
        "run": "sprint dash gallop",
        "hop": "jump leap bounce",
        "pick": "grasp grab",
        "push": "shove nudge",
        "upright": "vertical erect inverted",
        "balance": "stabilise stabilize equilibrium",
        "humanoid": "human person android",
        "quadruped": "fourlegged dog",
        "biped": "bipedal twolegged",
        "spacecraft": "spaceship rocket",
        "hill": "mountain slope",
        "car": "vehicle automobile",
        "labyrinth": "maze",
        "rotate": "turn spin twirl reorient",
        "lift": "raise",
        "wipe": "clean",
        "arm": "manipulator",
    }.items()
    for word in words.split()
}
"""Word → the one that it is taken for, after inflection."""

BODIES = frozenset(
    re.findall(
        r"\w+",
        """ant arm biped bird boat bus car cart cheetah crab drone fish forklift hand helicopter hopper horse humanoid
    octopus person plane quadcopter quadrotor quadruped rover ship snake spacecraft spider submarine
    tractor truck uav worm zeppelin airplane""",
    )
)
"""What acts. A sentence about one of these is about no environment without it."""

_GENERIC = frozenset(
    re.findall(
        r"\w+",
        """a able about above actually after again against agent ahead air all along also always an and another
    any anything are around as at away back be because been before begin being below best big body both but
    by can cannot capable center centimeter centimeters centimetre centimetres centre close closer cm come
    control controller controls could degree degrees did do does doing done down during each easy either end
    enough environment episode ever every fast few final finally fine first fixed for free from front full
    further general get given gives go goes going good had hard has have he help her here high his hour
    hours how i if in inside into is it its itself just keep large learn learned learning learns least left
    let like little location long lot low made make makes making many max maximum may me mean means meter
    meters metre metres middle might min minimum minute minutes mm more most much must my near need needs
    never new next nice now of off on once one only onto or other our out over own path per percent perform
    please point policy position possible proper properly quick random randomly rate remain remains right
    robot robotic same second seconds see set shall she short should side simple simulated simulation
    simulator slow small smoothly so some something somewhere space stable start starting state stay stays
    steadily step steps still success successful such sure system take task teach than that the their them
    then there these they thing this those through thus time times to together too top toward towards train
    trained training trains try two under until up upon us use used uses using very via want wants was way
    we well were what when where whether which while who whole whose why will with within world would yet
    you your""",
    )
)
"""Words that say nothing about which environment is meant."""

_TOKEN = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_VOWELS = "aeiouy"


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case: no punctuation, numbers, possessives; `CartPole` is two words."""
    plain = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    plain = re.sub(r"'s\b|(?<=s)'(?=\W|$)", "", plain)
    return [word.lower() for word in _TOKEN.findall(_CAMEL.sub(" ", plain))]


def form(word: str, known: Container[str]) -> str:
    """Return the known word that this one is a form of, or a synonym of; else the word itself.

    Args:
        word: In lower case.
        known: Words that catalogs use, themselves forms.
    """
    for candidate in forms(word):
        if candidate in known:
            return candidate
        meant = SYNONYMS.get(candidate)
        if meant in known:
            return str(meant)
    return word


def canonical(word: str) -> str:
    """Return the form of a catalog's own word, which is its base form or close to it."""
    base = IRREGULAR.get(word, word)
    return SYNONYMS.get(base, base)


def forms(word: str) -> Iterator[str]:
    """Yield what a word may be an inflection of, itself first: `running` → `running`, `runn`, `runne`, `run`."""
    yield word
    if word in IRREGULAR:
        yield IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        yield word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh", "o")):
        yield word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        yield word[:-1]
    if word.endswith("ied"):
        yield word[:-3] + "y"
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1 and any(letter in _VOWELS for letter in stem):
            yield stem
            yield stem + "e"
            if len(stem) > 2 and stem[-1] == stem[-2]:
                yield stem[:-1]


def says_nothing(word: str) -> bool:
    """Whether a word does not tell one environment from another; adverbs of manner do not either."""
    return word in _GENERIC or len(word) == 1 or (word.endswith("ly") and len(word) > 4)
