"""What touches the gripper."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np


def gripper_force_n(model: Any, data: Any, hand: frozenset[int]) -> float:
    """Return the largest net contact force between the hand and the world in the last physics step, newtons.

    Contacts of the hand with itself do not count; an object held between the fingers loads both of them, and
    the two squeezes cancel in the net force.

    Args:
        model: The scene's `mujoco.MjModel`.
        data: Its state.
        hand: What `hand_bodies` returns.
    """
    wrench, net = np.zeros(6), np.zeros(3)
    for index in range(data.ncon):
        item = data.contact[index]
        bodies = (model.geom_bodyid[item.geom1], model.geom_bodyid[item.geom2])
        inside = tuple(int(body) in hand for body in bodies)
        if inside[0] == inside[1]:
            continue
        mujoco.mj_contactForce(model, data, index, wrench)
        # The frame's rows are the contact axes; the force acts on the second geom.
        force = item.frame.reshape(3, 3).T @ wrench[:3]
        net += force if inside[1] else -force
    return float(np.linalg.norm(net))


def hand_bodies(model: Any, root: str) -> frozenset[int]:
    """Return the ids of the body named `root`, the hand, and of all below it, the fingers."""
    found: set[int] = set()
    for body in range(model.nbody):
        if model.body(body).name == root or int(model.body_parentid[body]) in found:
            found.add(body)
    return frozenset(found)
