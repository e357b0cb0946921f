"""Checkpoints are judged by their headers, and refused when a model would be left with random weights."""

import json
import os

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent_torch import weights


def write(path, tensors):
    """Write a safetensors file by its format: length, header, data."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for key, array in tensors.items():
        start = len(data)
        data += array.tobytes()
        header[key] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [start, len(data)]}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


@pytest.fixture
def folder(tmp_path):
    write(
        tmp_path / "model.safetensors",
        {"a.weight": np.zeros((2, 3), np.float32), "b": np.float32(1).reshape(())},
    )
    return tmp_path


def test_shapes_come_from_the_header(folder):
    assert weights.shapes(folder) == {"a.weight": ("F32", (2, 3)), "b": ("F32", ())}


def test_shards_are_read_through_their_index(tmp_path):
    write(tmp_path / "one.safetensors", {"a": np.zeros(2, np.float32)})
    write(tmp_path / "two.safetensors", {"b": np.zeros(3, np.float32)})
    index = {"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}
    (tmp_path / weights.INDEX).write_text(json.dumps(index))
    assert {key: info.shape for key, info in weights.shapes(tmp_path).items()} == {"a": (2,), "b": (3,)}
    (tmp_path / weights.INDEX).write_text(
        json.dumps({"weight_map": {**index["weight_map"], "c": "two.safetensors"}})
    )
    with pytest.raises(PolicyError, match="lack 1 of its tensors"):
        weights.shapes(tmp_path)


def test_no_weights_no_folder(tmp_path):
    with pytest.raises(PolicyError, match="has no weights"):
        weights.shapes(tmp_path)
    with pytest.raises(PolicyError, match="cannot be read"):
        weights.shapes(tmp_path / "x.safetensors")
    with pytest.raises(PolicyError, match="does not exist"):
        weights.weights_file(tmp_path / "x")


def test_a_file_that_was_cut_off_is_refused(folder):
    file = folder / "model.safetensors"
    whole = file.read_bytes()
    file.write_bytes(whole[:-4])
    with pytest.raises(PolicyError, match=r"incomplete: \d+ of \d+ bytes"):
        weights.shapes(folder)
    file.write_bytes(whole[:40])
    with pytest.raises(PolicyError, match="not a safetensors file"):
        weights.shapes(folder)


@pytest.mark.parametrize(
    "content", [b"", b"version https://git-lfs.github.com/spec/v1\n", (2).to_bytes(8, "little") + b"[]"]
)
def test_what_is_no_safetensors_file_is_refused(tmp_path, content):
    file = tmp_path / "model.safetensors"
    file.write_bytes(content)
    with pytest.raises(PolicyError, match="not a safetensors file"):
        weights.shapes(file)


def header(shape, offsets):
    """Return the text of a header with one tensor `a` of F32."""
    return b'{"a": {"dtype": "F32", "shape": %s, "data_offsets": %s}}' % (shape, offsets)


@pytest.mark.parametrize(
    "text",
    [
        header(b"[4000]", b"[0, 16]"),
        header(b"[-4]", b"[0, 16]"),
        header(b"[4]", b"[16, 0]"),
        header(b"[4]", b"[-16, 0]"),
        header(b"[4]", b"[16, 32]"),
        header(b"[1e999]", b"[0, 16]"),
        header(b"[4]", b"[0, 1e999]"),
        header(b"[4]", b"[0]"),
        header(b"[%s]" % (b"9" * 5000), b"[0, 16]"),
        header(b"[4]", b"[0, 16]")[:-1] + b", " + header(b"[4]", b"[0, 16]")[1:].replace(b"a", b"b", 1),
        b"[" * 100_000,
    ],
    ids=[
        "long",
        "negative",
        "backwards",
        "before",
        "hole",
        "inf",
        "inf-offset",
        "one-offset",
        "digits",
        "overlapping",
        "nested",
    ],
)
def test_a_header_that_contradicts_itself_is_refused(tmp_path, text):
    file = tmp_path / "model.safetensors"
    file.write_bytes(len(text).to_bytes(8, "little") + text + bytes(64))
    with pytest.raises(PolicyError, match="not a safetensors file"):
        weights.shapes(file)


@pytest.mark.parametrize("length", [2**63, 2**64 - 1])
def test_a_header_longer_than_its_file_is_refused(tmp_path, length):
    file = tmp_path / "model.safetensors"
    file.write_bytes(length.to_bytes(8, "little") + b"{}")
    with pytest.raises(PolicyError, match="not a safetensors file"):
        weights.shapes(file)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "one.safetensors")
    (tmp_path / weights.INDEX).write_text(json.dumps({"weight_map": {"a": "one.safetensors"}}))
    with pytest.raises(PolicyError, match="cannot be read"):
        weights.shapes(tmp_path)


def test_the_same_keys_and_shapes_pass(folder):
    weights.require_all({"a.weight": (2, 3), "b": ()}, weights.shapes(folder), checkpoint=folder)


def test_differences_are_counted_and_listed(folder):
    expected = {"a.weight": (3, 2), **{f"layer.{n}": (1,) for n in range(9)}}
    with pytest.raises(PolicyError) as caught:
        weights.require_all(expected, weights.shapes(folder), checkpoint=folder)
    assert caught.value.hint == (
        "Weights 9 missing: `layer.0`, `layer.1`, `layer.2`, `layer.3` and 5 more; 1 unexpected: `b`; "
        "1 of another shape: `a.weight (2×3, not 3×2)`."
    )


def test_patterns_excuse_tied_weights(folder):
    expected = {"a.weight": (2, 3), "lm_head.weight": (4,)}
    weights.require_all(
        expected, weights.shapes(folder), checkpoint=folder, may_lack=["lm_head.*"], may_have=["b"]
    )


def test_arrays_count_by_their_shape():
    assert not weights.compare({"a": np.zeros((2, 3))}, {"a": (2, 3)})


def test_what_transformers_reports_of_a_load():
    found = weights.loading_differences(
        {"missing_keys": {"b", "a"}, "unexpected_keys": [], "mismatched_keys": {("c", (1, 2), (2, 1))}}
    )
    assert (found.missing, found.misshaped) == (("a", "b"), ("c (1×2, not 2×1)",))
    with pytest.raises(PolicyError, match="do not fit the model"):
        weights.refuse(found, checkpoint="here")
    weights.refuse(weights.loading_differences({}), checkpoint="here")
