"""Run inside an environment with torch: a small world in which what to do can be seen, and is learned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch  # noqa: TID253  (this file runs where torch is)
from rpent.policies.api import PolicyRequest
from rpent_policy_bc.checkpoint import Architecture, Description
from rpent_policy_bc.config import BcConfig
from rpent_policy_bc.frames import Frames
from rpent_policy_bc.job import TrainingJob
from rpent_policy_bc.server.policy import load
from rpent_policy_bc.server.train import prepare, save

SIZE, STEPS = 32, 12
SHAPE = Architecture(
    cameras={"top": SIZE},
    state={"eef_position": 3, "gripper_opening_m": 1},
    action={"eef_position_delta": 3, "gripper": 1},
    switches=("gripper",),
    chunk_length=4,
    width=8,
    keypoints=8,
    hidden=64,
)


def picture(x: float) -> np.ndarray:
    """A white bar whose column tells where to go: from -1 to 1."""
    found = np.zeros((SIZE, SIZE, 3), np.uint8)
    column = int((x + 1) / 2 * (SIZE - 5))
    found[:, column : column + 4] = 255
    return found


def demonstration(x: float) -> Frames:
    """Go towards the bar, then close."""
    actions = np.zeros((STEPS, 4))
    actions[:, 0] = x
    actions[8:, 3] = 1.0
    position = np.zeros((STEPS, 3), np.float32)
    position[:, 2] = np.arange(STEPS) / 100
    return Frames(
        images={"top": np.stack([picture(x)] * STEPS)},
        state={"eef_position": position, "gripper_opening_m": np.full((STEPS, 1), 0.08, np.float32)},
        at=np.arange(STEPS),
        actions=actions,
    )


def job(folder: Path, **changes: object) -> TrainingJob:
    """Training on some places of the bar, tested on others between them."""
    files, held_out = [], []
    for number, x in enumerate(np.linspace(-0.9, 0.9, 25)):
        path = folder / f"{number}.npz"
        demonstration(float(x)).save(path)
        (held_out if number % 8 == 4 else files).append(path)
    description = Description(robot="toy", control_rate_hz=20.0, execute_steps=2, architecture=SHAPE)
    values = {"epochs": 40, "batch": 32, "learning_rate": 3e-3, "shift": 0, **changes}
    return TrainingJob(
        out=folder / "checkpoint", description=description, files=files, held_out=held_out, **values
    )


def ask(folder: Path, x: float, z: float) -> np.ndarray:
    """Ask the policy of a checkpoint."""
    policy = load(BcConfig(checkpoint=str(folder), device="cpu"), lambda *_: None)
    state = {
        "eef_position": np.array([0, 0, z], np.float32),
        "gripper_opening_m": np.array([0.08], np.float32),
    }
    request = PolicyRequest(
        images={"top": picture(x)}, state=state, instruction="go", episode="one", step=0, seed=0
    )
    (chunk,) = policy.infer([request])
    return np.asarray(chunk)


def test_it_learns_what_the_picture_tells(tmp_path: Path) -> None:
    work = job(tmp_path)
    trainer = prepare(work)
    reports = trainer.run()
    save(trainer, reports)
    assert reports[-1].loss < 0.3 * reports[0].loss
    assert reports[-1].held_out_loss < 0.3 * reports[0].loss
    for x in (-0.6, 0.0, 0.6):  # places between those of the demonstrations
        chunk = ask(work.out, x, 0.0)
        assert abs(chunk[0, 0] - x) < 0.2
        assert chunk[0, 3] == -1.0
    assert ask(work.out, 0.3, 0.11)[0, 3] == 1.0


def test_the_same_job_gives_the_same_weights(tmp_path: Path) -> None:
    weights = []
    for _ in range(2):
        trainer = prepare(job(tmp_path, epochs=2))
        trainer.run()
        weights.append(trainer.averaged)
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_time_ends_it(tmp_path: Path) -> None:
    trainer = prepare(job(tmp_path, epochs=500, minutes=1e-4))
    assert len(trainer.run()) == 1
