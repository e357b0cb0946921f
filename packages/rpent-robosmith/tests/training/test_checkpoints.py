"""Checkpoints of trainings on disk: the newest whole one, rows of all of them, nothing left behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent.errors import RunDirectoryError
from rpent_robosmith.training.checkpoints import CheckpointFolder, joined, split

if TYPE_CHECKING:
    from pathlib import Path


def data(segment: int, rows: int = 3, **more: Any) -> dict[str, Any]:
    """Return a checkpoint whose numbers say which segment it is of."""
    return {
        "steps": segment * 100,
        "rate": float("inf"),
        "weights": {"0": np.full((2, 3), segment, np.float32), "scalar": np.array(segment, np.int64)},
        "list": [1, [np.arange(segment)]],
        "appended": {"seen": np.arange(rows) + 10 * segment},
        **more,
    }


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    folder.write(1, data(1))
    folder.write(2, data(2))
    found = CheckpointFolder(tmp_path).read()
    assert found is not None
    segment, read = found
    assert segment == 2
    assert read["steps"] == 200
    assert read["rate"] == float("inf")
    np.testing.assert_array_equal(read["weights"]["0"], np.full((2, 3), 2, np.float32))
    assert read["weights"]["scalar"].shape == ()
    np.testing.assert_array_equal(read["list"][1][0], [0, 1])
    np.testing.assert_array_equal(read["appended"]["seen"], [10, 11, 12, 20, 21, 22])


def test_only_the_rows_that_are_needed_are_kept(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    for segment in range(1, 6):
        folder.write(segment, data(segment, keep_rows=4))
    found = folder.read()
    assert found is not None
    np.testing.assert_array_equal(found[1]["appended"]["seen"], [42, 50, 51, 52])
    assert [path.name for path in sorted(tmp_path.glob("rows-*"))] == [
        "rows-000003.safetensors",
        "rows-000004.safetensors",
        "rows-000005.safetensors",
    ]


def test_the_one_before_is_kept_and_nothing_else(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    for segment in range(1, 4):
        folder.write(segment, data(segment, keep_rows=3))
    names = {path.name for path in tmp_path.iterdir() if path.name.startswith("state")}
    assert names == {f"state-00000{n}.{kind}" for n in (2, 3) for kind in ("json", "safetensors")}


@pytest.mark.parametrize("name", ["state-000002.safetensors", "state-000002.json", "rows-000002.safetensors"])
def test_a_damaged_one_falls_back_to_the_one_before(tmp_path: Path, name: str) -> None:
    folder = CheckpointFolder(tmp_path)
    folder.write(1, data(1))
    folder.write(2, data(2))
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[:-3] + b"xyz")
    folder = CheckpointFolder(tmp_path)
    assert folder.mend() == folder.segment == 1
    folder.write(2, data(2))
    found = CheckpointFolder(tmp_path).read()
    assert found is not None
    assert found[0] == 2


def test_nothing_whole_is_nothing(tmp_path: Path) -> None:
    assert CheckpointFolder(tmp_path / "none").read() is None
    (tmp_path / "latest.json").write_text("{")
    assert CheckpointFolder(tmp_path).read() is None
    CheckpointFolder(tmp_path).write(1, data(1))
    latest = json.loads((tmp_path / "latest.json").read_text())
    latest["current"]["files"] = {"../../outside.json": "0"}
    (tmp_path / "latest.json").write_text(json.dumps(latest))
    folder = CheckpointFolder(tmp_path)
    assert folder.mend() == folder.segment == 0


def test_a_folder_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryError, match="cannot be written"):
        CheckpointFolder(tmp_path / "file").write(1, data(1))


def test_references_cannot_be_forged() -> None:
    with pytest.raises(ValueError, match="array:"):
        split({"text": "array:weights", "weights": np.zeros(1)})


def test_split_and_joined_are_inverse() -> None:
    content = {"a": [{"b": np.arange(3)}, None, True, "text"], "c": 0.5}
    again = joined(*split(content))
    np.testing.assert_array_equal(again["a"][0]["b"], [0, 1, 2])
    assert again["a"][1:] == [None, True, "text"]
    assert again["c"] == 0.5
