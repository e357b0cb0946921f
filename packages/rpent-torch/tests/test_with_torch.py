"""What needs torch, run in the managed environments."""

import json

import pytest
from rpent.testing.environments import run_code

pytestmark = pytest.mark.models

FACTS = """
import json
from rpent_torch import device, memory, noise, threads
count = threads.settle()
import torch
alone = [noise.normal([noise.generator(seed)], (4, 3)) for seed in (1, 2)]
together = noise.normal([noise.generator(1), noise.generator(2)], (4, 3))
try:
    device.choose("cuda:7")
    refused = ""
except Exception as error:
    refused = f"{type(error).__name__}: {error} {error.hint}"
try:
    device.choose("tpu")
    unknown = ""
except Exception as error:
    unknown = f"{type(error).__name__}: {error}"
print(json.dumps({
    "threads": count, "device": device.choose(), "facts": device.facts("cpu"), "memory": memory.facts("cpu"),
    "equal": bool(torch.equal(torch.cat(alone), together)), "refused": refused, "unknown": unknown,
    "negative": noise.generator(-1).initial_seed() >= 0,
}))
"""

VISION = """
import json
import torch
from rpent_torch import vision
first, second = vision.install(), vision.install()
import torchvision, torchvision.transforms.v2 as transforms
from torchvision.ops import nms, roi_align
torch.manual_seed(0)
corners = torch.rand(60, 2) * 50
boxes, scores = torch.cat([corners, corners + 5 + torch.rand(60, 2) * 20], dim=1), torch.rand(60)

def by_hand(threshold):
    kept = []
    for index in scores.argsort(descending=True).tolist():
        one = boxes[index]
        def overlap(other):
            low, high = torch.maximum(one[:2], other[:2]), torch.minimum(one[2:], other[2:])
            both = (high - low).clamp(min=0).prod()
            return both / ((one[2:] - one[:2]).prod() + (other[2:] - other[:2]).prod() - both)
        if all(overlap(boxes[other]) <= threshold for other in kept):
            kept.append(index)
    return kept

import transformers
print(json.dumps({
    "results": [first, second], "nms": nms(boxes, scores, 0.3).tolist(), "by_hand": by_hand(0.3),
    "resized": list(transforms.Resize((4, 6))(torch.zeros(3, 8, 8)).shape),
    "aligned": list(roi_align(torch.zeros(1, 2, 16, 16), [torch.tensor([[0.0, 0.0, 8.0, 8.0]])], 4).shape),
    "class": transformers.Sam3ImageProcessor.__name__,
}))
"""

WEIGHTS = """
import sys, torch
from safetensors.torch import save_file
from rpent_torch import weights
model = torch.nn.Linear(3, 2)
save_file(model.state_dict(), sys.argv[1])
weights.require_all(model.state_dict(), weights.shapes(sys.argv[1]), checkpoint=sys.argv[1])
print(weights.shapes(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def facts():
    return json.loads(run_code("torch", FACTS, distribution="rpent-torch"))


def test_torch_works_with_one_thread(facts):
    assert facts["threads"] == facts["facts"]["threads"] == 1


def test_memory_is_reported(facts):
    assert facts["memory"]["memory_bytes"] > 50e6


def test_noise_of_a_batch_is_that_of_its_episodes(facts):
    assert facts["equal"]
    assert facts["negative"]


def test_devices_that_are_not_there_are_refused(facts):
    assert facts["device"] in {"cpu", "cuda", "mps"}
    assert facts["refused"].startswith("PolicyError: The device `cuda:7` ")
    assert facts["unknown"] == "PolicyError: `tpu` is not a device."


def test_torchvision_works_whatever_build_it_is():
    found = json.loads(run_code("transformers", VISION, distribution="rpent-torch").splitlines()[-1])
    assert found["results"][1] == "native"
    assert found["nms"] == found["by_hand"]
    assert (found["resized"], found["aligned"]) == ([3, 4, 6], [1, 2, 4, 4])
    assert found["class"] == "Sam3ImageProcessor"


def test_headers_say_what_safetensors_wrote(tmp_path):
    printed = run_code("transformers", WEIGHTS, tmp_path / "model.safetensors", distribution="rpent-torch")
    assert "TensorInfo(dtype='F32', shape=(2, 3))" in printed


CODE = """
import json, pathlib, sys
from rpent_torch import hugging_face
folder = pathlib.Path(sys.argv[1])
hugging_face.prepare(trust_code=sys.argv[2] == "trusted")
from rpent_torch.server.tiny_tokenizer import tiny_tokenizer
from transformers import AutoTokenizer
tiny_tokenizer(["some words"]).save_pretrained(folder)
(folder / "brought.py").write_text(
    "import pathlib; from transformers import PreTrainedTokenizerFast\\n"
    f"pathlib.Path({str(folder / 'ran')!r}).touch()\\n"
    "class Brought(PreTrainedTokenizerFast): pass\\n"
)
file = folder / "tokenizer_config.json"
brought = {"tokenizer_class": "Brought", "auto_map": {"AutoTokenizer": [None, "brought.Brought"]}}
file.write_text(json.dumps(json.loads(file.read_text()) | brought))
try:
    said = type(AutoTokenizer.from_pretrained(folder, trust_remote_code=True)).__name__
except Exception as error:
    said = f"{type(error).__name__}: {error}"
print(json.dumps({"said": said, "ran": (folder / "ran").exists()}))
"""


@pytest.mark.parametrize("trust", ["trusted", "refused"])
def test_code_beside_a_checkpoint_runs_only_where_it_is_trusted(tmp_path, monkeypatch, trust):
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    found = json.loads(
        run_code("transformers", CODE, tmp_path, trust, distribution="rpent-torch").splitlines()[-1]
    )
    if trust == "trusted":
        assert found == {"said": "Brought", "ran": True}
    else:
        assert found["said"].startswith("PolicyError: The checkpoint wants to run Python code")
        assert not found["ran"]
