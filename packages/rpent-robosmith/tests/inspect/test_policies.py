"""Policies are read as data: no pickle of theirs is ever opened."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from rpent.errors import RpentError, UsageError
from rpent_robosmith.inspect.find import find
from rpent_robosmith.inspect.policies.sb3_spaces import space_of
from rpent_robosmith.inspect.policies.torch_shapes import shapes

from ..artefacts import onnx_policy, smith_policy  # noqa: TID252  (makers for three folders)
from ..lerobot_checkpoint import write_checkpoint  # noqa: TID252

if TYPE_CHECKING:
    from pathlib import Path


class Bomb:
    """Does something when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.path}",)


def torch_file(content: Any) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(content))
    return buffer.getvalue()


def sb3_zip(path: Path, data: dict[str, Any] | str, weights: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data", data if isinstance(data, str) else json.dumps(data))
        archive.writestr("policy.pth", weights)
        archive.writestr("_stable_baselines3_version", "2.7.0")
    return path


BOX = {
    ":type:": "<class 'gymnasium.spaces.box.Box'>",
    "dtype": "float32",
    "_shape": [2],
    "low": "[-1. -inf]",
    "high": "[1. inf]",
    "low_repr": None,
    "high_repr": None,
}


def test_a_hostile_zip_is_refused_and_does_nothing(tmp_path):
    hostile = Bomb(tmp_path / "touched")
    data = {"observation_space": {**BOX, ":serialized:": "gASV"}, "action_space": BOX}
    path = sb3_zip(tmp_path / "p.zip", data, torch_file({"a": hostile}))
    with pytest.raises(UsageError, match="not accepted"):
        find(str(path)).inspect()
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("named", ["torch:load", "builtins:eval", "os:system", "torch.hub:load"])
def test_names_of_a_torch_file_are_never_called(named):
    module, _, name = named.partition(":")
    text = f"c{module}\n{name}\n(S'x'\ntR.".encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", text)
    with pytest.raises(ValueError, match=r"not callable|not accepted"):
        shapes(buffer.getvalue())


@pytest.mark.parametrize("data", ["not json", "[1]", "{}", '{"observation_space": 3}'])
def test_a_damaged_zip_is_a_sentence(tmp_path, data):
    path = sb3_zip(tmp_path / "p.zip", data, torch_file({}))
    with pytest.raises(UsageError):
        find(str(path)).inspect()


@pytest.mark.parametrize(
    ("saved", "kind", "shape", "low"),
    [
        (BOX, "box", (2,), (-1.0, float("-inf"))),
        ({**BOX, "low": "-2.0", "low_repr": "-2.0"}, "box", (2,), (-2.0, -2.0)),
        ({**BOX, "_shape": [3000], "low": "[0. 0. 0. ... 0. 0. 0.]"}, "box", (3000,), (0.0,)),
        ({**BOX, "_shape": [3000], "low": "[0. 1. 2. ... 7. 8. 9.]"}, "box", (3000,), ()),
        ({":type:": "x.Discrete", "n": "4", "start": "1"}, "discrete", (), ()),
        (
            {":type:": "x.MultiDiscrete", "nvec": "[3 4]", "start": "[0 1]"},
            "multi_discrete",
            (2,),
            (0.0, 1.0),
        ),
        ({":type:": "x.MultiBinary", "_shape": [5]}, "multi_binary", (5,), (0.0,) * 5),
    ],
)
def test_printed_spaces_are_read(saved, kind, shape, low):
    found = space_of(saved, "observation_space")
    assert (found.kind, found.shape, found.low) == (kind, shape, low)


def test_a_printed_dict_is_read():
    boxes = "'cam': Box(0, 255, (3, 8, 8), uint8), 'it\\'s': Box([-1.  -2.5], [ 1. inf], (2,), float32)"
    text = f"{{{boxes}, 'd': Discrete(4)}}"
    parts = space_of({":type:": "gymnasium.spaces.dict.Dict", "spaces": text}, "observation_space").parts
    assert [(each.kind, each.shape, each.n) for each in parts.values()] == [
        ("box", (3, 8, 8), None),
        ("box", (2,), None),
        ("discrete", (), 4),
    ]


@pytest.mark.parametrize(
    "saved", [{}, {":type:": "x.Graph"}, {":type:": "x.Box"}, {":type:": "x.Dict", "spaces": "{"}]
)
def test_unknown_spaces_are_refused(saved):
    with pytest.raises(UsageError):
        space_of(saved, "action_space")


def test_statistics_beside_a_zip_are_told(tmp_path):
    data = {"observation_space": BOX, "action_space": BOX}
    path = sb3_zip(tmp_path / "p.zip", data, torch_file({}))
    (tmp_path / "vec_normalize.pkl").write_bytes(pickle.dumps(Bomb(tmp_path / "touched")))
    (fault,) = find(str(path)).inspect().faults
    assert (fault.kind, fault.key, fault.severity) == (
        "separate_normalization",
        "vec_normalize.pkl",
        "warning",
    )
    assert not (tmp_path / "touched").exists()


def test_an_onnx_model_is_read(tmp_path):
    statistics = {"observation.state": {"mode": "mean_std", "mean": [1.0] * 6, "std": [2.0] * 6}}
    metadata = {"normalization": statistics, "control_rate_hz": 20}
    path = onnx_policy(tmp_path / "p.onnx", chunk=8, camera=(32, 48), metadata=metadata)
    facts = find(str(path)).inspect()
    camera, state = facts.observation["observation.images.top"], facts.observation["observation.state"]
    assert (camera.kind, camera.shape, camera.channels_first) == ("image", (32, 48, 3), True)
    assert (state.shape, state.mean, state.std) == ((6,), (1.0,) * 6, (2.0,) * 6)
    assert (facts.chunk_length, facts.control_rate_hz) == (8, 20.0)
    assert facts.action["action"].shape == (6,)


@pytest.mark.parametrize("metadata", [{"normalization": {"a": {"mode": "odd"}}}, {"normalization": [1]}])
def test_odd_metadata_of_a_model_is_a_sentence(tmp_path, metadata):
    with pytest.raises(UsageError, match="normalization"):
        find(str(onnx_policy(tmp_path / "p.onnx", metadata=metadata))).inspect()


def test_what_is_no_model_is_a_sentence(tmp_path):
    (tmp_path / "p.onnx").write_bytes(b"nothing")
    with pytest.raises(UsageError, match="ONNX"):
        find(str(tmp_path / "p.onnx")).inspect()


def test_a_delivered_policy_is_read_by_its_folder_its_files_or_its_run(tmp_path):
    folder = smith_policy(tmp_path / "run" / "policy", rate=20.0)
    for place in (folder, folder / "policy.json", folder / "policy.safetensors", folder.parent):
        facts = find(str(place)).inspect()
        assert (facts.format, facts.control_rate_hz, facts.bare) == ("robosmith", 20.0, True)
        assert facts.observation["observation"].high == (1.0, 1.0, 8.0)


def test_a_lerobot_checkpoint_is_read(tmp_path):
    folder = write_checkpoint(
        tmp_path / "p", cameras=("observation.images.top",), tokenizes=True, n_obs_steps=2
    )
    facts = find(str(folder)).inspect()
    assert (facts.algorithm, facts.chunk_length, facts.execute_steps, facts.observation_steps) == (
        "act",
        10,
        5,
        2,
    )
    assert (facts.language, facts.normalization_statistics, facts.faults) == (True, True, ())
    camera = facts.observation["observation.images.top"]
    assert (camera.shape, camera.channels_first, camera.dtype) == ((48, 64, 3), True, "float32")
    assert facts.normalization["observation.images.top"] == "identity"
    assert facts.parameters == 12


def test_the_folder_of_a_training_is_followed(tmp_path):
    write_checkpoint(tmp_path / "last" / "pretrained_model")
    assert find(str(tmp_path / "last")).inspect().format == "lerobot"


@pytest.mark.parametrize("name", ["policy_preprocessor.json", "post.safetensors", "model.safetensors"])
def test_a_missing_file_of_a_checkpoint_is_a_fault(tmp_path, name):
    folder = write_checkpoint(tmp_path / "p")
    (folder / name).unlink()
    faults = {(fault.kind, fault.key, fault.severity) for fault in find(str(folder)).inspect().faults}
    assert ("missing_file", name, "critical") in faults


def test_statistics_outside_of_the_checkpoint_are_not_read(tmp_path):
    folder = write_checkpoint(tmp_path / "p")
    text = (folder / "policy_preprocessor.json").read_text()
    (tmp_path / "pre.safetensors").write_bytes((folder / "pre.safetensors").read_bytes())
    (folder / "policy_preprocessor.json").write_text(text.replace("pre.safetensors", "../pre.safetensors"))
    facts = find(str(folder)).inspect()
    assert facts.normalization_statistics is False


@pytest.mark.parametrize("name", ["nothing.zip", "lerobot/act_aloha", "/", ""])
def test_what_is_no_policy_is_a_sentence_and_nothing_is_fetched(name):
    with pytest.raises(RpentError) as caught:
        find(name, ("policy",))
    assert "sb3-policy" in str(caught.value.hint)
    assert ("downloaded" in str(caught.value.hint)) == (name == "lerobot/act_aloha")
