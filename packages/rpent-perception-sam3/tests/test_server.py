"""The perception server over the real classes of transformers, in its own environment and process."""

from __future__ import annotations

import json
import shutil
import threading
from typing import ClassVar

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.errors import CancelledCallError, RemoteError, ServiceError
from rpent.perception import PerceptorContext
from rpent.testing import PerceptorContract
from rpent.testing.environments import run_code
from rpent_perception_sam3.masks import decode
from rpent_perception_sam3.perceptor import Sam3Perceptor

pytestmark = pytest.mark.models

DISTRIBUTION = "rpent-perception-sam3"


class TestPerceptor(PerceptorContract):
    camera = "front"
    prompt = "black bowl"
    nothing: ClassVar = {"min_score": 0.999}
    point_hits = False

    @pytest.fixture
    def perceptor(self, server):
        return Sam3Perceptor(PerceptorContext(channels={"perception": server}))

    @pytest.fixture
    def observation(self, seen):
        return seen


def test_it_says_what_it_is(server, checkpoint):
    assert server.info.name == "sam3/perception"
    said = server.call("describe")
    assert said["checkpoint"] == str(checkpoint)
    assert said["prompts"] == ["text", "point"]
    assert said["device"] == "cpu"
    assert said["threads"] == 1
    json.dumps(said)


def test_masks_are_png_of_the_pictures_size(server, picture):
    answer = server.call("segment", image=picture, prompt="bowl", min_score=0.0)
    assert len(answer["masks"]) == len(answer["scores"]) == len(answer["boxes"]) > 1
    for data, box in zip(answer["masks"], answer["boxes"], strict=True):
        rows, columns = np.nonzero(decode(data, picture.shape[:2]))
        assert box == [rows.min(), columns.min(), rows.max(), columns.max()]


def test_features_of_a_picture_are_reused_and_change_nothing(server, picture):
    other = np.ascontiguousarray(picture[::-1])
    before = server.call("status")
    first = server.call("segment", image=other, prompt="bowl", min_score=0.0)
    server.call("segment", image=other, prompt="plate", min_score=0.0)
    again = server.call("segment", image=other, prompt="bowl", min_score=0.0)
    after = server.call("status")
    assert after["pictures_seen"] == before["pictures_seen"] + 1
    assert after["pictures_reused"] == before["pictures_reused"] + 2
    assert again == first
    assert after["answered"] == before["answered"] + 3


def test_a_wrong_call_is_an_error_for_its_caller_alone(server, picture):
    with pytest.raises(RemoteError, match="120×200"):
        server.call("segment", image=picture, point=[150, 10])
    assert server.call("status")["waiting"] == 0
    assert server.call("segment", image=picture, point=[10, 150], min_score=0.0)["masks"]


def test_callers_at_once_get_their_own_answers(server, picture):
    pictures = [np.roll(picture, 20 * index, axis=1) for index in range(12)]
    alone = [server.call("segment", image=each, prompt="bowl", min_score=0.0) for each in pictures]
    together = [None] * len(pictures)

    def ask(index):
        together[index] = server.call("segment", image=pictures[index], prompt="bowl", min_score=0.0)

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(len(pictures))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_a_cancelled_call_ends(server, picture):
    token = CancelToken()
    token.cancel("enough")
    with pytest.raises(CancelledCallError):
        server.call("segment", image=picture, prompt="bowl", cancel=token)
    assert server.call("segment", image=picture, prompt="bowl", min_score=0.0)["masks"]


def test_the_threshold_of_the_server_holds_whatever_is_asked(serve, checkpoint, picture):
    strict = serve(checkpoint=str(checkpoint), score_threshold=0.9)
    assert strict.call("segment", image=picture, prompt="bowl", min_score=0.0)["masks"] == []
    assert strict.call("segment", image=picture, point=[1, 2], min_score=0.0)["masks"] == []


def test_without_a_tracker_a_point_is_refused(serve, checkpoint, picture):
    texts = serve(checkpoint=str(checkpoint / "detector"), score_threshold=0.0)
    assert texts.call("describe")["prompts"] == ["text"]
    assert texts.call("segment", image=picture, prompt="bowl", min_score=0.0)["masks"]
    with pytest.raises(RemoteError, match="no tracker"):
        texts.call("segment", image=picture, point=[1, 2])


PARTIAL = """
import shutil, sys
from pathlib import Path
from rpent.errors import PolicyError
from rpent_perception_sam3.config import Sam3Config
from rpent_perception_sam3.server.load import load
from safetensors.torch import load_file, save_file

whole, spoiled = Path(sys.argv[1]), Path(sys.argv[2])
for model in ("detector", "tracker"):
    for what in ("missing", "unexpected", "of another shape"):
        shutil.copytree(whole, spoiled)
        path = spoiled / model / "model.safetensors"
        tensors = load_file(path)
        key = sorted(tensors)[5]
        if what == "missing":
            del tensors[key]
        elif what == "unexpected":
            tensors["a_stranger.weight"] = tensors[key].clone()
        else:
            tensors[key] = tensors[key].repeat(2, *[1] * (tensors[key].ndim - 1))
        save_file(tensors, path, metadata={"format": "pt"})
        try:
            load(Sam3Config(checkpoint=str(spoiled)), lambda stage, fraction=None: None)
        except PolicyError as error:
            print(f"{model}, {what}: {error.message} {error.hint}")
        shutil.rmtree(spoiled)
"""


@pytest.fixture(scope="module")
def refusals(checkpoint, tmp_path_factory):
    """What is said of checkpoints with one spoiled weight."""
    spoiled = tmp_path_factory.mktemp("spoiled") / "copy"
    return run_code("transformers", PARTIAL, checkpoint, spoiled, distribution=DISTRIBUTION).splitlines()


@pytest.mark.parametrize("what", ["missing", "unexpected", "of another shape"])
@pytest.mark.parametrize("model", ["detector", "tracker"])
def test_a_partial_checkpoint_is_refused(refusals, what, model):
    (line,) = [line for line in refusals if line.startswith(f"{model}, {what}:")]
    assert "do not fit the model" in line
    assert f"1 {what}: `" in line


TOGETHER = """
import json, sys
from pathlib import Path
import numpy as np
from rpent.errors import PolicyError
from rpent_perception_sam3.config import Sam3Config
from rpent_perception_sam3.server.load import load
from rpent_perception_sam3.server.question import question
from rpent_perception_sam3.server.tiny import make
from safetensors.torch import load_file, save_file

apart, together = Path(sys.argv[1]), Path(sys.argv[2])
make(together, together=True)
image = np.random.default_rng(0).integers(0, 255, (120, 200, 3), dtype=np.uint8)
answers = {}
for folder in (apart, together):
    segmenter = load(Sam3Config(checkpoint=str(folder), score_threshold=0.0), lambda stage, fraction=None: None)
    found = segmenter.segment(question(image, "bowl", None, 0.0, 8))
    answers["together" if folder == together else "apart"] = [[each.score, int(each.mask.sum())] for each in found]
answers["points"] = len(segmenter.segment(question(image, None, [3, 4], 0.0, 8)))
path = together / "model.safetensors"
tensors = load_file(path)
save_file({key: each for key, each in tensors.items() if not key.startswith("tracker_neck.")}, path)
try:
    load(Sam3Config(checkpoint=str(together)), lambda stage, fraction=None: None)
except PolicyError as error:
    answers["refused"] = f"{error.message} {error.hint}"
print(json.dumps(answers))
"""


def test_one_file_with_both_models_is_read_whole_or_refused(checkpoint, tmp_path):
    printed = run_code("transformers", TOGETHER, checkpoint, tmp_path / "one", distribution=DISTRIBUTION)
    answers = json.loads(printed.splitlines()[-1])
    assert answers["together"] == answers["apart"] != []
    assert answers["points"] == 3
    assert "vision_encoder.neck" in answers["refused"]


def test_a_missing_tokenizer_is_named(serve, checkpoint, tmp_path):
    shutil.copytree(checkpoint, tmp_path / "bare")
    (tmp_path / "bare" / "detector" / "tokenizer.json").unlink()
    with pytest.raises(ServiceError, match="no tokenizer"):
        serve(checkpoint=str(tmp_path / "bare"))


INSIDE = """
import json, sys
import numpy as np
from rpent_perception_sam3.config import Sam3Config
from rpent_perception_sam3.server.load import load
from rpent_perception_sam3.server.question import question

segmenter = load(Sam3Config(checkpoint=sys.argv[1], score_threshold=0.0), lambda stage, fraction=None: None)
from transformers import Sam3Model, Sam3TrackerModel, Sam3TrackerProcessor

seen = {}
def spy(kind, name):
    inner = kind.__call__
    def call(self, *args, **kwargs):
        seen.setdefault(name, []).append(kwargs)
        return inner(self, *args, **kwargs)
    kind.__call__ = call

spy(Sam3TrackerProcessor, "processor")
forward = Sam3TrackerModel.forward
def track(self, *args, **kwargs):
    seen["tracker"] = kwargs["input_points"].tolist()
    return forward(self, *args, **kwargs)
Sam3TrackerModel.forward = track
inner = Sam3Model.forward
def detect(self, *args, **kwargs):
    seen.setdefault("tokens", []).append(list(kwargs["input_ids"].shape))
    return inner(self, *args, **kwargs)
Sam3Model.forward = detect

image = np.random.default_rng(0).integers(0, 255, (112, 224, 3), dtype=np.uint8)
segmenter.segment(question(image, None, [10, 200], 0.0, 8))
for words in ("bowl", "a very long description " * 40):
    assert segmenter.segment(question(image, words, None, 0.0, 8))
tokens = list(seen["tokens"])
import torch
from rpent.errors import ToolError

whole = Sam3Model.forward
def starve(self, *args, **kwargs):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB.")
def blur(self, *args, **kwargs):
    found = whole(self, *args, **kwargs)
    found.pred_logits[:] = float("nan")
    return found

Sam3Model.forward = starve
try:
    segmenter.segment(question(image, "bowl", None, 0.0, 8))
except ToolError as error:
    starved = error.message
Sam3Model.forward = blur
blurred = segmenter.segment(question(image, "bowl", None, 0.0, 8))
Sam3Model.forward = whole
after = len(segmenter.segment(question(image, "bowl", None, 0.0, 8)))
given = {"points": seen["processor"][0]["input_points"], "scaled": seen["tracker"], "tokens": tokens}
print(json.dumps({"starved": starved, "blurred": blurred, "after": after, **given}))
"""


@pytest.fixture(scope="module")
def inside(checkpoint):
    """What the models are really given: a point [row 10, col 200] of 112×224, and a short and a long text."""
    return json.loads(
        run_code("transformers", INSIDE, checkpoint, distribution=DISTRIBUTION).splitlines()[-1]
    )


def test_row_and_column_become_x_and_y(inside):
    assert inside["points"] == [[[[200, 10]]]]
    # The model's picture is 112×112: x is halved, y is not.
    assert inside["scaled"] == [[[[100.0, 10.0]]]]


def test_a_long_prompt_is_cut_to_what_the_model_reads(inside):
    assert inside["tokens"] == [[1, 32], [1, 32]]


def test_a_model_out_of_memory_is_an_error_and_the_server_lives_on(inside):
    assert inside["starved"] == "SAM 3 failed: CUDA out of memory. Tried to allocate 2 GiB."
    assert inside["after"] > 0


def test_scores_that_are_no_numbers_are_nothing_found(inside):
    assert inside["blurred"] == []
