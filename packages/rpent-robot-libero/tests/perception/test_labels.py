"""The words of the benchmark's instructions against its instance names."""

from __future__ import annotations

import pytest
from rpent_manipulation.perception.vocabulary import words
from rpent_robot_libero.perception.labels import LIBERO

SCENE = [
    "akita_black_bowl_1",
    "akita_black_bowl_2",
    "white_bowl_1",
    "cookies_1",
    "wooden_cabinet_1",
    "wooden_cabinet_1/cabinet_top",
    "wooden_cabinet_1/cabinet_bottom",
    "flat_stove_1",
    "flat_stove_1/button",
    "plate_1",
    "glazed_rim_porcelain_ramekin_1",
    "cream_cheese_1",
    "alphabet_soup_1",
    "bbq_sauce_1",
    "tomato_sauce_1",
    "porcelain_mug_1",
    "white_yellow_mug_1",
    "wine_rack_1",
    "wine_bottle_1",
    "basket_1",
    "chefmate_8_frypan_1",
    "moka_pot_1",
    "moka_pot_2",
    "microwave_1",
    "microwave_1/microdoorroot",
]


def _named(prompt: str) -> list[str]:
    return [SCENE[index] for index, _ in LIBERO.match(prompt, SCENE)]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("the akita black bowl", ["akita_black_bowl_1", "akita_black_bowl_2"]),
        ("the black bowl on the ramekin", ["akita_black_bowl_1", "akita_black_bowl_2"]),
        ("white bowl", ["white_bowl_1"]),
        ("cookie box", ["cookies_1"]),
        ("the cookies box", ["cookies_1"]),
        ("wooden cabinet", ["wooden_cabinet_1"]),
        ("top drawer", ["wooden_cabinet_1/cabinet_top"]),
        ("the top layer of the wooden cabinet", ["wooden_cabinet_1/cabinet_top"]),
        ("the cabinet's bottom drawer", ["wooden_cabinet_1/cabinet_bottom"]),
        ("the top of the cabinet", ["wooden_cabinet_1"]),
        ("stove", ["flat_stove_1"]),
        ("stove knob", ["flat_stove_1/button"]),
        ("the ramekin", ["glazed_rim_porcelain_ramekin_1"]),
        ("cream cheese box", ["cream_cheese_1"]),
        ("alphabet soup", ["alphabet_soup_1"]),
        ("bbq sauce", ["bbq_sauce_1"]),
        ("white mug", ["porcelain_mug_1"]),
        ("yellow and white mug", ["white_yellow_mug_1"]),
        ("rack", ["wine_rack_1"]),
        ("the basket", ["basket_1"]),
        ("frying pan", ["chefmate_8_frypan_1"]),
        ("moka pots", ["moka_pot_1", "moka_pot_2"]),
        ("microwave door", ["microwave_1/microdoorroot"]),
        ("zebra", []),
        ("", []),
    ],
)
def test_prompts_name_the_right_things(prompt: str, expected: list[str]) -> None:
    assert _named(prompt) == expected


def test_an_exact_name_scores_highest() -> None:
    assert LIBERO.match("plate", SCENE)[0][1] == pytest.approx(1.0)
    assert LIBERO.match("the sauce", SCENE)[0][1] < 1.0


def test_parts_and_wholes() -> None:
    assert LIBERO.parse("handle of the top drawer") == ((), "top_drawer")
    assert LIBERO.parse("bowl in the top drawer") == (("bowl",), "")


def test_what_things_are_called() -> None:
    assert LIBERO.spoken("akita_black_bowl_1") == "akita black bowl"
    assert LIBERO.spoken("wooden_cabinet_1/cabinet_top") == "top drawer of wooden cabinet"
    assert words("The Cookies, two mugs") == ("cookie", "two", "mug")
