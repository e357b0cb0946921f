"""How alike two names of the same thing are: `observation.images.wrist`, `robot0_eye_in_hand_image`, `wrist_rgb`."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache

_PREFIX = re.compile(r"^(?:observations?|obs)[./]")
_PICTURES = re.compile(r"^(?:images?|pixels|rgb|cameras?)[./]")
_SPLIT = re.compile(r"[^a-z0-9]+|(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")
_EMPTY_WORDS = frozenset(
    {
        "observation",
        "observations",
        "obs",
        "image",
        "images",
        "img",
        "rgb",
        "camera",
        "cam",
        "color",
        "pixels",
        "view",
    }
    | {"robot", "0"}
)
"""Say that it is an observation or a picture, which its kind says already; or that there is one robot."""
_PHRASES = (
    ("eye_in_hand", "wrist"),
    ("eyeinhand", "wrist"),
    ("in_hand", "wrist"),
    ("agent_view", "agentview"),
    ("agent_pos", "state"),
)
_SAME = {
    "hand": "wrist",
    "agentview": "front",
    "exterior": "front",
    "base": "front",
    "proprio": "state",
    "proprioception": "state",
    "qpos": "state",
}
"""Words that the field uses for one thing."""


def normalized(name: str) -> str:
    """Return a key without the prefixes that formats put before it: `observation.images.top` → `top`."""
    return _PICTURES.sub("", _PREFIX.sub("", name.strip().lower()))


@cache
def tokens(name: str) -> frozenset[str]:
    """Return the words of a name that tell what it is."""
    text = normalized(name)
    for phrase, word in _PHRASES:
        text = text.replace(phrase, word)
    found = [_SAME.get(word, word) for word in _SPLIT.split(text) if word]
    return frozenset(word for word in found if word not in _EMPTY_WORDS)


def similarity(one: str, other: str) -> float:
    """Return how alike two names are: 1 the same, 0.95 the same but for a prefix, 0 nothing in common."""
    if one == other:
        return 1.0
    if normalized(one) == normalized(other):
        return 0.95
    left, right = tokens(one), tokens(other)
    if not left or not right:
        return 0.0
    if left == right:
        return 0.9
    shared = len(left & right) / len(left | right)
    spelled = SequenceMatcher(None, "".join(sorted(left)), "".join(sorted(right))).ratio()
    return 0.8 * max(shared, spelled if spelled >= 0.75 else 0.0)
