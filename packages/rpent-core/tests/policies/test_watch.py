"""When a policy gets nowhere."""

from __future__ import annotations

import numpy as np
from rpent.policies.watch import STALL_CHUNKS, STALL_STEPS, Box, StallWatch
from rpent.testing.policies.scripted import observed


def chunks_until_stalled(positions, *, steps: int = 10, openings=None, quaternions=None):
    watch = StallWatch(observed(positions[0]))
    for number, position in enumerate(positions[1:], 1):
        changes = {} if quaternions is None else {"eef_quaternion": quaternions[number]}
        opening = 0.08 if openings is None else openings[number]
        if watch.stalled(observed(position, step=number * steps, opening=opening, **changes)):
            return number
    return None


def test_a_hand_that_stands_still_is_stalled_after_some_chunks_and_steps():
    still = [(0, 0, 0.1)] * 60
    assert chunks_until_stalled(still, steps=10) == max(STALL_CHUNKS, STALL_STEPS // 10)
    assert chunks_until_stalled(still, steps=50) == STALL_CHUNKS
    assert chunks_until_stalled(still, steps=1) == STALL_STEPS


def test_a_tremble_is_no_progress():
    trembling = [(0.001 * (-1) ** number, 0, 0.1) for number in range(20)]
    assert chunks_until_stalled(trembling) is not None


def test_a_slow_hand_makes_progress():
    assert chunks_until_stalled([(0.0015 * number, 0, 0.1) for number in range(40)]) is None


def test_fingers_and_turns_are_progress():
    still = [(0, 0, 0.1)] * 20
    assert chunks_until_stalled(still, openings=[0.08 - 0.003 * number for number in range(20)]) is None
    angles = [0.02 * number for number in range(20)]
    turns = [np.array([np.sin(angle / 2), 0, 0, np.cos(angle / 2)]) for angle in angles]
    assert chunks_until_stalled(still, quaternions=turns) is None
    assert chunks_until_stalled(still, quaternions=[-turns[0], *[turns[0]] * 19]) is not None


def test_the_hand_may_come_back_from_outside():
    box = Box.of({"workspace": {"low": [-0.3, -0.3, 0.0], "high": [0.3, 0.3, 0.4]}})
    assert box is not None
    inside, edge, out, further = (observed((x, 0, 0.1)) for x in (0.2, 0.301, 0.31, 0.33))
    assert not box.left(inside, edge)
    assert box.left(inside, out)
    assert box.left(out, further)
    assert not box.left(further, out)
    assert Box.of({}) is None
