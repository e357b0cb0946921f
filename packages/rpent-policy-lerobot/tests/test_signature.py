"""What is read of a checkpoint without LeRobot, and what is refused before anything starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rpent.errors import PolicyError
from rpent.policies.chosen import ChosenPolicy
from rpent_policy_lerobot.config import LerobotConfig
from rpent_policy_lerobot.plugin import rpent_policies
from rpent_policy_lerobot.signature import signature
from rpent_torch.testing import write_zeros

from .folders import CAMERAS, VLM, config, write_checkpoint


def read(folder: Path, **options):
    """Read a checkpoint's signature."""
    return signature(LerobotConfig(checkpoint=str(folder), **options))


def refused(folder: Path, **options) -> str:
    """Return the sentence and the hint of the refusal."""
    with pytest.raises(PolicyError) as caught:
        read(folder, **options)
    assert "\n" not in caught.value.message
    return f"{caught.value.message} {caught.value.hint}"


@pytest.fixture(autouse=True)
def no_hub_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


def test_an_act_checkpoint(tmp_path):
    found = read(write_checkpoint(tmp_path, config("act")))
    assert found.family == "act"
    assert {name: (view.height, view.width) for name, view in found.cameras.items()} == dict.fromkeys(
        CAMERAS, (256, 256)
    )
    assert (found.state, found.action) == ({"observation.state": 8}, {"action": 7})
    assert (found.chunk_length, found.execute_steps, found.observation_steps) == (16, 8, 1)
    assert found.parameters == 15


def test_diffusion_gives_the_actions_from_now_on(tmp_path):
    saved = config("diffusion", horizon=16, n_obs_steps=2)
    del saved["chunk_size"]
    found = read(write_checkpoint(tmp_path, saved))
    assert (found.chunk_length, found.observation_steps) == (8, 2)


def test_a_third_party_family_is_read_as_far_as_its_features_tell(tmp_path):
    found = read(write_checkpoint(tmp_path, config("mine")))
    assert (found.family, found.chunk_length, found.action_dim) == ("mine", None, 7)


def test_cameras_that_the_policy_makes_up_are_not_asked_for(tmp_path):
    saved = config("pi0", empty_cameras=1)
    saved["input_features"]["observation.images.empty_camera_0"] = {"type": "VISUAL", "shape": [3, 224, 224]}
    assert set(read(write_checkpoint(tmp_path, saved)).cameras) == set(CAMERAS)


def test_where_and_on_what_it_was_trained(tmp_path):
    train = {"dataset": {"repo_id": "me/libero"}, "env": {"type": "libero"}, "steps": 1000}
    write_checkpoint(tmp_path, config("act", pretrained_revision=None))
    (tmp_path / "train_config.json").write_text(json.dumps(train))
    details = read(tmp_path).details
    assert details == {"dataset": "me/libero", "environment": "libero", "steps": 1000}


def test_a_checkpoint_says_which_lerobot_can_load_it(tmp_path):
    assert read(write_checkpoint(tmp_path / "old", config("act"))).environments == ()
    newer = write_checkpoint(tmp_path / "new", config("act", pretrained_revision=None))
    assert read(newer).environments == ("lerobot-06",)
    assert chosen(newer).service.environment.name == "lerobot-06"
    assert read(write_checkpoint(tmp_path / "pi", config("pi05"))).environments == ("lerobot-06",)


def chosen(folder: Path) -> ChosenPolicy:
    values = {"checkpoint": str(folder)}
    return ChosenPolicy(spec=next(iter(rpent_policies())), config=LerobotConfig(**values), values=values)


def test_execute_steps_of_the_user(tmp_path):
    write_checkpoint(tmp_path, config("act"))
    assert read(tmp_path, execute_steps=4).execute_steps == 4
    assert "`--execute-steps 16`" in refused(tmp_path, execute_steps=17)


def test_the_tokenizer_and_the_vlm_may_be_anywhere_on_this_machine(tmp_path, monkeypatch):
    folder = write_checkpoint(tmp_path / "it", config("smolvla", vlm_model_name=VLM), tokenizer=True)
    assert "`--vlm DIR`" in refused(folder, tokenizer=str(with_file(tmp_path / "given", "tokenizer.json")))
    assert "`--tokenizer DIR`" in refused(folder)
    both = with_file(with_file(tmp_path / "both", "tokenizer.json"), "config.json")
    assert read(folder, vlm=str(both)).details["tokenizer"] == str(both)

    cached = tmp_path / "cache" / f"models--{VLM.replace('/', '--')}" / "snapshots" / "abc"
    with_file(with_file(cached, "tokenizer.json"), "config.json")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    assert read(folder).details["vlm"] == str(cached)

    with_file(folder / "tokenizer", "tokenizer.json")
    with_file(folder / "vlm", "config.json")
    details = read(folder).details
    assert (details["tokenizer"], details["vlm"]) == (str(folder / "tokenizer"), str(folder / "vlm"))


def test_a_tokenizer_folder_without_a_tokenizer(tmp_path):
    folder = write_checkpoint(tmp_path / "it", config("pi0"), tokenizer=True)
    assert "`tokenizer.json`" in refused(folder, tokenizer=str(with_file(tmp_path / "given", "readme.md")))


def with_file(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("{}")
    return folder


def test_folders_that_are_no_checkpoint(tmp_path):
    assert "does not exist" in refused(tmp_path / "none")
    assert "has no `config.json`" in refused(tmp_path)
    with_file(tmp_path / "last" / "pretrained_model", "config.json")
    assert str(tmp_path / "last" / "pretrained_model") in refused(tmp_path / "last")
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    assert "not a LeRobot checkpoint" in refused(tmp_path)
    (tmp_path / "config.json").write_text("{")
    assert "cannot be read as JSON" in refused(tmp_path)


def test_types_that_do_not_act(tmp_path):
    assert "does not turn observations into actions" in refused(
        write_checkpoint(tmp_path, config("reward_classifier"))
    )


def test_adapters_are_not_whole_policies(tmp_path):
    assert "PEFT" in refused(write_checkpoint(tmp_path, config("smolvla", use_peft=True)))


@pytest.mark.parametrize(
    "missing", ["model.safetensors", "policy_preprocessor.json", "pre.safetensors", "post.safetensors"]
)
def test_a_missing_file(tmp_path, missing):
    write_checkpoint(tmp_path, config("act"))
    (tmp_path / missing).unlink()
    assert f"`{missing}`" in refused(tmp_path)


def test_weights_that_are_cut_off(tmp_path):
    write_checkpoint(tmp_path, config("act"))
    whole = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[:-8])
    assert "incomplete" in refused(tmp_path)


@pytest.mark.parametrize("named", ["subprocess.Popen", "lerobotx.Step", "Popen", "", None])
def test_steps_that_are_no_steps_of_lerobot(tmp_path, named):
    """LeRobot calls whatever a pipeline names, with the arguments that it names."""
    file = write_checkpoint(tmp_path, config("act")) / "policy_preprocessor.json"
    pipeline = json.loads(file.read_text())
    pipeline["steps"].append({"class": named, "config": {"args": ["true"]}})
    file.write_text(json.dumps(pipeline))
    assert "no step of LeRobot" in refused(tmp_path)


def test_steps_of_lerobot_and_of_others_by_class(tmp_path):
    file = write_checkpoint(tmp_path, config("act")) / "policy_preprocessor.json"
    pipeline = json.loads(file.read_text())
    named = ("lerobot.processor.DeviceProcessorStep", "lerobot_policy_mine.processor.Step")
    pipeline["steps"] += [{"class": name, "config": {}} for name in named]
    file.write_text(json.dumps(pipeline))
    assert read(tmp_path).family == "act"


def test_values_that_would_not_be_normalised(tmp_path):
    write_checkpoint(tmp_path / "a", config("act"), without=("action.std",))
    assert "`action.std` is missing" in refused(tmp_path / "a")
    write_checkpoint(tmp_path / "b", config("act"))
    write_zeros(tmp_path / "b" / "post.safetensors", {"action.mean": (6,), "action.std": (6,)})
    assert "(6,)" in refused(tmp_path / "b")


def test_paths_do_not_depend_on_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert LerobotConfig(checkpoint="it", tokenizer="tok").model_dump()["tokenizer"] == str(tmp_path / "tok")


def test_settings_replace_those_of_the_checkpoint(tmp_path):
    write_checkpoint(tmp_path, config("act"))
    assert read(tmp_path, settings={"n_action_steps": 2}).execute_steps == 2
