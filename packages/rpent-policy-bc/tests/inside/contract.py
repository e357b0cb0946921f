"""Run inside an environment with torch: what every policy backend promises, and the guards of this one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch  # noqa: TID253  (this file runs where torch is)
from rpent.errors import PolicyError
from rpent.testing import PolicyContract
from rpent_policy_bc.checkpoint import Architecture, Description
from rpent_policy_bc.config import BcConfig
from rpent_policy_bc.plugin import rpent_policies
from rpent_policy_bc.server import tensors
from rpent_policy_bc.server.model import Network
from rpent_policy_bc.server.policy import load

SHAPE = Architecture(
    cameras={"agentview": 48, "wrist": 48},
    state={"eef_position": 3, "gripper_opening_m": 1},
    action={"eef_position_delta": 3, "eef_rotation_delta": 3, "gripper": 1},
    switches=("gripper",),
    width=8,
    keypoints=8,
    hidden=32,
)


def make(folder: Path) -> None:
    """Make a checkpoint with random weights."""
    torch.manual_seed(3)
    weights = {name: value.numpy() for name, value in Network(SHAPE).state_dict().items()}
    tensors.save(folder / "model.safetensors", weights, {"format": "pt"})
    described = Description(robot="libero", control_rate_hz=20.0, execute_steps=8, architecture=SHAPE)
    (folder / "config.json").write_text(described.model_dump_json())


class TestBc(PolicyContract):
    """The contract."""

    spec = next(iter(rpent_policies()))

    @classmethod
    def values(cls, folder: Path) -> dict[str, Any]:
        """Make a small checkpoint."""
        make(folder)
        return {"checkpoint": str(folder), "device": "cpu"}

    def test_a_switch_is_one_way_or_the_other(self, policy: Any) -> None:
        """Never between; the rest depends on picture and state."""
        chunk = self.ask(policy, "one")
        assert set(np.unique(chunk[:, 6])) <= {-1.0, 1.0}


def refused(folder: Path) -> str:
    with pytest.raises(PolicyError) as caught:
        load(BcConfig(checkpoint=str(folder), device="cpu"), lambda *_: None)
    assert "\n" not in caught.value.message
    return f"{caught.value.message} {caught.value.hint}"


def test_missing_and_unknown_weights_are_refused(tmp_path: Path) -> None:
    make(tmp_path)
    weights = tensors.load(tmp_path / "model.safetensors")
    weights["extra"] = weights.pop("head.4.bias")
    tensors.save(tmp_path / "model.safetensors", weights, {})
    said = refused(tmp_path)
    assert "1 missing: `head.4.bias`" in said
    assert "1 unexpected: `extra`" in said


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    make(tmp_path)
    description = json.loads((tmp_path / "config.json").read_text())
    description["architecture"]["chunk_length"] = 4
    (tmp_path / "config.json").write_text(json.dumps(description))
    assert "of another shape" in refused(tmp_path)


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    make(tmp_path)
    weights = {name: value.copy() for name, value in tensors.load(tmp_path / "model.safetensors").items()}
    weights["head.0.bias"][3] = np.nan
    tensors.save(tmp_path / "model.safetensors", weights, {})
    assert "NaN" in refused(tmp_path)


def test_cut_off_weights_are_refused(tmp_path: Path) -> None:
    make(tmp_path)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    assert "incomplete" in refused(tmp_path)
