"""What is read of a checkpoint without torch, and what is said of one that lacks something."""

from __future__ import annotations

import json

import pytest
from rpent.config import build_config
from rpent.errors import PolicyError, UsageError
from rpent_policy_pi0.config import Pi0Config
from rpent_policy_pi0.signature import signature


def read(folder, **values):
    return signature(Pi0Config(checkpoint=str(folder), **values))


def change(path, **values):
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_what_transformers_saves(folder):
    found = read(folder)
    assert found.family == "pi0"
    assert list(found.cameras) == ["observation.images.image", "observation.images.image2"]
    assert found.state == {"observation.state": 8}
    assert found.action == {"action": 7}
    assert found.chunk_length == 16
    assert found.execute_steps is None
    assert found.details["padded_action"] == 32
    assert found.details["denoising_steps"] == 5
    assert found.parameters == 256


def test_what_lerobot_saves(lerobot):
    found = read(lerobot)
    assert list(found.cameras) == ["observation.images.image", "observation.images.image2"]
    assert (found.state, found.action) == ({"observation.state": 8}, {"action": 7})
    assert (found.chunk_length, found.execute_steps) == (50, 10)
    assert found.details["saved_by"] == "lerobot"


def test_options_say_what_the_checkpoint_does_not(folder):
    found = read(folder, cameras="front, left ,right", execute_steps=4, denoising_steps=3)
    assert list(found.cameras) == ["front", "left", "right"]
    assert found.execute_steps == 4
    assert found.details["denoising_steps"] == 3


@pytest.mark.parametrize("cameras", ["", ",", "a,b,a"])
def test_cameras_must_differ(cameras):
    with pytest.raises(UsageError, match="cameras"):
        build_config(Pi0Config, {"checkpoint": "x", "cameras": cameras}, what="policy `pi0`")


def test_it_fits_libero_and_nothing_is_guessed(folder):
    embodiment = pytest.importorskip("rpent_robot_libero.embodiment").LIBERO
    from rpent.policies.fit import fit

    found = fit(read(folder), embodiment)
    assert found.ok, found.differences
    assert found.layout.name == "lerobot"
    assert not fit(read(folder, cameras="front,wrist"), embodiment).ok


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("config.json", "no `config.json`"),
        ("model.safetensors", "no weights"),
        ("processor_config.json", "no `processor_config.json`"),
        ("tokenizer.json", "no tokenizer"),
    ],
)
def test_what_is_missing_is_named(folder, lost, said):
    (folder / lost).unlink()
    with pytest.raises(PolicyError, match=said) as caught:
        read(folder)
    assert caught.value.hint


def test_the_tokenizer_may_lie_elsewhere(folder, tmp_path):
    (tmp_path / "tokenizer").mkdir()
    (folder / "tokenizer.json").rename(tmp_path / "tokenizer" / "tokenizer.json")
    assert read(folder, tokenizer=str(tmp_path / "tokenizer")).family == "pi0"
    with pytest.raises(PolicyError, match="nowhere"):
        read(folder, tokenizer=str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    "values", [{"model_type": "paligemma"}, {"model_type": None, "type": "act"}, {"model_type": None}]
)
def test_another_model_is_refused(folder, values):
    change(folder / "config.json", **values)
    with pytest.raises(PolicyError, match="no PI0"):
        read(folder)


def test_a_config_that_is_no_json(folder):
    (folder / "config.json").write_text("{")
    with pytest.raises(PolicyError, match="cannot be read"):
        read(folder)


def test_a_base_model_without_statistics_is_refused(folder):
    change(folder / "processor_config.json", actions_mean=None)
    with pytest.raises(PolicyError, match="no statistics"):
        read(folder)


def test_so_is_one_of_lerobot(lerobot):
    next(lerobot.glob("*normalizer*")).unlink()
    with pytest.raises(PolicyError, match="no statistics"):
        read(lerobot)


def test_quantiles_are_lerobots(lerobot):
    norms = {"STATE": "QUANTILES", "ACTION": "QUANTILES"}
    change(lerobot / "policy_preprocessor.json", steps=[{"config": {"norm_map": norms}}])
    with pytest.raises(PolicyError, match="QUANTILES") as caught:
        read(lerobot)
    assert "--backend lerobot" in caught.value.hint


def test_towers_of_another_size_are_lerobots(lerobot):
    change(lerobot / "config.json", action_expert_variant="gemma_2b")
    with pytest.raises(PolicyError, match="action_expert_variant"):
        read(lerobot)


def test_weights_that_contradict_the_config(folder):
    change(folder / "config.json", max_state_dim=16)
    with pytest.raises(PolicyError, match="room for 32 state numbers"):
        read(folder)


def test_statistics_longer_than_the_room(folder):
    change(folder / "processor_config.json", state_mean=[0.0] * 40, state_std=[1.0] * 40)
    with pytest.raises(PolicyError, match="40 state numbers"):
        read(folder)


def test_half_a_file_of_weights(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(PolicyError, match="incomplete"):
        read(folder)
