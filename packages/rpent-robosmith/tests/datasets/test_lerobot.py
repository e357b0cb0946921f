"""LeRobot v2.0, v2.1 and v3.0."""

from __future__ import annotations

import io
import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image
from rpent.errors import UsageError
from rpent_robosmith.datasets.open import open_dataset
from rpent_robosmith.testing.datasets import toy_episodes, write_toy

if TYPE_CHECKING:
    from pathlib import Path

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FEATURES: dict[str, Any] = {
    "observation.state": {"dtype": "float32", "shape": [2], "names": {"motors": ["pan", "lift"]}},
    "action": {"dtype": "float32", "shape": [2], "names": ["dx", "dy"]},
    "timestamp": {"dtype": "float32", "shape": [1]},
    "task_index": {"dtype": "int64", "shape": [1]},
    "episode_index": {"dtype": "int64", "shape": [1]},
}
LENGTHS = (4, 6, 3)


def _rows(index: int, length: int, **columns: Any) -> pa.Table:
    state = [[float(index), float(t)] for t in range(length)]
    table = {
        "observation.state": state,
        "action": [[float(t), -float(t)] for t in range(length)],
        "timestamp": np.arange(length, dtype=np.float32) / 10,
        "task_index": [index % 2] * length,
        "episode_index": [index] * length,
    }
    return pa.table(table | columns)


def _v2(root: Path, version: str = "v2.1", features: dict[str, Any] = FEATURES, chunk: int = 1000) -> Path:
    meta = root / "meta"
    meta.mkdir(parents=True)
    info = {
        "codebase_version": version,
        "fps": 10,
        "robot_type": "so100",
        "features": features,
        "chunks_size": chunk,
        "total_episodes": len(LENGTHS),
        "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    }
    (meta / "info.json").write_text(json.dumps(info))
    tasks = [{"task_index": 0, "task": "left"}, {"task_index": 1, "task": "right"}]
    (meta / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    episodes = [{"episode_index": i, "tasks": ["?"], "length": n} for i, n in enumerate(LENGTHS)]
    (meta / "episodes.jsonl").write_text("\n".join(map(json.dumps, reversed(episodes))) + "\n")
    for index, length in enumerate(LENGTHS):
        path = root / f"data/chunk-{index // chunk:03d}/episode_{index:06d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(_rows(index, length), path)
    return root


@pytest.mark.parametrize(("version", "chunk"), [("v2.0", 1000), ("v2.1", 2)])
def test_v2_is_read(tmp_path: Path, version: str, chunk: int) -> None:
    reader = open_dataset(_v2(tmp_path / "d", version, chunk=chunk))
    assert (reader.format, reader.fps, reader.robot) == (f"lerobot-{version}", 10.0, "so100")
    assert (reader.total_episodes, reader.total_frames) == (3, 13)
    assert reader.state["observation.state"].names == ("pan", "lift")
    assert reader.success_source is None
    episodes = list(reader.episodes())
    assert [len(each.actions) for each in episodes] == list(LENGTHS)
    assert [each.task for each in episodes] == ["left", "right", "left"]
    np.testing.assert_array_equal(episodes[1].actions[:, 1], -np.arange(6.0))
    np.testing.assert_array_equal(episodes[2].state["observation.state"][:, 0], [2, 2, 2])
    np.testing.assert_allclose(episodes[0].timestamps, [0, 0.1, 0.2, 0.3], rtol=1e-6)
    assert [each.success for each in episodes] == [None] * 3


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = write_toy(tmp_path / "d", toy_episodes(11, pictures=True))
    reader = open_dataset(path)
    assert (reader.format, reader.success_source, reader.tasks) == (
        "lerobot-v3.0",
        "next.success",
        ("push it", "pull it"),
    )
    assert reader.action_bounds is not None
    assert reader.action_bounds.high == (1.0, 1.0, 1.0)
    for before, after in zip(toy_episodes(11), reader.episodes(), strict=True):
        np.testing.assert_array_equal(before.actions, after.actions)
        np.testing.assert_array_equal(before.state["state"], after.state["observation.state"])
        assert (before.success, before.task) == (after.success, after.task)
        np.testing.assert_allclose(before.rewards, after.rewards, rtol=1e-6)


def test_each_episode_gets_its_own_frames_of_a_shared_video(tmp_path: Path) -> None:
    reader = open_dataset(write_toy(tmp_path / "d", toy_episodes(8, pictures=True)))
    for episode in reader.episodes(5, 2):
        frames = list(episode.pictures["observation.images.front"]())
        assert len(frames) == len(episode.actions)
        seen = np.array([frame.mean() for frame in frames])
        np.testing.assert_allclose(seen, 15 * episode.index + np.arange(len(frames)), atol=2.5)


def test_several_files_and_row_groups_are_one_dataset(tmp_path: Path) -> None:
    path = write_toy(tmp_path / "d", toy_episodes(9))
    whole = pq.read_table(path / "data/chunk-000/file-000.parquet")
    episodes = pq.read_table(path / "meta/episodes/chunk-000/file-000.parquet").to_pydict()
    number = np.asarray(whole["episode_index"])
    (path / "data/chunk-001").mkdir()
    pq.write_table(
        whole.filter(pa.array(number < 4)), path / "data/chunk-000/file-000.parquet", row_group_size=7
    )
    pq.write_table(
        whole.filter(pa.array(number >= 4)), path / "data/chunk-001/file-000.parquet", row_group_size=7
    )
    episodes["data/chunk_index"] = [int(i >= 4) for i in range(9)]
    shutil.rmtree(path / "meta/episodes")
    (path / "meta/episodes/chunk-000").mkdir(parents=True)
    for name, rows in (("file-000", slice(0, 5)), ("file-001", slice(5, 9))):
        part = {key: values[rows] for key, values in episodes.items()}
        pq.write_table(pa.table(part), path / f"meta/episodes/chunk-000/{name}.parquet")
    reader = open_dataset(path)
    assert [each.index for each in reader.episodes()] == list(range(9))
    for before, after in zip(list(toy_episodes(9))[3:6], reader.episodes(3, 3), strict=True):
        np.testing.assert_array_equal(before.actions, after.actions)


def test_numbered_columns_are_one_vector_in_numeric_order(tmp_path: Path) -> None:
    numbered = {f"action.{i}": {"dtype": "float32", "shape": [1]} for i in (10, 2, 0, 1, 9, 3, 4, 5, 6, 7, 8)}
    features = {key: value for key, value in FEATURES.items() if key != "action"} | numbered
    root = _v2(tmp_path / "d", features=features)
    for index, length in enumerate(LENGTHS):
        columns = {f"action.{i}": np.full(length, float(i), np.float32) for i in range(11)}
        pq.write_table(_rows(index, length, **columns), root / f"data/chunk-000/episode_{index:06d}.parquet")
    episode = next(open_dataset(root).episodes())
    np.testing.assert_array_equal(episode.actions[0], np.arange(11.0))


def test_compressed_pictures_in_tables_are_decoded(tmp_path: Path) -> None:
    camera = {"dtype": "image", "shape": [3, 4, 6], "names": ["channels", "height", "width"]}
    root = _v2(tmp_path / "d", features=FEATURES | {"observation.images.top": camera})
    for index, length in enumerate(LENGTHS):
        cells = [{"bytes": _png(10 * index + t), "path": None} for t in range(length)]
        table = _rows(index, length, **{"observation.images.top": cells})
        pq.write_table(table, root / f"data/chunk-000/episode_{index:06d}.parquet")
    reader = open_dataset(root)
    column = reader.cameras["observation.images.top"]
    assert (column.height, column.width, column.channels_first) == (4, 6, True)
    frames = list(list(reader.episodes())[1].pictures["observation.images.top"]())
    assert [int(frame[0, 0, 0]) for frame in frames] == [10, 11, 12, 13, 14, 15]
    assert frames[0].shape == (4, 6, 3)


def _png(value: int) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.full((4, 6, 3), value, np.uint8)).save(buffer, format="png")
    return buffer.getvalue()


def test_success_is_read_of_its_own_field(tmp_path: Path) -> None:
    features = FEATURES | {key: {"dtype": "bool", "shape": [1]} for key in ("next.success", "next.done")}
    root = _v2(tmp_path / "d", features=features)
    for index, length in enumerate(LENGTHS):
        last = np.arange(length) == length - 1
        table = _rows(index, length, **{"next.done": last, "next.success": last & (index == 1)})
        pq.write_table(table, root / f"data/chunk-000/episode_{index:06d}.parquet")
    assert [each.success for each in open_dataset(root).episodes()] == [False, True, False]


def _break_json(root: Path) -> None:
    (root / "meta/info.json").write_text('{"codebase_version": "v3.0", ')


def _other_version(root: Path) -> None:
    _edit(root, codebase_version="v1.6")


def _no_action(root: Path) -> None:
    info = json.loads((root / "meta/info.json").read_text())
    del info["features"]["action"]
    (root / "meta/info.json").write_text(json.dumps(info))


def _edit(root: Path, **values: Any) -> None:
    info = json.loads((root / "meta/info.json").read_text())
    (root / "meta/info.json").write_text(json.dumps(info | values))


def _misshapen(root: Path) -> None:
    info = json.loads((root / "meta/info.json").read_text())
    info["features"]["action"]["shape"] = ["three"]
    (root / "meta/info.json").write_text(json.dumps(info))


def _truncate(root: Path) -> None:
    file = root / "data/chunk-000/file-000.parquet"
    file.write_bytes(file.read_bytes()[:500])


def _lead_out(root: Path) -> None:
    _edit(root, data_path="../{chunk_index:03d}/{file_index}.parquet")


def _lose_rows(root: Path) -> None:
    file = root / "data/chunk-000/file-000.parquet"
    pq.write_table(pq.read_table(file).slice(0, 50), file)


def _lose_a_column(root: Path) -> None:
    file = root / "data/chunk-000/file-000.parquet"
    pq.write_table(pq.read_table(file).drop_columns(["action"]), file)


def _ragged(root: Path) -> None:
    file = root / "data/chunk-000/file-000.parquet"
    table = pq.read_table(file)
    ragged = [[0.0] * (3 if i else 2) for i in range(table.num_rows)]
    pq.write_table(table.set_column(table.column_names.index("action"), "action", pa.array(ragged)), file)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (_break_json, "info.json"),
        (_other_version, "v1.6"),
        (_no_action, "no feature `action`"),
        (_misshapen, "a feature is misshapen"),
        (_truncate, "file-000.parquet"),
        (lambda root: (root / "data/chunk-000/file-000.parquet").unlink(), "is missing"),
        (lambda root: shutil.rmtree(root / "meta/episodes"), "no list of episodes"),
        (_lead_out, "leads out of the dataset"),
        (_lose_rows, "rows, and `meta/` says"),
        (_lose_a_column, "lacks the column `action`"),
        (_ragged, "not equally long"),
    ],
)
def test_damage_is_one_sentence(tmp_path: Path, harm: Any, said: str) -> None:
    root = write_toy(tmp_path / "d", toy_episodes(3))
    harm(root)
    with pytest.raises(UsageError, match=said) as caught:
        list(open_dataset(root).episodes())
    assert "\n" not in caught.value.message


def test_a_damaged_video_is_one_sentence(tmp_path: Path) -> None:
    root = write_toy(tmp_path / "d", toy_episodes(2, pictures=True))
    video = root / "videos/observation.images.front/chunk-000/file-000.mp4"
    video.write_bytes(b"no video at all")
    episode = next(open_dataset(root).episodes())
    with pytest.raises(UsageError, match="cannot be read") as caught:
        list(episode.pictures["observation.images.front"]())
    assert "\n" not in caught.value.message
