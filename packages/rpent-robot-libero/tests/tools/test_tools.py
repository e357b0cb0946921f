"""The tools against the real simulator: what they find, do, refuse and admit."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rpent.env.client import EnvClient
from rpent.errors import ToolError

pytestmark = pytest.mark.sim

NAMES = {
    "move_to", "move_pose", "rotate_wrist", "rotate_pitch", "set_gripper", "release", "back_project", "segment",
    "view_env_state", "view_camera_meta", "grasp", "place", "pull", "push", "turn",
}  # fmt: skip


@pytest.fixture
def toolkit(fresh: EnvClient, toolkit_over: Callable[..., Any]) -> Any:
    """The toolkit of `libero_object_swap` task 2, seed 0."""
    return toolkit_over(fresh)


def test_the_offered_tools(toolkit: Any) -> None:
    assert {tool.name for tool in toolkit.tools()} == NAMES


def test_without_a_perceptor_only_motion_is_offered(
    fresh: EnvClient, toolkit_over: Callable[..., Any]
) -> None:
    offered = {tool.name for tool in toolkit_over(fresh, perceptor=False).tools()}
    assert "move_to" in offered
    assert not offered & {"segment", "grasp", "place", "pull", "push", "turn"}


def test_things_are_found_where_they_are(
    toolkit: Any, fresh: EnvClient, backstage: Callable[[EnvClient], Any]
) -> None:
    scene = backstage(fresh).scene
    for name, thing in scene.env.objects_dict.items():
        prompt = name.rsplit("_", 1)[0].replace("_", " ")
        result = toolkit.segment(prompt)
        (candidate,) = result.data["candidates"]
        truth = scene.data.body(thing.root_body).xpos
        assert candidate["middle_xyz"][:2] == pytest.approx(truth[:2], abs=0.03), name
        assert result.images[0].pixels.shape == (256, 256, 3)
        json.dumps(dict(result.data))


def test_a_pixel_names_the_thing_under_it(toolkit: Any) -> None:
    by_name = toolkit.segment("basket").data["candidates"][0]
    row, col = by_name["box"][0] + 1, (by_name["box"][1] + by_name["box"][3]) // 2
    assert toolkit.segment(point=[row, col]).data["candidates"][0]["label"] == "basket"


def test_nothing_found_is_said(toolkit: Any) -> None:
    data = toolkit.segment("zebra").data
    assert not data["found"]
    assert "zebra" in data["reason"]


def test_a_pixel_becomes_the_point_that_segment_tells(toolkit: Any) -> None:
    soup = toolkit.segment("alphabet soup").data["candidates"][0]
    row, col = soup["pixel"]
    point = toolkit.back_project(row=row, col=col).data["world_xyz"]
    assert np.linalg.norm(np.subtract(point, soup["center_xyz"])) < 0.05


def test_pick_and_place_solves_the_task(toolkit: Any) -> None:
    grasp = toolkit.grasp("salad dressing").data
    assert grasp["held"], grasp
    assert toolkit.capture().state["holding"] == "salad dressing"
    place = toolkit.place("basket", relation="in").data
    assert place["released"], place
    assert toolkit.benchmark_success()
    assert toolkit.episode_over()


def test_a_snapshot_remembers_what_is_held(toolkit: Any) -> None:
    assert toolkit.grasp("salad dressing").data["held"]
    snapshot = toolkit.snapshot()
    toolkit.release()
    assert toolkit.world.held is None
    toolkit.restore(snapshot)
    assert toolkit.world.held.label == "salad dressing"
    assert toolkit.world.state.gripper_opening_m > 0.01


def test_closing_on_nothing_is_admitted(
    toolkit: Any, fresh: EnvClient, backstage: Callable[[EnvClient], Any]
) -> None:
    seen = toolkit.segment("salad dressing").data["candidates"][0]
    scene = backstage(fresh).scene
    scene.data.joint("salad_dressing_1_joint0").qpos[:3] = [0.25, -0.3, 0.075]
    data = toolkit.grasp(segment_id=seen["id"]).data
    assert not data["held"]
    assert not data["ok"]
    assert "nothing" in data["reason"]
    assert toolkit.capture().state["holding"] is None


def test_an_open_hand_has_nothing_to_place(toolkit: Any) -> None:
    with pytest.raises(ToolError, match="holds nothing"):
        toolkit.place("basket", relation="in")


def test_a_closed_hand_around_nothing_has_nothing_to_place(toolkit: Any) -> None:
    toolkit.set_gripper("close", steps=20)
    with pytest.raises(ToolError, match="holds nothing"):
        toolkit.place("basket", relation="in")


@pytest.mark.parametrize("tool", ["set_gripper", "move_to"])
def test_a_hand_that_was_opened_holds_nothing(toolkit: Any, tool: str) -> None:
    assert toolkit.grasp("salad dressing").data["held"]
    if tool == "set_gripper":
        toolkit.set_gripper(-1.0)
    else:
        toolkit.move_to(toolkit.world.state.eef_position.tolist(), gripper="open")
    assert toolkit.capture().state["holding"] is None


def test_a_second_grasp_wants_an_empty_hand(toolkit: Any) -> None:
    assert toolkit.grasp("salad dressing").data["held"]
    with pytest.raises(ToolError, match="salad dressing"):
        toolkit.grasp("basket")


def test_motion_reports_what_it_did(toolkit: Any) -> None:
    data = toolkit.move_to([-0.1, 0.1, 0.25]).data
    assert data["ok"]
    assert data["eef_position"] == pytest.approx([-0.1, 0.1, 0.25], abs=0.01)
    assert data["steps"] == toolkit.env_steps()
    turned = toolkit.rotate_wrist(delta_yaw_rad=0.5).data
    assert turned["ok"]
    assert toolkit.world.gripper_yaw == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("xyz", [[5.0, 0.0, 0.2], [0.0, 0.0, -1.0], [float("nan"), 0.0, 0.2]])
def test_impossible_places_are_refused(toolkit: Any, xyz: list[float]) -> None:
    with pytest.raises(ToolError, match=r"workspace|finite"):
        toolkit.move_to(xyz)
    assert toolkit.env_steps() == 0


def test_a_blocked_motion_stops_early(toolkit: Any) -> None:
    low = toolkit.world.workspace["low"][2]
    data = toolkit.move_to([-0.1, 0.0, float(low)], max_steps=200).data
    assert not data["ok"]
    assert data["status"] == "stalled"
    assert data["reason"]


def test_the_capture_is_small(toolkit: Any) -> None:
    capture = toolkit.capture()
    assert [image.pixels.shape for image in capture.images] == [(256, 256, 3)]
    assert capture.depth["agentview"].shape == (256, 256)
    assert len(capture.snapshot) < 200_000
    json.dumps(dict(capture.state))


def test_unknown_segments_are_named(toolkit: Any) -> None:
    toolkit.segment("basket")
    with pytest.raises(ToolError, match=r"s99\.0"):
        toolkit.grasp(segment_id="s99.0")


@pytest.mark.parametrize(
    ("task", "tool", "target"), [(0, "pull", "middle drawer of the cabinet"), (7, "turn", "stove")]
)
def test_drawers_and_knobs(
    make_env: Callable[..., EnvClient], toolkit_over: Callable[..., Any], task: int, tool: str, target: str
) -> None:
    env = make_env(suite="libero_goal", task=0)
    env.reset(task=task, seed=0)
    toolkit = toolkit_over(env)
    data = getattr(toolkit, tool)(target).data
    assert data["ok"], data
    assert toolkit.benchmark_success()


def test_a_bowl_is_taken_by_its_rim(
    make_env: Callable[..., EnvClient], toolkit_over: Callable[..., Any]
) -> None:
    env = make_env(suite="libero_spatial", task=2)
    env.reset(task=2, seed=0)
    toolkit = toolkit_over(env)
    ids = [candidate["id"] for candidate in toolkit.segment("black bowl").data["candidates"]]
    assert len(ids) == 2
    data = toolkit.grasp(segment_id=ids[0]).data
    assert data["held"], data
    assert data["strategy"] == "rim"
