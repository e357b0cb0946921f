"""Pictures are upright, depth is metric, and calibration fits both."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from rpent.errors import RpentError

pytestmark = pytest.mark.sim

SIZE = 256


def project(camera, point):
    """Return [row, col] and depth of a world point."""
    world_to_camera = np.linalg.inv(camera.world_from_camera)
    x, y, z = (world_to_camera @ np.append(point, 1.0))[:3]
    col, row, _ = camera.intrinsics @ np.array([x / z, y / z, 1.0])
    return row, col, z


def test_a_known_body_is_where_the_calibration_says(fresh, backstage):
    scene = backstage(fresh).scene
    labels, index = fresh.instances("agentview", size=SIZE)
    observation = fresh.observe(["agentview"], size=SIZE, depth=True)
    camera, depth = observation.cameras["agentview"], observation.depth["agentview"]
    for name in ("milk_1", "basket_1", "salad_dressing_1"):
        rows, cols = np.nonzero(index == labels.index(name))
        body = scene.data.body(f"{name}_main").xpos
        row, col, _ = project(camera, body)
        assert rows.min() - 2 <= row <= rows.max() + 2
        assert cols.min() - 2 <= col <= cols.max() + 2
        # Back-projected surface points lie around the body's origin, on the camera's side of it.
        z = depth[rows, cols]
        points = (
            np.stack([(cols - camera.intrinsics[0, 2]) * z, (rows - camera.intrinsics[1, 2]) * z])
            / (camera.intrinsics[0, 0])
        )
        in_world = (
            camera.world_from_camera[:3, :3] @ np.vstack([points, z]) + camera.world_from_camera[:3, 3:]
        )
        low, high = np.percentile(in_world, [2, 98], axis=1)
        assert np.all(low[:2] - 0.02 < body[:2])
        assert np.all(body[:2] < high[:2] + 0.02)
        assert np.all(high - low < 0.2)


def test_depth_is_metric_and_floor_is_flat(fresh):
    """Points of the floor, back-projected, lie in one plane at the floor's height."""
    labels, index = fresh.instances("agentview", size=SIZE)
    observation = fresh.observe(["agentview"], size=SIZE, depth=True)
    camera, depth = observation.cameras["agentview"], observation.depth["agentview"]
    rows, cols = np.nonzero(index == labels.index("scenery"))
    below = rows > SIZE // 2
    rows, cols = rows[below], cols[below]
    z = depth[rows, cols]
    focal = camera.intrinsics[0, 0]
    rays = np.stack(
        [(cols - camera.intrinsics[0, 2]) / focal, (rows - camera.intrinsics[1, 2]) / focal, np.ones(len(z))]
    )
    world = camera.world_from_camera[:3, :3] @ (rays * z) + camera.world_from_camera[:3, 3:]
    low, high = np.percentile(world[2], [1, 98])  # pixels on the edges of things may show either
    assert high - low < 0.004
    assert abs(np.median(world[2])) < 0.01


def test_upright(fresh):
    """The robot's base is farther from the agent's camera than the things, so it is above them."""
    labels, index = fresh.instances("agentview", size=SIZE)
    robot_rows = np.nonzero(index == labels.index("robot"))[0]
    milk_rows = np.nonzero(index == labels.index("milk_1"))[0]
    assert robot_rows.mean() < milk_rows.mean()
    picture = fresh.observe(["agentview"], size=SIZE).images["agentview"]
    assert picture.dtype == np.uint8
    assert picture.shape == (SIZE, SIZE, 3)


def test_picture_is_the_benchmarks_own_turned_upright(fresh, backstage):
    """robosuite's off-screen context draws the same model; its pixels are bottom-up."""
    env = backstage(fresh)
    ours = fresh.observe(["agentview"], size=128).images["agentview"]
    from robosuite.utils.binding_utils import MjRenderContextOffscreen

    sim = env.scene.env.sim
    MjRenderContextOffscreen(sim, device_id=-1)
    context = sim._render_context_offscreen
    context.vopt.geomgroup[0], context.vopt.geomgroup[1] = 0, 1
    theirs = sim.render(camera_name="agentview", width=128, height=128)[::-1]
    sim._render_context_offscreen = None
    difference = np.abs(ours.astype(int) - theirs.astype(int))
    assert difference.mean() < 1.0


def test_sizes_and_cameras(fresh):
    observation = fresh.observe(["agentview", "wrist"], size={"agentview": (120, 160), "wrist": 64})
    assert observation.images["agentview"].shape == (120, 160, 3)
    assert observation.images["wrist"].shape == (64, 64, 3)
    assert observation.cameras["agentview"].width == 160
    with pytest.raises(RpentError, match="Unknown camera `kitchen`"):
        fresh.observe(["kitchen"])
    for size in (0, 15, 5000, 64.5, "big", float("nan")):
        with pytest.raises(RpentError):
            fresh.channel.call("observe", cameras=["agentview"], size=size)


def test_a_plain_observation_draws_nothing(fresh, backstage, monkeypatch):
    def no_drawing(*_: object, **__: object) -> None:
        raise AssertionError("drawn")

    monkeypatch.setattr(backstage(fresh).renderer, "_draw", no_drawing)
    fresh.step(np.zeros(7))
    assert fresh.observe().images == {}


def test_articulated_parts_have_labels_of_their_own(make_env):
    env = make_env(suite="libero_goal", task=0)
    labels, _ = env.instances("agentview")
    assert {"wooden_cabinet_1", "wooden_cabinet_1/cabinet_top", "flat_stove_1"} <= set(labels)


def test_instances_are_served_only_by_a_privileged_server(make_env):
    assert "instances" in make_env(suite="libero_object_swap", task=2).channel.facade.methods
    modest = make_env(suite="libero_object_swap", task=2, privileged=False)
    assert "instances" not in modest.channel.facade.methods


def test_recorded_frames(fresh):
    fresh.record(size=64, every=5)
    fresh.chunk_step(np.zeros((12, 7)))
    frames, steps = fresh.frames()
    assert frames.shape == (3, 64, 64, 3)
    assert steps == [0, 5, 10]
    assert fresh.frames()[1] == []
    fresh.record(enabled=False)
    with pytest.raises(RpentError, match="Nothing is being recorded"):
        fresh.frames()


def test_recorded_frames_are_handed_over_while_the_arm_moves(fresh):
    """Another thread fetches during a motion; the frames are those of one fetch afterwards, each of them once."""
    fresh.record(size=64, every=5)
    moves = np.tile([0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], (60, 1))
    over, fetched, during = threading.Event(), [], []

    def fetch():
        while not over.is_set():
            _, steps = fresh.frames()
            fetched.extend(steps)
            during.extend(steps)

    thread = threading.Thread(target=fetch)
    thread.start()
    fresh.chunk_step(moves)
    over.set()
    thread.join()
    fetched += fresh.frames()[1]
    fresh.record(enabled=False)
    assert fetched == list(range(0, 61, 5))
    assert len(during) > 1, "most come before the motion is over"


def test_only_the_frames_may_be_fetched_beside_a_motion(fresh):
    methods = fresh.channel.facade.methods
    assert {name for name, method in methods.items() if method.concurrent} == {"frames"}
