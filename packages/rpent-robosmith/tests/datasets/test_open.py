"""Which reader a path needs, and the order of names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rpent.errors import UsageError
from rpent_robosmith.datasets.open import kind_of, open_dataset
from rpent_robosmith.datasets.order import natural, numbered_groups
from rpent_robosmith.testing.datasets import toy_episodes, write_toy

if TYPE_CHECKING:
    from pathlib import Path


def test_kinds(tmp_path: Path) -> None:
    assert kind_of(write_toy(tmp_path / "a.hdf5", toy_episodes(1))) == "hdf5"
    assert kind_of(write_toy(tmp_path / "b", toy_episodes(1))) == "lerobot"
    renamed = (tmp_path / "a.hdf5").rename(tmp_path / "data.bin")
    assert kind_of(renamed) == "hdf5"
    (tmp_path / "c.txt").write_text("hello")
    assert kind_of(tmp_path / "c.txt") is None
    assert kind_of(tmp_path / "nothing") is None


def test_what_is_no_dataset_is_one_sentence_with_the_kinds(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, said in ((tmp_path / "gone", "no file or folder"), (tmp_path / "empty", "no dataset")):
        with pytest.raises(UsageError, match=said) as caught:
            open_dataset(path)
        assert "LeRobot" in (caught.value.hint or "")


def test_names_are_ordered_by_their_numbers() -> None:
    names = ["demo_10", "demo_2", "demo", "demo_1_b", "demo_01", "x", "3"]
    assert sorted(names, key=natural) == ["3", "demo", "demo_01", "demo_1_b", "demo_2", "demo_10", "x"]


def test_numbered_columns_form_groups_only_without_gaps() -> None:
    assert numbered_groups(["a.1", "a.0", "a.10", *(f"a.{i}" for i in range(2, 10))]) == {
        "a": tuple(f"a.{i}" for i in range(11))
    }
    assert numbered_groups(["a.0", "a.2", "b_1", "c"]) == {}
