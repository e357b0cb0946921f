"""A recorded recipe is repeated where things stand now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from rpent.errors import UsageError
from rpent_planner_flash.config import FlashConfig
from rpent_planner_flash.planner import FlashPlanner
from rpent_planner_flash.recipe import Anchors
from rpent_planner_flash.scene import Candidate

if TYPE_CHECKING:
    from pathlib import Path


def seen(number: int, label: str, xyz: list[float]) -> dict[str, Any]:
    return {"id": f"s1.{number}", "label": label, "center_xyz": xyz, "size_xyz_m": [0.1, 0.1, 0.1]}


def write(path: Path, calls: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> Path:
    lines = [{"n": n, "name": name, "arguments": a, "result": r} for n, (name, a, r) in enumerate(calls)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_ids_and_coordinates_follow_the_things(tmp_path: Path, table: Any, thing: Any) -> None:
    recipe = write(
        tmp_path / "recipe.jsonl",
        [
            ("segment", {"prompt": "milk"}, {"candidates": [seen(0, "milk", [0.2, 0.2, 0.03])]}),
            ("segment", {"prompt": "basket"}, {"candidates": [seen(1, "basket", [-0.2, 0.0, 0.05])]}),
            ("grasp", {"target": "milk", "segment_id": "s1.0"}, {"held": True}),
            ("place", {"relation": "in", "position": [-0.19, 0.01, 0.1]}, {"released": True}),
            ("finish", {"status": "success", "summary": "done"}, {}),
        ],
    )
    milk = thing("milk", (0.0, 0.0, 0.0), grasps_needed=1)
    basket = thing("basket", (0.1, 0.3, 0.0), (0.1, 0.1, 0.1))
    session = table("anything", [basket, milk])
    FlashPlanner(FlashConfig(recipe=recipe)).run(session)
    assert session.finished["status"] == "success"
    assert session.names() == ["grasp", "grasp", "place", "finish"]
    assert [round(v, 6) for v in milk.position] == [0.11, 0.31, 0.1]


def test_what_is_no_recipe_is_wrong_usage(tmp_path: Path) -> None:
    path = tmp_path / "recipe.jsonl"
    with pytest.raises(UsageError, match="cannot be read"):
        FlashPlanner(FlashConfig(recipe=path))
    path.write_text("[1, 2]")
    with pytest.raises(UsageError, match="is not a recipe call"):
        FlashPlanner(FlashConfig(recipe=path))


def test_a_call_that_fails_ends_it(tmp_path: Path, table: Any, thing: Any) -> None:
    calls = [("segment", {"prompt": "milk"}, {"candidates": [seen(0, "milk", [0.2, 0.2, 0.03])]})]
    calls.append(("grasp", {"target": "milk", "segment_id": "s1.0"}, {"held": True}))
    session = table("anything", [thing("milk", (0.0, 0.0, 0.0), grasps_needed=99)])
    FlashPlanner(FlashConfig(recipe=write(tmp_path / "r.jsonl", calls), max_attempts=2)).run(session)
    assert session.finished["status"] == "failure"
    assert "`grasp`" in session.finished["summary"]


def test_a_call_that_a_crash_has_undone_is_made_again(tmp_path: Path, table: Any, thing: Any) -> None:
    calls = [("segment", {"prompt": "milk"}, {"candidates": [seen(0, "milk", [0.2, 0.2, 0.03])]})]
    calls.append(("grasp", {"target": "milk", "segment_id": "s1.0"}, {"held": True}))
    calls.append(("place", {"relation": "in", "position": [0.1, 0.3, 0.1]}, {"released": True}))
    session = table("anything", [thing("milk", (0.0, 0.0, 0.0))], crashes=2)
    FlashPlanner(FlashConfig(recipe=write(tmp_path / "r.jsonl", calls))).run(session)
    assert session.finished["status"] == "success"
    assert session.names() == ["grasp", "place", "place", "place", "finish"]


def test_equals_are_paired_by_label_and_far_coordinates_stay() -> None:
    anchors = Anchors()
    then = [Candidate.from_data(seen(0, "bowl", [0, 0, 0])), Candidate.from_data(seen(1, "plate", [1, 0, 0]))]
    now = [Candidate.from_data(seen(7, "plate", [1, 1, 0])), Candidate.from_data(seen(8, "bowl", [0, 2, 0]))]
    anchors.see(then, now)
    assert anchors.ids == {"s1.0": "s1.8", "s1.1": "s1.7"}
    assert anchors.translate("position", [0.1, 0.0, 0.5]) == [0.1, 2.0, 0.5]
    assert anchors.translate("position", [1.1, 0.0, 0.5]) == [1.1, 1.0, 0.5]
    assert anchors.translate("position", [5.0, 0.0, 0.5]) == [5.0, 0.0, 0.5]
    assert anchors.translate("yaw_rad", 0.1) == 0.1


def test_a_call_that_the_user_interrupted_is_made_again(tmp_path: Path, table: Any, thing: Any) -> None:
    calls = [
        ("segment", {"prompt": "milk"}, {"candidates": [seen(0, "milk", [0.0, 0.0, 0.03])]}),
        ("grasp", {"target": "milk", "segment_id": "s1.0"}, {"held": True}),
        ("place", {"relation": "in", "position": [0.1, 0.0, 0.1]}, {"released": True}),
    ]
    recipe = write(tmp_path / "recipe.jsonl", calls)
    session = table("anything", [thing("milk", (0.0, 0.0, 0.0))], interrupt_at={2: None})
    FlashPlanner(FlashConfig(recipe=recipe)).run(session)
    assert session.finished["status"] == "success"
    assert session.names() == ["grasp", "place", "place", "finish"]
