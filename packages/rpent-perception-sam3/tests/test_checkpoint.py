"""Where the models are found, and what is said of a folder that lacks something. No torch."""

from __future__ import annotations

import json
import shutil

import pytest
from rpent.config import build_config
from rpent.errors import PolicyError, UsageError
from rpent_perception_sam3.checkpoint import read
from rpent_perception_sam3.config import Sam3Config


def config(folder, **values):
    return Sam3Config(checkpoint=str(folder), **values)


def test_both_models_in_folders_of_their_own(folder):
    found = read(config(folder))
    assert found.detector == folder / "detector"
    assert found.tracker == folder / "tracker"


def test_without_a_tracker_only_texts_are_answered(folder):
    shutil.rmtree(folder / "tracker")
    assert read(config(folder)).tracker is None
    assert read(config(folder / "detector")).tracker is None


def test_a_tracker_may_lie_elsewhere(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    (folder / "tracker").rename(elsewhere)
    assert read(config(folder, tracker=str(elsewhere))).tracker == elsewhere


def test_one_file_may_hold_both(folder, write_weights):
    one = folder / "detector"
    (one / "config.json").write_text(json.dumps({"model_type": "sam3_video"}))
    write_weights(one / "model.safetensors", ["detector_model.a", "tracker_model.b", "tracker_neck.c"])
    found = read(config(one))
    assert found.detector == found.tracker == one


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("detector/model.safetensors", "no weights"),
        ("detector/config.json", "config.json"),
        ("detector/tokenizer.json", "no tokenizer"),
        ("detector/processor_config.json", "no processor"),
        ("tracker/model.safetensors", "no weights"),
    ],
)
def test_what_is_missing_is_named(folder, lost, said):
    (folder / lost).unlink()
    with pytest.raises(PolicyError, match=said) as caught:
        read(config(folder))
    assert caught.value.hint


def test_another_model_is_refused(folder):
    (folder / "detector" / "config.json").write_text(json.dumps({"model_type": "sam2"}))
    with pytest.raises(PolicyError, match="`sam2`"):
        read(config(folder))


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(PolicyError, match="does not exist"):
        read(config(tmp_path / "nowhere"))


def test_a_checkpoint_is_needed_and_thresholds_are_bounded():
    with pytest.raises(UsageError, match="checkpoint"):
        build_config(Sam3Config, {}, what="perceptor `sam3`")
    with pytest.raises(UsageError, match="score_threshold"):
        build_config(Sam3Config, {"checkpoint": "x", "score_threshold": 1.5}, what="perceptor `sam3`")
