"""The models of `policy_server.py`, imported by the policy server: what they cost is what matters."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

import numpy as np
from rpent.policies.api import CameraInput, Policy, PolicyConfig, Signature
from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from rpent.policies.api import PolicyRequest, Report

SIZE, PATCH, WIDTH, HIDDEN = 256, 16, 3 * 16 * 16, 1024
SIGNATURE = Signature(
    family="benchmark",
    cameras={name: CameraInput(height=SIZE, width=SIZE) for name in ("image", "image2")},
    state={"state": 8},
    action={"action": 7},
    chunk_length=16,
)
ROBOT = Embodiment(
    robot="benchmark",
    cameras={"agentview": "the table", "wrist": "the fingers"},
    state={"eef_position": 3, "eef_quaternion": 4, "gripper_qpos": 2},
    action={"delta": ActionField(length=6), "gripper": ActionField(length=1)},
    control_rate_hz=20.0,
    layouts=(
        Layout(
            name="trained",
            cameras={
                "image": CameraView(camera="agentview", flip="horizontal"),
                "image2": CameraView(camera="wrist", flip="horizontal"),
            },
            state={
                "state": (
                    StatePart(field="eef_position"),
                    StatePart(field="eef_quaternion", convert="axis_angle"),
                    StatePart(field="gripper_qpos"),
                )
            },
            action=(ActionPart(field="delta"), ActionPart(field="gripper", binary=True)),
        ),
    ),
)


class ModelConfig(PolicyConfig):
    """Which one."""

    model: Literal["nothing", "numpy", "accelerator"] = "nothing"


class Nothing(Policy):
    """Costs nothing: all that is left is the server."""

    signature = SIGNATURE

    def infer(self, requests: Sequence[PolicyRequest]) -> list[NDArray[np.float32]]:
        """Answer with something that depends on the inputs."""
        return [
            np.full((16, 7), request.images["image"][0, 0, 0] / 255 + request.state["state"].sum())
            for request in requests
        ]


class Matrices(Policy):
    """A transformer's matrix products over 2 x 256 patches, on one core: some 40 ms on an idle one."""

    signature = SIGNATURE

    def __init__(self) -> None:
        generator = np.random.default_rng(0)
        self._layers = [
            (generator.normal(0, 0.03, shape).astype(np.float32))
            for shape in ((WIDTH, HIDDEN), (HIDDEN, WIDTH), (WIDTH, 16 * 7))
        ]

    def infer(self, requests: Sequence[PolicyRequest]) -> list[NDArray[np.float32]]:
        """Answer each in turn: the products are bound by arithmetic, so that a batch gains nothing."""
        return [self._one(request) for request in requests]

    def _one(self, request: PolicyRequest) -> NDArray[np.float32]:
        up, down, head = self._layers
        x = np.concatenate([_patches(request.images[name]) for name in SIGNATURE.cameras])
        x[:, :8] += request.state["state"]
        for _ in range(3):
            x = x + np.maximum(x @ up, 0.0) @ down
        return np.tanh((x.mean(axis=0) @ head).reshape(16, 7))


class Accelerator(Policy):
    """Leaves the processor idle, as a GPU does: 30 ms a call, and 2 ms for each request."""

    signature = SIGNATURE

    def __init__(self) -> None:
        self._nothing = Nothing()

    def infer(self, requests: Sequence[PolicyRequest]) -> list[NDArray[np.float32]]:
        """Wait, and answer."""
        time.sleep(0.030 + 0.002 * len(requests))
        return self._nothing.infer(requests)


def load(config: ModelConfig, report: Report) -> Policy:
    """Make the model."""
    report(f"the model {config.model}")
    return {"nothing": Nothing, "numpy": Matrices, "accelerator": Accelerator}[config.model]()


def _patches(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return (256, 768) of a (256, 256, 3) picture, in -0.5..0.5."""
    side = SIZE // PATCH
    tiles = picture.reshape(side, PATCH, side, PATCH, 3).swapaxes(1, 2).reshape(side * side, WIDTH)
    return tiles.astype(np.float32) / 255.0 - 0.5
