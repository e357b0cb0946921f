"""Relations are resolved by geometry alone, softly, in normal and in perturbed scenes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from rpent_planner_flash.goals import Place, Relation
from rpent_planner_flash.ground import Grounder
from rpent_planner_flash.parser import parse
from rpent_planner_flash.relations import View
from rpent_planner_flash.scene import Scene

BOWL, PLATE, RAMEKIN, BOX = (0.12, 0.12, 0.05), (0.15, 0.15, 0.02), (0.09, 0.09, 0.04), (0.06, 0.15, 0.07)
CABINET, STOVE, BASKET = (0.22, 0.25, 0.22), (0.2, 0.25, 0.03), (0.2, 0.18, 0.1)


@dataclass
class Reply:
    """What the grounder reads of a `ToolReply`."""

    ok: bool
    data: dict[str, Any]


@dataclass
class Table:
    """Answers `segment` from a list of (name, (x, y, bottom z), size)."""

    things: list[tuple[str, tuple[float, float, float], tuple[float, float, float]]]
    calls: list[str] = field(default_factory=list)

    def call(self, name: str, arguments: dict[str, Any]) -> Reply:
        assert name == "segment"
        self.calls.append(arguments["prompt"])
        found = [
            {
                "id": f"s0.{index}",
                "label": label,
                "score": 0.9,
                "center_xyz": [x, y, z + size[2] / 2],
                "size_xyz_m": size,
                "top_z_m": z + size[2],
            }
            for index, (label, (x, y, z), size) in enumerate(self.things)
            if label.endswith(arguments["prompt"].removesuffix(" box").removesuffix("s"))
        ]
        return Reply(True, {"found": bool(found), "candidates": found})


def grounder(*things: tuple[str, tuple[float, float, float], tuple[float, float, float]]) -> Grounder:
    return Grounder(Scene(Table(list(things))), View)


def meant(instruction: str, *things: Any) -> int:
    (goal,) = parse(instruction)
    matches = grounder(*things).resolve(goal.item)
    return int(matches[0].candidate.id.removeprefix("s0."))


NORMAL = (
    ("plate", (0.06, 0.20, 0.0), PLATE),
    ("ramekin", (-0.20, 0.20, 0.0), RAMEKIN),
    ("cookie", (0.07, 0.03, 0.0), BOX),
    ("wooden cabinet", (0.03, -0.27, 0.0), CABINET),
    ("stove", (-0.41, -0.14, 0.0), STOVE),
)
SWAPPED = (
    ("plate", (0.07, 0.03, 0.0), PLATE),
    ("ramekin", (-0.20, 0.20, 0.0), RAMEKIN),
    ("cookie", (0.06, 0.20, 0.0), BOX),
    ("wooden cabinet", (0.03, -0.27, 0.0), CABINET),
    ("stove", (-0.41, -0.14, 0.0), STOVE),
)
PLACES = {
    "between": (-0.05, 0.20, 0.0),
    "next to ramekin": (-0.18, 0.32, 0.0),
    "next to plate": (0.01, 0.31, 0.0),
    "next to box": (0.13, -0.07, 0.0),
    "center": (-0.075, 0.0, 0.0),
    "on cabinet": (0.03, -0.27, 0.22),
    "in drawer": (0.06, -0.14, 0.15),
    "on stove": (-0.38, -0.14, 0.03),
    "on ramekin": (-0.20, 0.20, 0.025),
    "on box": (0.07, 0.03, 0.07),
}
CASES = [
    ("between the plate and the ramekin", NORMAL, "between", "next to ramekin"),
    ("between the plate and the ramekin", SWAPPED, "between", "next to ramekin"),
    ("not between the plate and the ramekin", NORMAL, "next to ramekin", "between"),
    ("next to the ramekin", NORMAL, "next to ramekin", "next to box"),
    ("next to the plate", NORMAL, "next to plate", "next to ramekin"),
    ("next to the plate", SWAPPED, "next to plate", "next to ramekin"),
    ("next to the cookies box", NORMAL, "next to box", "on stove"),
    ("from table center", NORMAL, "center", "next to plate"),
    ("on the wooden cabinet", NORMAL, "on cabinet", "on stove"),
    ("on the top of the cabinet", NORMAL, "on cabinet", "in drawer"),
    ("in the top layer of the wooden cabinet", NORMAL, "in drawer", "on cabinet"),
    ("on the stove", NORMAL, "on stove", "next to box"),
    ("on the ramekin", NORMAL, "on ramekin", "on box"),
    ("on the cookie box", NORMAL, "on box", "on ramekin"),
    ("next to the cookie box", NORMAL, "next to box", "on box"),
    ("to the left of the plate", NORMAL, "center", "next to plate"),
    ("in front of the ramekin", NORMAL, "between", "next to ramekin"),
    ("on the left", NORMAL, "next to box", "next to plate"),
    ("at the front", NORMAL, "next to box", "center"),
]


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(("phrase", "scene", "right", "wrong"), CASES)
def test_the_bowl_that_is_meant(phrase: str, scene: Any, right: str, wrong: str, flip: bool) -> None:
    bowls = [("akita black bowl", PLACES[right], BOWL), ("akita black bowl", PLACES[wrong], BOWL)]
    if flip:
        bowls.reverse()
    expected = len(scene) + flip
    assert meant(f"pick the akita black bowl {phrase} and place it on the plate", *scene, *bowls) == expected


def test_a_negation_that_holds_of_all_tells_nothing_apart() -> None:
    scene = [t for t in NORMAL if t[0] != "plate"] + [("plate", (0.09, 0.20, 0.0), PLATE)]
    bowls = [("akita black bowl", xyz, BOWL) for xyz in ((-0.17, 0.325, 0.0), (-0.29, 0.23, 0.0))]
    phrase = "pick the akita black bowl not between the plate and the ramekin and place it on the plate"
    for order in (bowls, bowls[::-1]):  # the perceptor's order, the most visible first, decides
        assert meant(phrase, *scene, *order) == len(scene)


def test_the_middle_one_of_three() -> None:
    bowls = [("bowl", xyz, BOWL) for xyz in ((0.1, 0.15, 0.0), (-0.05, 0.2, 0.0), (-0.15, 0.05, 0.0))]
    assert meant("put the bowl in the middle on the plate", *bowls) == 1


def test_directions_come_from_the_camera() -> None:
    pose = np.eye(4)
    # OpenCV axes of a camera at +x that looks towards -x and down: right is +y.
    pose[:3, :3] = np.array([[0.0, 0.5, -0.87], [1.0, 0.0, 0.0], [0.0, -0.87, -0.5]])
    view = View.of_camera(pose)
    assert np.allclose(view.right, [0, 1])
    assert np.allclose(view.front, [1, 0])


def test_a_name_that_nothing_bears_is_shortened_then_given_up() -> None:
    table = Table([("bowl", (0.0, 0.0, 0.0), BOWL)])
    found = Grounder(Scene(table), View)
    (goal,) = parse("pick the shiny metal bowl")
    assert len(found.resolve(goal.item)) == 1
    assert table.calls == ["shiny metal bowl", "metal bowl", "bowl"]
    (goal,) = parse("pick the spoon")
    assert found.resolve(goal.item) == []


def test_one_look_answers_every_question_until_the_world_changes() -> None:
    table = Table([*NORMAL, ("bowl", PLACES["between"], BOWL), ("bowl", PLACES["next to ramekin"], BOWL)])
    scene = Scene(table)
    (goal,) = parse("pick the bowl between the plate and the ramekin and place it on the plate")
    assert isinstance(goal, Place)
    for _ in range(3):
        Grounder(scene, View).resolve(goal.item)
        Grounder(scene, View).resolve(goal.target)
    assert table.calls == ["bowl", "plate", "ramekin"]
    scene.changed()
    Grounder(scene, View).resolve(goal.target)
    assert table.calls[3:] == ["plate"]


@pytest.mark.parametrize(
    ("relation", "place", "target", "holds"),
    [
        ("on", (0.06, 0.20, 0.012), "plate", True),
        ("on", (0.01, 0.31, 0.0), "plate", False),
        ("on", (0.06, 0.20, 0.09), "plate", False),
        ("on", (0.06, 0.20, 0.0), "stove", False),
        ("in", (0.30, 0.02, 0.01), "basket", True),
        ("in", (0.30, 0.22, 0.01), "basket", False),
        ("in", (0.30, 0.02, 0.08), "basket", False),
        ("next_to", (0.06, 0.08, 0.0), "plate", True),
    ],
)
def test_outcomes_are_judged_by_where_things_are(relation: Any, place: Any, target: str, holds: bool) -> None:
    found = grounder(*NORMAL, ("basket", (0.30, 0.0, 0.0), BASKET), ("bowl", place, BOWL))
    (thing,) = found.scene.look("bowl")
    (goal,) = found.scene.look(target)
    assert found.holds(Relation(relation), thing, goal) is holds
