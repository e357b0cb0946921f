"""Checkpoints' folders: where they are, which files they have, what their JSON holds."""

import os

import pytest
from rpent.errors import PolicyError
from rpent.policies.checkpoint import absolute, existing_folder, read_json, require_any


@pytest.mark.parametrize(
    "address", ["ws://gpu:8000", "wss://host/path", "tcp://10.0.0.2:5555", "gpu-2:8000", "[::1]:80"]
)
def test_addresses_stay(address):
    assert absolute(address) == address


def test_folders_hold_in_every_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    assert absolute("runs/it") == str(tmp_path / "runs" / "it")
    assert absolute("~/it") == "/home/me/it"
    (tmp_path / "step:100").mkdir()
    assert absolute("step:100") == str(tmp_path / "step:100")
    assert absolute(None) is None


def test_a_folder_that_is_not_there(tmp_path):
    assert existing_folder(tmp_path) == tmp_path
    with pytest.raises(PolicyError, match="does not exist"):
        existing_folder(tmp_path / "none")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "has no `it.json`"),
        ("{", "cannot be read as JSON"),
        ("[" * 100_000, "as JSON"),
        ("[]", "JSON object"),
    ],
)
def test_files_that_are_no_json_object(tmp_path, content, said):
    if content is not None:
        (tmp_path / "it.json").write_text(content)
    with pytest.raises(PolicyError, match=said) as caught:
        read_json(tmp_path / "it.json", hint="Copy it.")
    assert "\n" not in caught.value.message


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "it.json")
    with pytest.raises(PolicyError, match="it is no file"):
        read_json(tmp_path / "it.json")


def test_one_of_several_files_is_enough(tmp_path):
    with pytest.raises(PolicyError, match=r"has no tokenizer \(`a` or `b`\)"):
        require_any(tmp_path, ("a", "b"), "tokenizer")
    (tmp_path / "b").touch()
    require_any(tmp_path, ("a", "b"), "tokenizer")
