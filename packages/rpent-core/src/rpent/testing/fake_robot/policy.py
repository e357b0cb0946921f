"""A policy for the fake robot that needs no training: it sees the cube that the instruction names, and takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rpent.policies.api import CameraInput, Policy, PolicyConfig, PolicyRequest, Report, Signature
from rpent.specs import PolicySpec
from rpent.testing.fake_robot import camera
from rpent.testing.fake_robot.tasks import COLORS
from rpent.testing.fake_robot.world import CUBE, MAX_STEP, OPEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CHUNK, EXECUTE = 8, 4
SIGNATURE = Signature(
    family="cubes",
    cameras={camera.NAME: CameraInput(height=128, width=128)},
    state={"eef_position": 3, "gripper_opening_m": 1},
    action={"eef_position_delta": 3, "gripper": 1},
    chunk_length=CHUNK,
    execute_steps=EXECUTE,
    robot="fake",
)
ABOVE = 0.12
"""Height at which the hand travels."""
NEAR = 0.006


class CubePolicy(Policy):
    """Picks cubes up, from pictures; every answer depends on its request alone."""

    signature = SIGNATURE

    def infer(self, requests: Sequence[PolicyRequest]) -> list[NDArray[np.float64]]:
        """Answer each."""
        return [self._chunk(request) for request in requests]

    def _chunk(self, request: PolicyRequest) -> NDArray[np.float64]:
        hand = request.state["eef_position"].astype(np.float64)
        opening = float(request.state["gripper_opening_m"][0])
        cube = find(request.images[camera.NAME], request.instruction)
        if cube is None:
            return np.zeros((CHUNK, 4))
        goal, grip = _goal(hand, opening, cube)
        actions = np.zeros((CHUNK, 4))
        actions[:, 3] = grip
        for action in actions:
            action[:3] = np.clip((goal - hand) / MAX_STEP, -1, 1)
            hand = hand + action[:3] * MAX_STEP
        return actions


def find(picture: NDArray[np.uint8], instruction: str) -> NDArray[np.float64] | None:
    """Return where on the table the cube is whose colour is named, (3,) world; None where it is not seen."""
    named = [color for color in COLORS if color in instruction]
    if not named:
        return None
    rows, columns = np.nonzero((picture == COLORS[named[0]]).all(axis=-1))
    if not len(rows):
        return None
    middle = (len(picture) - 1) / 2
    metres = camera.FIELD * (camera.HEIGHT - CUBE) / len(picture) / camera.HEIGHT
    x, y = (np.median(columns) - middle) * metres, (middle - np.median(rows)) * metres
    return np.array([x, y, CUBE / 2])


def _goal(
    hand: NDArray[np.float64], opening: float, cube: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return where the hand goes next, and what the fingers do."""
    if opening < OPEN - 0.001 and abs(opening - CUBE) < 0.001:
        return np.array([hand[0], hand[1], 0.3]), 1.0
    if np.linalg.norm(hand[:2] - cube[:2]) > NEAR:
        return np.array([cube[0], cube[1], max(ABOVE, hand[2])]), -1.0
    return cube, (1.0 if hand[2] < cube[2] + NEAR else -1.0)


def load(config: PolicyConfig, report: Report) -> CubePolicy:  # noqa: ARG001  (there are no weights)
    """Make the policy."""
    return CubePolicy()


def read_signature(config: PolicyConfig) -> Signature:  # noqa: ARG001
    """Return what it takes and gives."""
    return SIGNATURE


SPEC = PolicySpec(
    name="cubes",
    summary="Picks up cubes of the fake robot.",
    policy="rpent.testing.fake_robot.policy:load",
    config="rpent.policies.api:PolicyConfig",
    signature="rpent.testing.fake_robot.policy:read_signature",
    ready_timeout_s=60.0,
)
