from __future__ import annotations

import numpy as np
from rpent_policy_bc.checkpoint import Architecture
from rpent_policy_bc.frames import Frames
from rpent_policy_bc.server.dataset import build, latched, switched_at

SHAPE = Architecture(
    cameras={"top": 8},
    state={"eef_position": 3, "gripper_opening_m": 1},
    action={"eef_position_delta": 3, "gripper": 1},
    switches=("gripper",),
    chunk_length=4,
)


def frames(gripper, every=2):
    steps = len(gripper)
    at = np.arange(0, steps, every)
    return Frames(
        images={"top": np.zeros((len(at), 8, 8, 3), np.uint8)},
        state={
            "eef_position": np.stack([at, at, at], axis=1).astype(np.float32),
            "gripper_opening_m": np.zeros((len(at), 1), np.float32),
        },
        at=at,
        actions=np.column_stack([np.arange(steps * 3).reshape(steps, 3) / 100, gripper]),
    )


def test_commands_become_what_is_wanted():
    np.testing.assert_array_equal(latched(np.array([0, 0, 1, 1, 0, 0.0])), [-1, -1, 1, 1, 1, 1])
    np.testing.assert_array_equal(latched(np.array([0, -1, 0, 1.0])), [1, -1, -1, 1])
    np.testing.assert_array_equal(latched(np.zeros(3)), [-1, -1, -1])


def test_chunks_begin_at_their_frame_and_end_with_the_demonstration(tmp_path):
    path = tmp_path / "one.npz"
    frames([0, 0, 0, 1, 1, 0]).save(path)
    data = build([path], SHAPE)
    assert len(data) == 3
    np.testing.assert_allclose(data.chunks[1, :, 0], [0.06, 0.09, 0.12, 0.15], atol=1e-6)
    np.testing.assert_array_equal(data.chunks[1, :, 3], [-1, 1, 1, 1])
    np.testing.assert_array_equal(data.valid, [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0]])


def test_the_goal_is_where_the_fingers_close(tmp_path):
    path = tmp_path / "one.npz"
    frames([0, 0, 0, 0, 1, 1]).save(path)
    assert switched_at(np.array([[0, 0, 0, 0], [0, 0, 0, 1.0]]), SHAPE) == 1
    np.testing.assert_array_equal(build([path], SHAPE).goals, np.full((3, 3), 4.0))


def test_a_repetition_that_came_out_otherwise_is_left_out(tmp_path):
    from rpent_policy_bc.repeating import NOTHING

    NOTHING.save(tmp_path / "none.npz")
    frames([0, 1]).save(tmp_path / "one.npz")
    assert len(build([tmp_path / "none.npz", tmp_path / "one.npz"], SHAPE)) == 1
