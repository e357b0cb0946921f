"""Run inside an environment with transformers: checkpoints that would be loaded wrongly are refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from rpent.errors import PolicyError
from rpent_policy_pi0.config import Pi0Config
from rpent_policy_pi0.server import tiny
from rpent_policy_pi0.server.load import load
from safetensors.torch import load_file, save_file


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pi0") / "tiny"
    tiny.make(folder)
    return folder


@pytest.fixture
def copy(whole, tmp_path):
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def refusal(folder, **values):
    with pytest.raises(PolicyError) as caught:
        load(Pi0Config(checkpoint=str(folder), **values), lambda stage, fraction=None: None)
    assert "\n" not in caught.value.message
    return f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("what", ["missing", "unexpected", "of another shape"])
def test_weights_that_differ_are_refused(copy, what):
    path = copy / "model.safetensors"
    tensors = load_file(path)
    key = next(name for name in sorted(tensors) if "self_attn.q_proj" in name)
    if what == "missing":
        del tensors[key]
    elif what == "unexpected":
        tensors["a_stranger.weight"] = tensors[key].clone()
    else:
        tensors[key] = tensors[key].repeat(2, 1)
    save_file(tensors, path, metadata={"format": "pt"})
    said = refusal(copy)
    assert "do not fit the model" in said
    assert f"1 {what}: `" in said


def test_a_config_of_another_size_is_refused(copy):
    values = json.loads((copy / "config.json").read_text())
    values["dit_config"]["hidden_size"] = 32
    (copy / "config.json").write_text(json.dumps(values))
    assert "of another shape" in refusal(copy)


def test_a_missing_tokenizer_is_named(copy):
    (copy / "tokenizer.json").unlink()
    assert "--tokenizer" in refusal(copy)


def test_another_models_tokenizer_is_refused(copy, tmp_path):
    from rpent_torch.server.tiny_tokenizer import tiny_tokenizer

    tiny_tokenizer(["entirely other words"], extra={"one": "<other>", "two": "<marks>"}).save_pretrained(
        tmp_path / "other"
    )
    assert "another model's tokenizer" in refusal(copy, tokenizer=str(tmp_path / "other"))


def test_a_tokenizer_that_is_none_is_refused(copy):
    (copy / "tokenizer.json").write_text("{}")
    assert "processor" in refusal(copy)


def test_nothing_is_fetched(copy, monkeypatch):
    """Not even the names of the hub are asked for."""
    import socket

    def refuse(*_args, **_kwargs):
        raise AssertionError("it went to the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert load(Pi0Config(checkpoint=str(copy)), lambda stage, fraction=None: None).device == "cpu"
