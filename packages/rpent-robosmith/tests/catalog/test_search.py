"""Which environment a sentence is about. Right answers, near misses, and sentences that fit nothing."""

from __future__ import annotations

import pytest
from rpent_robosmith.catalog.load import catalogs
from rpent_robosmith.catalog.search import THRESHOLD, query_of, search
from rpent_robosmith.catalog.words import form, tokens

FITS = {
    "swing the pendulum up and keep it upright": "pendulum",
    "The pendulum swung up.": "pendulum",
    "Swinging up a pendulum, then holding it upright!": "pendulum",
    "swing the pendulum up without a cart": "pendulum",
    "balance a pole on a cart": "cartpole",
    "Keep the pole upright on the cart for 500 steps.": "cartpole",
    "cart-pole balancing": "cartpole",
    "CartPole": "cartpole",
    "stabilise the inverted double pendulum": "inverted-double-pendulum",
    "balance an inverted pendulum with a continuous force": "inverted-pendulum",
    "drive the car up the mountain": "mountain-car",
    "an underpowered car climbs the hill to the flag": "mountain-car",
    "swing the tip of the double link above the line": "acrobot",
    "land the spacecraft softly on the moon": "lunar-lander",
    "Lunar landing, please": "lunar-lander",
    "a bipedal walker crosses uneven terrain": "bipedal-walker",
    "the two-legged robot walks over rough terrain with obstacles": "bipedal-walker-hardcore",
    "reach a target with the fingertip": "reacher",
    "move the arm's fingertip to the goal": "reacher",
    "Make a planar arm reach targets": "reacher",
    "the planar arm is reaching for the target": "reacher",
    "a planar arm that reaches": "reacher",
    "the arm pushes a cylinder to the target": "pusher",
    "make the cheetah run as fast as it can": "half-cheetah",
    "hop forward on one leg": "hopper",
    "a hopper that hops without falling": "hopper",
    "swim forward through the water": "swimmer",
    "teach the ant to walk": "ant",
    "a quadruped walks forward": "ant",
    "a four-legged robot that runs": "ant",
    "the humanoid walks": "humanoid",
    "the humanoid stands up from the floor": "humanoid-standup",
    "move the Fetch gripper to a goal in the air": "fetch-reach",
    "FetchReach": "fetch-reach",
    "push the block to the goal": "fetch-push",
    "slide the puck to the far target": "fetch-slide",
    "pick up the cube and place it at the goal": "fetch-pick-and-place",
    "bring the fingertips of the Shadow Hand to their goals": "hand-reach",
    "rotate a cube in the hand": "hand-manipulate-block",
    "turn an egg on the palm of the hand": "hand-manipulate-egg",
    "open the door with a hand": "adroit-door",
    "hammer a nail into the board": "adroit-hammer",
    "relocate the ball with the hand": "adroit-relocate",
    "navigate a maze with a ball": "point-maze-umaze",
    "the ant finds its way through the maze": "ant-maze-umaze",
    "stack one block on another": "robosuite-stack",
    "open the door with the robot arm": "robosuite-door",
    "insert the square nut on the peg": "robosuite-nut-assembly",
    "wipe the table": "robosuite-wipe",
    "lift a pot with both arms": "robosuite-two-arm-lift",
    "reach the target without an arm": "hand-reach",
    "reach the goal with a robot arm without using Fetch": "reacher",
    "balance the pole on the cart and don't let the cart leave the track": "cartpole",
    "balance the cart's pole without the cart leaving the track": "cartpole",
}
NOTHING = [
    "a drone hovers over a pond",
    "a drone lands on the moon",
    "fly a helicopter",
    "cook a pizza",
    "fold the laundry with an arm",
    "play chess",
    "park the car",
    "a fish swims",
    "sort the mail",
    "the dog fetches the stick",
    "water the plants",
    "a humanoid opens the door",
    "an arm swings a pendulum up",
    "sail a boat across the lake",
    "a snake crawls",
    "solve a Rubik's cube with the hand",
    "throw the ball into the basket",
    "make it better",
    "",
    " ... !?",
    "池の上を飛ぶ",
]


def known():
    own = {"gymnasium", "gymnasium-robotics", "robosuite", "libero", "robocasa"}
    return [entry for catalog in catalogs() if catalog.name in own for entry in catalog.entries]


@pytest.mark.parametrize(("sentence", "right"), FITS.items())
def test_a_sentence_finds_its_environment(sentence, right):
    best = search(query_of(sentence), known())[0]
    assert (best.entry.id, best.score >= THRESHOLD) == (right, True)


@pytest.mark.parametrize("sentence", NOTHING)
def test_what_fits_nothing_finds_nothing(sentence):
    assert [each.entry.id for each in search(query_of(sentence), known()) if each.score >= THRESHOLD] == []


def test_scores_are_shares():
    for sentence in (*FITS, *NOTHING):
        assert all(0 <= each.score <= 1 for each in search(query_of(sentence), known()))


def test_what_the_sentence_says_no_to_does_not_count():
    query = query_of("Reach the goal, without an arm and never pushing; use a hand.")
    assert query.words == ("reach", "goal", "hand")
    assert query.refused == ("arm",)
    scores = {each.entry.id: each for each in search(query_of("reach the goal without an arm"), known())}
    assert scores["reacher"].score == 0
    assert scores["reacher"].reason == "the sentence says no to `arm`"


def test_a_near_miss_says_what_it_lacks():
    (first, *_) = search(query_of("a drone lands on the moon"), known())
    assert first.entry.id == "lunar-lander"
    assert first.missed == ("drone",)
    assert first.reason == "it has no drone"


@pytest.mark.parametrize("word", ["swing", "swings", "swinging", "swung"])
def test_swing_is_one_word(word):
    assert form(word, {"swing"}) == "swing"


@pytest.mark.parametrize("word", ["reach", "reaches", "reached", "reaching", "reacher"])
def test_reach_is_one_word(word):
    assert form(word, {"reach"}) == "reach"


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("hopping", "hop"),
        ("balancing", "balance"),
        ("carries", "carry"),
        ("boxes", "block"),
        ("goals", "target"),
    ],
)
def test_inflections_and_synonyms_lead_to_the_word_of_the_catalogs(word, base):
    assert form(word, {base}) == base


@pytest.mark.parametrize(
    ("word", "other"), [("handle", "hand"), ("target", "tar"), ("string", "str"), ("bus", "bu")]
)
def test_a_word_is_not_another_that_it_begins_with(word, other):
    assert form(word, {other}) == word


def test_a_text_is_split_into_its_words():
    assert tokens("The arm's CartPole-v1: run, RUN!  (half-cheetah)") == [
        *("the", "arm", "cart", "pole", "v", "run", "run", "half", "cheetah"),
    ]
