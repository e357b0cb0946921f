from __future__ import annotations

import json
import os

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent_policy_bc.checkpoint import Architecture, Description, read, signature_of
from rpent_policy_bc.config import BcConfig, signature
from rpent_policy_bc.server import tensors
from rpent_torch.weights import shapes

DESCRIPTION = Description(
    robot="libero",
    control_rate_hz=20.0,
    execute_steps=8,
    architecture=Architecture(
        cameras={"agentview": 96, "wrist": 96},
        state={"eef_position": 3},
        action={"eef_position_delta": 3, "gripper": 1},
        switches=("gripper",),
    ),
    training={"frames": 12, "parameters": 34, "instructions": ["pick up the mug"]},
)


def test_the_signature_is_the_description(tmp_path):
    (tmp_path / "config.json").write_text(DESCRIPTION.model_dump_json())
    signature = signature_of(read(tmp_path))
    assert signature.cameras["wrist"].height == 96
    assert (signature.state, signature.action_dim) == ({"eef_position": 3}, 4)
    assert (signature.chunk_length, signature.execute_steps) == (16, 8)
    assert (signature.robot, signature.layout, signature.control_rate_hz) == ("libero", "native", 20.0)
    assert signature.parameters == 34
    assert signature.details["instructions"] == ["pick up the mug"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "is not a checkpoint of `bc`"),
        ("{", "is not a description"),
        ('{"family": "bc"}', "`robot`: Field required"),
        (json.dumps(DESCRIPTION.model_dump(mode="json") | {"format": 9}), "format 9"),
        (json.dumps(DESCRIPTION.model_dump(mode="json") | {"family": "act"}), "family `act`"),
    ],
)
def test_what_is_no_checkpoint_is_refused_in_one_sentence(tmp_path, text, said):
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    with pytest.raises(PolicyError, match=said) as caught:
        read(tmp_path)
    assert "\n" not in caught.value.message


def test_weights_are_read_as_they_were_written(tmp_path):
    wanted = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.array(7, np.int64)}
    path = tmp_path / "model.safetensors"
    tensors.save(path, wanted, {"format": "pt"})
    found = tensors.load(path)
    assert {name: (info.dtype, info.shape) for name, info in shapes(path).items()} == {
        "a": ("I64", ()),
        "b": ("F32", (2, 3)),
    }
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name], value)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.json").write_text(DESCRIPTION.model_dump_json())
    tensors.save(tmp_path / "model.safetensors", {"a": np.zeros(2, np.float32)}, {})
    return tmp_path


def test_a_checkpoint_without_its_weights_is_refused_before_it_is_served(folder):
    assert signature(BcConfig(checkpoint=str(folder))).family == "bc"
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-1])
    with pytest.raises(PolicyError, match="incomplete"):
        signature(BcConfig(checkpoint=str(folder)))
    (folder / "model.safetensors").unlink()
    with pytest.raises(PolicyError, match="cannot be read"):
        signature(BcConfig(checkpoint=str(folder)))


def test_a_pipe_and_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "config.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(PolicyError, match="no readable"):
        read(tmp_path)
    (tmp_path / "config.json").unlink()
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(PolicyError, match="no readable"):
        read(tmp_path)
