"""Demonstrations for imitation: columns matched with an environment, nothing guessed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent.errors import UsageError
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.testing.datasets import toy_episodes, write_toy
from rpent_robosmith.worker.demonstrations import read_demonstrations

if TYPE_CHECKING:
    from pathlib import Path

h5py = pytest.importorskip("h5py")

OBSERVATION = SpaceFacts(kind="box", shape=(4,), dtype="float32", low=(-9.0,) * 4, high=(9.0,) * 4)
ACTION = SpaceFacts(kind="box", shape=(3,), dtype="float32", low=(-1.0,) * 3, high=(1.0,) * 3)


def _box(size: int) -> SpaceFacts:
    return SpaceFacts(kind="box", shape=(size,), dtype="float32", low=(-9.0,) * size, high=(9.0,) * size)


def _file(path: Path, actions: Any, **columns: Any) -> str:
    with h5py.File(path, "w") as file:
        demo = file.create_group("data/demo_0")
        demo["actions"] = np.asarray(actions)
        for key, values in columns.items():
            demo[f"obs/{key}"] = np.asarray(values, np.float32)
    return str(path)


@pytest.mark.parametrize("name", ["a.hdf5", "b"])
def test_successful_episodes_become_rows(tmp_path: Path, name: str) -> None:
    path = write_toy(tmp_path / name, toy_episodes(6))
    shown = read_demonstrations(str(path), OBSERVATION, ACTION)
    wanted = [each for each in toy_episodes(6) if each.success]
    np.testing.assert_array_equal(shown.actions, np.concatenate([each.actions for each in wanted]))
    np.testing.assert_array_equal(
        shown.observations, np.concatenate([each.state["state"] for each in wanted])
    )
    np.testing.assert_array_equal(np.bincount(shown.episodes), [31, 33, 35])
    assert shown.notes == ("3 failed episodes of the dataset were left out.",)
    everything = read_demonstrations(str(path), OBSERVATION, ACTION, only_successes=False)
    assert len(everything.actions) == sum(len(each.actions) for each in toy_episodes(6))


def test_episodes_of_unknown_success_stay(tmp_path: Path) -> None:
    path = write_toy(tmp_path / "a.hdf5", [replace(each, success=None) for each in toy_episodes(3)])
    assert len(np.unique(read_demonstrations(str(path), OBSERVATION, ACTION).episodes)) == 3


def test_a_split_keeps_episodes_whole(tmp_path: Path) -> None:
    shown = read_demonstrations(str(write_toy(tmp_path / "a.hdf5", toy_episodes(20))), OBSERVATION, ACTION)
    learn, check = shown.split(0.3, seed=1)
    assert sorted([*learn, *check]) == list(range(len(shown.episodes)))
    assert not set(shown.episodes[learn]) & set(shown.episodes[check])
    assert len(set(shown.episodes[check])) == 3


def test_parts_of_a_dict_come_in_sorted_order(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.hdf5", np.zeros((5, 3)), goal=np.full((5, 2), 2.0), arm=np.full((5, 1), 1.0))
    space = SpaceFacts(kind="dict", parts={"goal": _box(2), "arm": _box(1)})
    np.testing.assert_array_equal(read_demonstrations(path, space, ACTION).observations[0], [1, 2, 2])


def test_what_does_not_fit_is_said_with_names_and_widths(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.hdf5", np.zeros((5, 3)), one=np.zeros((5, 2)), two=np.zeros((5, 2)))
    with pytest.raises(UsageError, match=r"observes 2 numbers, and `.*` has `one` \(2\), `two` \(2\)"):
        read_demonstrations(path, _box(2), ACTION)  # which of them is not for us to guess
    space = SpaceFacts(kind="dict", parts={"one": _box(2), "three": _box(1)})
    with pytest.raises(UsageError, match=r"observes `one` \(2\), `three` \(1\)"):
        read_demonstrations(path, space, ACTION)
    with pytest.raises(UsageError, match=r"takes 4 numbers as action, and `.*` has 3"):
        read_demonstrations(
            _file(tmp_path / "b.hdf5", np.zeros((5, 3)), state=np.zeros((5, 4))), OBSERVATION, _box(4)
        )


def test_actions_outside_of_the_bounds_are_clipped_and_counted(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.hdf5", [[0, 2, -3], [0, 0, 1]], state=np.zeros((2, 4)))
    shown = read_demonstrations(path, OBSERVATION, ACTION)
    np.testing.assert_array_equal(shown.actions, [[0, 1, -1], [0, 0, 1]])
    assert shown.notes == ("2 numbers of the actions were outside of the bounds, and clipped.",)


def test_steps_that_are_not_finite_are_left_out(tmp_path: Path) -> None:
    actions, state = np.zeros((4, 3)), np.zeros((4, 4))
    actions[1, 0], state[2, 0] = np.nan, np.inf
    path = _file(tmp_path / "a.hdf5", actions, state=state)
    assert len(read_demonstrations(path, OBSERVATION, ACTION).actions) == 2
    with pytest.raises(UsageError, match="Nothing of"):
        read_demonstrations(_file(tmp_path / "b.hdf5", actions * np.nan, state=state), OBSERVATION, ACTION)


def test_choices_are_numbers_or_one_hot_vectors(tmp_path: Path) -> None:
    space = SpaceFacts(kind="discrete", n=3, start=1)
    state = np.zeros((3, 4))
    numbers = _file(tmp_path / "a.hdf5", [[1], [3], [2]], state=state)
    one_hot = _file(tmp_path / "b.hdf5", [[1, 0, 0], [0, 0, 1], [0, 1, 0]], state=state)
    for path in (numbers, one_hot):
        shown = read_demonstrations(path, OBSERVATION, space)
        np.testing.assert_array_equal(shown.actions, [0, 2, 1])
        assert shown.actions.dtype == np.int64
    for wrong in ([[0], [1], [2]], [[1.5], [2], [3]], [[0.5, 0.5, 0]] * 3):
        with pytest.raises(UsageError, match="one of 3 choices"):
            read_demonstrations(_file(tmp_path / f"{wrong}.hdf5", wrong, state=state), OBSERVATION, space)


def test_discrete_observations_become_one_hot_vectors(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.hdf5", np.zeros((3, 3)), state=[[0], [2], [1]])
    shown = read_demonstrations(path, SpaceFacts(kind="discrete", n=3), ACTION)
    np.testing.assert_array_equal(shown.observations, [[1, 0, 0], [0, 0, 1], [0, 1, 0]])
