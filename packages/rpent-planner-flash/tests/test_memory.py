"""With memory, the task's recipe is repeated first; a plan takes over where it does not finish the task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rpent.memory.publish import publish_recipe
from rpent.memory.store import Store
from rpent.memory.view import MemoryView
from rpent.runs.recipe import RecipeCall
from rpent.testing.memory import solved_audit
from rpent_planner_flash.config import FlashConfig
from rpent_planner_flash.planner import FlashPlanner

INSTRUCTION = "put the milk in the basket"


def seen(number: int, label: str, xyz: list[float]) -> dict[str, Any]:
    return {"id": f"s1.{number}", "label": label, "center_xyz": xyz, "size_xyz_m": [0.1, 0.1, 0.1]}


def call(n: int, name: str, arguments: dict[str, Any], result: dict[str, Any] | None = None) -> RecipeCall:
    return RecipeCall(n=n, name=name, arguments=arguments, result=result or {})


LOOKS = [
    call(0, "segment", {"prompt": "milk"}, {"candidates": [seen(0, "milk", [0.2, 0.2, 0.03])]}),
    call(1, "segment", {"prompt": "basket"}, {"candidates": [seen(1, "basket", [-0.2, 0.0, 0.05])]}),
    call(2, "grasp", {"target": "milk", "segment_id": "s1.0"}, {"held": True}),
]
INTO_BASKET = call(3, "place", {"relation": "in", "position": [-0.19, 0.01, 0.02]}, {"released": True})
ELSEWHERE = call(3, "place", {"relation": "on", "position": [5.0, 0.0, 0.0]}, {"released": True})


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    def make(calls: list[RecipeCall]) -> MemoryView:
        if calls:
            publish_recipe(Store(tmp_path, "toy"), "toy_t0", calls, solved_audit(run="earlier"))
        return MemoryView(tmp_path, "toy", "toy", "toy_t0")

    return make


@pytest.fixture
def scene(thing: Any) -> list[Any]:
    return [thing("basket", (0.1, 0.3, 0.0), (0.2, 0.2, 0.1)), thing("milk", (0.0, 0.0, 0.0))]


def run(session: Any) -> Any:
    FlashPlanner(FlashConfig()).run(session)
    return session


def test_a_recipe_that_finishes_the_task_is_all_that_is_done(table: Any, memory: Any, scene: Any) -> None:
    session = run(table(INSTRUCTION, scene, memory=memory([*LOOKS, INTO_BASKET]), ends_after=2))
    assert session.names() == ["grasp", "place", "finish"]
    assert session.finished["status"] == "success"
    assert "All 4 calls of the recipe" in session.finished["summary"]
    assert session.notices == [
        "Repeating the recipe of run `earlier` from the memory, moved to where the things are now."
    ]


def test_without_word_that_it_is_done_the_plan_looks(table: Any, memory: Any, scene: Any) -> None:
    session = run(table(INSTRUCTION, scene, memory=memory([*LOOKS, INTO_BASKET])))
    assert session.names() == ["grasp", "place", "finish"]
    assert session.finished["summary"] == "`milk` is in `basket`."
    assert session.notices[-1] == "The recipe from the memory did not finish the task. Going on with a plan."


def test_a_recipe_that_puts_it_elsewhere_is_mended_by_the_plan(table: Any, memory: Any, scene: Any) -> None:
    session = run(table(INSTRUCTION, scene, memory=memory([*LOOKS, ELSEWHERE])))
    assert session.names() == ["grasp", "place", "grasp", "place", "finish"]
    assert session.finished["status"] == "success"


def test_a_call_that_fails_hands_over_to_the_plan(table: Any, memory: Any, scene: Any) -> None:
    wrong = call(3, "push", {"target": "milk", "segment_id": "s1.1", "sideways": 1})
    session = table(INSTRUCTION, scene, memory=memory([*LOOKS, wrong]))
    session._push = lambda **_: {"error": "`sideways` is not an argument of `push`."}
    run(session)
    assert session.names() == ["grasp", "push", "place", "finish"]
    assert session.finished["status"] == "success"
    assert "did not work: Call 3 (`push`) of the recipe failed: `sideways`" in session.notices[-1]


def test_a_recipe_is_of_use_where_the_instruction_is_not_understood(
    table: Any, memory: Any, scene: Any
) -> None:
    session = run(table("tidy up", scene, memory=memory([*LOOKS, INTO_BASKET])))
    assert session.finished["status"] == "success"
    assert session.finished["summary"] == "All 4 calls of the recipe were repeated."


def test_no_recipe_or_a_resumed_run_means_a_plan(table: Any, memory: Any, scene: Any) -> None:
    session = run(table(INSTRUCTION, scene, memory=memory([])))
    assert session.finished["status"] == "success"
    assert "has no recipe" in session.notices[0]
    session = run(table(INSTRUCTION, scene, memory=memory([*LOOKS, ELSEWHERE]), history=["earlier"]))
    assert session.names() == ["finish"]
    assert "not begun again" in session.notices[0]
