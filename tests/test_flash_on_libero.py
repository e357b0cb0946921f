"""Flash on the real benchmark: it solves a task, goes on after a resume, and repeats a recipe elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rpent.memory.recorded import learn, offer_of
from rpent.memory.store import Store
from rpent.run import Limits, RunRequest, execute, resume
from rpent.runs.directory import RunDirectory
from rpent.runs.recipe import read_recipe

pytestmark = pytest.mark.sim


def request(output: Path, seed: int = 0, **options: Any) -> RunRequest:
    config = {"suite": "libero_object_swap", "task": 2, "seed": seed}
    defaults: dict[str, Any] = {"progress": "quiet", "record_video": False}
    return RunRequest(
        robot="libero", planner="flash", robot_config=config, output_dir=output, **defaults | options
    )


def names(run_dir: Path) -> list[str]:
    return [call.name for call in read_recipe(run_dir) if call.name != "segment"]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outcome = execute(request(tmp_path_factory.mktemp("solved")))
    assert outcome.benchmark_success
    assert outcome.planner_status == "success"
    assert outcome.run_dir is not None
    return outcome.run_dir


def test_it_solves_a_task_and_says_what_it_saw_with(solved: Path) -> None:
    run = json.loads((solved / "run.json").read_text())
    assert run["privileged_perceptors"] == ["libero-sim"]
    assert names(solved) == ["grasp", "place", "finish"]
    # A plan is made of what the instruction names and what was seen of it.
    said = (solved / "events.jsonl").read_text()
    assert "place(salad dressing, in, basket)" in said


def test_a_resume_goes_on_with_what_the_hand_holds(tmp_path: Path) -> None:
    outcome = execute(request(tmp_path, limits=Limits(max_tool_calls=3)))
    assert outcome.reason == "turn_limit"
    assert outcome.run_dir is not None
    assert names(outcome.run_dir) == ["grasp"]
    outcome = resume(outcome.run_dir, limits=Limits())
    assert outcome.benchmark_success
    assert outcome.run_dir is not None
    assert names(outcome.run_dir) == ["grasp", "place", "finish"]


def test_a_recipe_is_repeated_where_things_stand_elsewhere(solved: Path, tmp_path: Path) -> None:
    outcome = execute(request(tmp_path, seed=7, planner_config={"recipe": solved}))
    assert outcome.benchmark_success
    assert outcome.planner_status == "success"


def test_what_was_published_is_repeated_in_another_scene(solved: Path, tmp_path: Path) -> None:
    offer = offer_of(RunDirectory(solved))
    assert (offer.task, offer.evidence.family) == ("libero_object_swap_t2", "libero_object")
    learned = learn(Store(tmp_path / "memory", "libero"), offer)
    assert learned.publication is not None
    assert learned.publication.published
    outcome = execute(request(tmp_path, seed=1, memory=True, memory_dir=tmp_path / "memory"))
    assert outcome.benchmark_success
    assert outcome.run_dir is not None
    said = (outcome.run_dir / "events.jsonl").read_text()
    assert f"Repeating the recipe of run `{solved.name}`" in said
    assert "Going on with a plan" not in said
    run = json.loads((outcome.run_dir / "run.json").read_text())
    folder = "task-specific/libero_object_swap_t2"
    assert run["memory"]["files"] == [f"{folder}/audit.json", f"{folder}/recipe.jsonl"]
    assert len(run["memory"]["digest"]) == 64
