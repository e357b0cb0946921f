"""HDF5 of robomimic, LIBERO and robosuite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent.errors import UsageError
from rpent_robosmith.datasets.open import open_dataset
from rpent_robosmith.testing.datasets import toy_episodes, write_toy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

h5py = pytest.importorskip("h5py")


def _file(path: Path, demos: Mapping[str, Mapping[str, Any]], **attributes: Any) -> Path:
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        for name, value in attributes.items():
            data.attrs[name] = value
        for name, arrays in demos.items():
            demo = data.create_group(name)
            for key, values in arrays.items():
                demo.create_dataset(key, data=values)
    return path


def _demo(steps: int = 5, **arrays: Any) -> dict[str, Any]:
    return {"actions": np.zeros((steps, 2)), "obs/pos": np.zeros((steps, 3)), **arrays}


def _env_args(**kwargs: Any) -> str:
    return json.dumps({"env_name": "Lift", "type": 1, "env_kwargs": kwargs})


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = write_toy(tmp_path / "a.hdf5", toy_episodes(11, pictures=True))
    written = list(toy_episodes(11))
    with open_dataset(path) as reader:
        read = list(reader.episodes())
        assert (reader.format, reader.fps, reader.total_episodes) == ("robomimic", 20.0, 11)
        assert reader.success_source == "task_successes"
        assert reader.action_names == ("x", "y", "z")
        assert reader.action_bounds is not None
        assert reader.action_bounds.low == (-1.0, -1.0, -1.0)
    assert [each.name for each in read] == [f"demo_{i}" for i in range(11)]
    for before, after in zip(written, read, strict=True):
        np.testing.assert_array_equal(before.actions, after.actions)
        np.testing.assert_array_equal(before.state["state"], after.state["state"])
        assert (before.success, before.task) == (after.success, after.task)
    frames = list(read[10].pictures["front"]())
    assert [int(frame.mean()) for frame in frames] == [150 + t for t in range(40)]


def test_episodes_come_in_numeric_order_and_names_without_numbers_do_no_harm(tmp_path: Path) -> None:
    names = ("demo_10", "demo_2", "demo_abc", "demo_1")
    reader = open_dataset(_file(tmp_path / "a.hdf5", {name: _demo() for name in names}))
    assert [each.name for each in reader.episodes()] == ["demo_1", "demo_2", "demo_10", "demo_abc"]


def test_an_end_is_no_success(tmp_path: Path) -> None:
    ends = np.array([0, 0, 0, 0, 1])
    reader = open_dataset(_file(tmp_path / "a.hdf5", {"demo_0": _demo(dones=ends, rewards=np.zeros(5))}))
    assert [each.success for each in reader.episodes()] == [None]
    assert reader.success_source is None
    assert "unknown" in reader.notes[0]


@pytest.mark.parametrize(("shaped", "expected"), [(False, [True, False]), (True, [None, None])])
def test_rewards_say_success_only_where_they_are_sparse(
    tmp_path: Path, shaped: bool, expected: list[bool | None]
) -> None:
    demos = {"demo_0": _demo(rewards=np.array([0, 0, 0, 0, 1.0])), "demo_1": _demo(rewards=np.zeros(5))}
    reader = open_dataset(_file(tmp_path / "a.hdf5", demos, env_args=_env_args(reward_shaping=shaped)))
    assert [each.success for each in reader.episodes()] == expected


def test_task_successes_win_over_rewards(tmp_path: Path) -> None:
    demo = _demo(rewards=np.ones(5), task_successes=np.zeros(5))
    reader = open_dataset(
        _file(tmp_path / "a.hdf5", {"demo_0": demo}, env_args=_env_args(reward_shaping=False))
    )
    assert [each.success for each in reader.episodes()] == [False]


def test_the_reward_that_libero_writes_at_every_end_is_no_success(tmp_path: Path) -> None:
    demo = _demo(rewards=np.array([0, 0, 0, 0, 1.0]))
    problem = json.dumps({"problem_name": "libero_kitchen", "language_instruction": "open the drawer"})
    args = _env_args(reward_shaping=False, control_freq=20)
    reader = open_dataset(_file(tmp_path / "a.hdf5", {"demo_0": demo}, problem_info=problem, env_args=args))
    (episode,) = reader.episodes()
    assert (reader.format, reader.fps, episode.success, episode.task) == (
        "libero-hdf5",
        20.0,
        None,
        "open the drawer",
    )


def test_a_folder_of_files_is_one_dataset(tmp_path: Path) -> None:
    for name in ("task_10.hdf5", "task_9.hdf5"):
        _file(tmp_path / name, {"demo_0": _demo(), "demo_1": _demo(4)})
    reader = open_dataset(tmp_path)
    assert (reader.total_episodes, reader.total_frames) == (4, 18)
    assert [each.name for each in reader.episodes(1, 2)] == ["task_9.hdf5/demo_1", "task_10.hdf5/demo_0"]


def test_pictures_with_channels_first_are_turned(tmp_path: Path) -> None:
    pictures = np.random.default_rng(0).integers(0, 255, (20, 3, 8, 10), np.uint8)
    reader = open_dataset(
        _file(tmp_path / "a.hdf5", {"demo_0": {"actions": np.zeros((20, 1)), "obs/cam": pictures}})
    )
    assert (reader.cameras["cam"].height, reader.cameras["cam"].width) == (8, 10)
    (episode,) = reader.episodes()
    np.testing.assert_array_equal(np.stack(list(episode.pictures["cam"]())), np.moveaxis(pictures, 1, -1))


def test_the_simulators_state_stands_in_for_missing_observations(tmp_path: Path) -> None:
    demo = {"actions": np.zeros((4, 2)), "states": np.ones((4, 7)), "info/strange": np.ones((9, 2))}
    (episode,) = open_dataset(_file(tmp_path / "a.hdf5", {"demo_0": demo})).episodes()
    assert {key: rows.shape for key, rows in episode.state.items()} == {"states": (4, 7)}


def test_bounds_come_from_the_controllers(tmp_path: Path) -> None:
    def bounds(**kwargs: Any) -> Any:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.hdf5"
        return open_dataset(_file(path, {"demo_0": _demo()}, env_args=_env_args(**kwargs))).action_bounds

    declared = bounds(controller_configs={"type": "OSC_POSE", "input_min": -1, "input_max": 1})
    assert (declared.low, declared.high) == ((-1.0, -1.0), (1.0, 1.0))
    assert bounds(controller_configs={"input_min": -3, "input_max": 3}) is None  # the gripper's are others
    assert bounds() is None


@pytest.mark.parametrize("content", [b"", b"\x89HDF\r\n\x1a\n" + b"\0" * 200, b"no hdf5 at all"])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.hdf5"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        open_dataset(path)
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message


def test_a_truncated_file_is_one_sentence(tmp_path: Path) -> None:
    path = write_toy(tmp_path / "a.hdf5", toy_episodes(3))
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(UsageError, match="cannot be read"):
        list(open_dataset(path).episodes())


def test_rows_that_do_not_fit_the_actions_are_one_sentence(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.hdf5", {"demo_0": {"actions": np.zeros((5, 2)), "obs/pos": np.zeros((4, 3))}})
    with pytest.raises(UsageError, match="5 `actions` and 4 rows of `pos`"):
        list(open_dataset(path).episodes())


def test_another_layout_is_said(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.hdf5", "w") as file:
        file["qpos"] = np.zeros(3)
    with pytest.raises(UsageError, match="no group `data`"):
        open_dataset(tmp_path / "a.hdf5")
