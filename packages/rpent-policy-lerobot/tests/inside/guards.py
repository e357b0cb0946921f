"""Run inside an environment with LeRobot: checkpoints that do not load as they should are refused, and why."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from rpent.errors import PolicyError
from rpent_policy_lerobot.config import LerobotConfig
from rpent_policy_lerobot.server import sdk
from rpent_policy_lerobot.server.load import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

sdk.prepare()

import torch  # noqa: E402, TID253  (this runs where it is)
from rpent_policy_lerobot.server.tiny.checkpoint import Sizes, make  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

SIZES = Sizes(cameras=("observation.images.image",), picture=64, state=8, action=7, chunk=8, execute=4)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smolvla")
    make("smolvla", folder, SIZES)
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """A copy, to be damaged."""
    return shutil.copytree(original, tmp_path / "copy")


def refused(folder: Path, **options: Any) -> str:
    """Return the sentence and the hint of the refusal."""
    with pytest.raises(PolicyError) as caught:
        load(LerobotConfig(checkpoint=str(folder), device="cpu", **options), lambda *_: None)
    assert "\n" not in caught.value.message
    return f"{caught.value.message} {caught.value.hint}"


def change_weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], Any]) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


def change_config(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


KEY = "model.action_in_proj.weight"
only_04 = pytest.mark.skipif(
    not sdk.lerobot_version().startswith("0.4."),
    reason="newer ones know those settings, and have a Pi0 that works",
)


def test_whole_it_loads_as_it_was_saved(folder):
    policy = load(LerobotConfig(checkpoint=str(folder), device="cpu"), lambda *_: None)
    saved = load_file(folder / "model.safetensors")
    state = policy._way.model.state_dict()
    assert set(state) >= set(saved)
    assert all(torch.equal(state[name], tensor) for name, tensor in saved.items())


def test_half_precision_stays_as_it_was_trained(folder):
    def halve(tensors):
        vlm = [name for name in tensors if ".vlm." in name]
        tensors.update({name: tensors[name].bfloat16() for name in vlm})

    change_weights(folder, halve)
    change_config(folder, load_vlm_weights=True)
    policy = load(LerobotConfig(checkpoint=str(folder), device="cpu"), lambda *_: None)
    kinds = {parameter.dtype for name, parameter in policy._way.model.named_parameters() if ".vlm." in name}
    assert kinds == {torch.bfloat16}


def test_a_missing_key(folder):
    change_weights(folder, lambda tensors: tensors.pop(KEY))
    assert f"1 missing: `{KEY}`" in refused(folder)


def test_a_key_too_many(folder):
    change_weights(folder, lambda tensors: tensors.update(more=torch.zeros(2)))
    assert "1 unexpected: `more`" in refused(folder)


def test_another_shape(folder):
    change_weights(folder, lambda tensors: tensors.update({KEY: torch.zeros(3, 3)}))
    assert f"1 of another shape: `{KEY} (3×3, not " in refused(folder)


def test_weights_of_another_configuration(folder):
    change_config(folder, max_state_dim=16)
    assert "state_proj" in refused(folder)


def test_a_loader_that_loads_nothing(folder, monkeypatch):
    """As pi0's does, which prints a line and returns random weights."""
    from lerobot.policies.smolvla.modeling_smolvla import SmolVLAPolicy

    monkeypatch.setattr(SmolVLAPolicy, "from_pretrained", classmethod(lambda cls, _, config: cls(config)))
    assert "were not loaded" in refused(folder)


def test_a_loader_that_swallows_the_failure(folder, monkeypatch):
    from lerobot.policies.smolvla.modeling_smolvla import SmolVLAPolicy

    def from_pretrained(cls, path, config):
        policy = cls(config)
        try:
            policy.load_state_dict(load_file(path / "model.safetensors"), strict=True)
        except RuntimeError:
            print("Could not load the state dict")
        return policy

    monkeypatch.setattr(SmolVLAPolicy, "from_pretrained", classmethod(from_pretrained))
    change_weights(folder, lambda tensors: tensors.pop(KEY))
    assert f"1 missing: `{KEY}`" in refused(folder)


@only_04
def test_settings_of_a_newer_lerobot(folder):
    change_config(folder, pretrained_revision=None)
    message = refused(folder)
    assert "newer LeRobot than 0.4.4" in message
    assert "`pretrained_revision`" in message
    assert "rpent env sync lerobot-06" in message


def test_a_type_that_nobody_knows(folder):
    change_config(folder, type="levitate")
    message = refused(folder)
    assert "no policy of the type `levitate`" in message
    assert "`lerobot_policy_levitate`" in message


@only_04
def test_pi0_of_this_lerobot(folder):
    saved = json.loads((folder / "config.json").read_text())
    known = {field.name for field in fields(sdk.config_class("pi0"))}
    kept = {name: value for name, value in saved.items() if name in known}
    (folder / "config.json").write_text(json.dumps({**kept, "type": "pi0"}))
    assert "rpent env sync lerobot-06" in refused(folder)


def test_no_tokenizer(folder):
    shutil.rmtree(folder / "tokenizer")
    assert "`--tokenizer DIR`" in refused(folder)


def test_no_vlm(folder):
    shutil.rmtree(folder / "vlm")
    assert "`--vlm DIR`" in refused(folder)


def test_a_broken_tokenizer(folder):
    for file in (folder / "tokenizer").iterdir():
        file.write_text("{}")
    assert "processors of the checkpoint" in refused(folder)


@pytest.mark.parametrize(
    "named", ["subprocess.Popen", "lerobot.processor.converters.to_tensor", "lerobot.nothing.Step"]
)
def test_steps_that_are_no_steps(folder, tmp_path, named):
    """None is called: the command would leave a file."""
    file, trace = folder / "policy_preprocessor.json", tmp_path / "trace"
    pipeline = json.loads(file.read_text())
    pipeline["steps"].append({"class": named, "config": {"args": ["touch", str(trace)]}})
    file.write_text(json.dumps(pipeline))
    assert "step" in refused(folder)
    assert not trace.exists()


def test_settings_that_it_does_not_have(folder):
    assert "has no setting `n_layers`" in refused(folder, settings={"n_layers": 3})


def test_denoising_of_a_policy_that_does_not(tmp_path):
    make("act", tmp_path / "act", SIZES)
    assert "does not denoise" in refused(tmp_path / "act", denoising_steps=3)


def test_pretrained_backbones_are_never_downloaded(tmp_path):
    make("act", tmp_path / "act", SIZES)
    change_config(tmp_path / "act", pretrained_backbone_weights="ResNet18_Weights.IMAGENET1K_V1")
    policy = load(LerobotConfig(checkpoint=str(tmp_path / "act"), device="cpu"), lambda *_: None)
    assert policy.signature.family == "act"
