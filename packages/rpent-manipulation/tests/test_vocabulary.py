"""Prompts against labels: parts with a side, parts that go by another name, and whose part it is."""

from __future__ import annotations

import pytest
from rpent_manipulation.perception.vocabulary import Vocabulary

WORDS = Vocabulary(
    aliases={"bench": ("bench", "work bench")},
    parts={
        "front_left_valve": ("front left valve",),
        "left_door": ("left doors?",),
        "door": ("doors?",),
        "door_handle": ("door handles?",),
        "top_tray": (r"top (?=(?:[a-z]+ ){0,2}tray)",),
        "tray": ("tray",),
        "button": ("button",),
        "drawer": ("drawer",),
        "handle": ("handles?",),
    },
    answers_to={"switch": ("button",)},
    places=frozenset(["left", "top", "front"]),
    whole_stands_in=False,
)
LABELS = [
    "bench_1",
    "press_1",
    "press_1/switch",
    "press_1/left_door",
    "press_1/front_left_valve",
    "kiln_1",
    "kiln_1/door",
    "kiln_1/door_handle",
    "kiln_1/top_tray",
    "drawer_1",
    "drawer_1/handle",
    "kiln_1/drawer",
]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("front left valve of the press", ["press_1/front_left_valve"]),
        ("left door", ["press_1/left_door"]),
        ("the bench next to the left door", ["bench_1"]),
        ("the press door", ["press_1/left_door"]),
        ("door", ["kiln_1/door", "press_1/left_door"]),
        ("door handle", ["kiln_1/door_handle"]),
        ("button on the press", ["press_1/switch"]),
        ("button of the kiln", []),
        ("the top kiln tray", ["kiln_1/top_tray"]),
        ("the left drawer", ["drawer_1", "kiln_1/drawer"]),
        ("drawer of the kiln", ["kiln_1/drawer"]),
        ("handle of the drawer", ["drawer_1/handle"]),
    ],
)
def test_which_labels_a_prompt_names(prompt: str, expected: list[str]) -> None:
    assert [LABELS[index] for index, _ in WORDS.match(prompt, LABELS)] == expected


def test_a_whole_thing_stands_in_where_its_parts_are_not_labelled() -> None:
    prompt, labels = "button of the kiln", ["kiln_1", "kiln_1/door"]
    assert WORDS.match(prompt, labels) == []
    assert WORDS.match(prompt, ["kiln_1"]) == [(0, 0.6)]
    assert Vocabulary(parts=WORDS.parts).match(prompt, labels) == [(0, 0.6)]
