"""Flash on the real benchmark: it solves a task, goes on after a resume, and repeats a recipe elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import pytest
from rpent.memory.recorded import learn, offer_of
from rpent.memory.store import Store
from rpent.run import Limits, RunRequest, execute, resume
from rpent.runs.directory import RunDirectory
from rpent.runs.events import FrameShown, ToolReturned, read_events
from rpent.runs.recipe import read_recipe
from rpent.runs.video import FPS

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


def test_spectators_see_its_motions_while_they_go_on(tmp_path: Path) -> None:
    """Frames arrive between a call's beginning and its end, the hand's camera after each step; the video is as ever."""
    outcome = execute(request(tmp_path, live=True, record_video=True))
    assert outcome.benchmark_success
    assert outcome.run_dir is not None
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    frames = [event for event in events if isinstance(event, FrameShown)]
    moved = {e.name: e for e in events if isinstance(e, ToolReturned) and e.step is not None}
    for call in (moved["grasp"], moved["place"]):
        own = [frame for frame in frames if frame.call_id == call.call_id]
        assert own
        assert all(frame.seq < call.seq for frame in own)
        assert all((outcome.run_dir / frame.image["path"]).is_file() for frame in own)
        assert [view["name"] for view in call.views] == ["wrist"]
        assert call.depth == ["agentview"]
    assert moved["grasp"].video_s is not None
    assert moved["place"].video_s is not None
    assert moved["grasp"].video_s[1] == moved["place"].video_s[0]
    shown, _ = imageio_ffmpeg.count_frames_and_secs(str(outcome.run_dir / "episode.mp4"))
    assert shown == round(moved["place"].video_s[1] * FPS)
