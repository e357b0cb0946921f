"""`meta/info.json` and `meta/tasks.parquet` of LeRobot v3.0."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rpent_robosmith.datasets.lerobot_layout import CHUNK_SIZE, OWN_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent_robosmith.datasets.api import CameraColumn, VectorColumn
    from rpent_robosmith.datasets.writing.api import Header

_COUNTERS = ("frame_index", "episode_index", "index", "task_index")


def write_json(path: Path, values: Any) -> None:
    """Write a JSON file as LeRobot does."""
    path.write_text(json.dumps(values, indent=4, ensure_ascii=False), encoding="utf-8")


def info_of(
    header: Header, episodes: int, frames: int, tasks: int, codecs: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return `meta/info.json`; what LeRobot has no field for is under a key of our own."""
    return {
        "codebase_version": "v3.0",
        "robot_type": header.robot,
        "total_episodes": episodes,
        "total_frames": frames,
        "total_tasks": tasks,
        "chunks_size": CHUNK_SIZE,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": int(header.fps) if float(header.fps).is_integer() else header.fps,
        "splits": {"train": f"0:{episodes}"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
        if header.cameras
        else None,
        "features": _features(header, codecs),
        OWN_KEY: {
            "environment": header.environment,
            "environment_settings": dict(header.environment_settings),
            "action_low": list(header.low),
            "action_high": list(header.high),
        },
    }


def _features(header: Header, codecs: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    features = {key: _vector(column) for key, column in header.state.items()}
    features["action"] = _vector(header.action)
    features |= {
        key: _camera(camera, header.fps, codecs.get(key, {})) for key, camera in header.cameras.items()
    }
    if header.has_rewards:
        features["next.reward"] = _scalar("float32")
    features["next.done"] = _scalar("bool")
    if header.has_success:
        features["next.success"] = _scalar("bool")
    features["timestamp"] = _scalar("float32")
    return features | {name: _scalar("int64") for name in _COUNTERS}


def _vector(column: VectorColumn) -> dict[str, Any]:
    width = 1
    for length in column.shape:
        width *= length
    return {
        "dtype": "float32",
        "shape": [width],
        "names": list(column.names) if len(column.names) == width else None,
    }


def _camera(camera: CameraColumn, fps: float, codec: dict[str, Any]) -> dict[str, Any]:
    info = {
        "video.height": camera.height,
        "video.width": camera.width,
        "video.channels": 3,
        "video.fps": fps,
        "video.is_depth_map": False,
        "has_audio": False,
    }
    return {
        "dtype": "video",
        "shape": [camera.height, camera.width, 3],
        "names": ["height", "width", "channels"],
        "info": info | codec,
    }


def _scalar(dtype: str) -> dict[str, Any]:
    return {"dtype": dtype, "shape": [1], "names": None}


def task_table(arrow: Any, tasks: Mapping[str, int]) -> Any:
    """Return the instructions as pandas would write a frame that is indexed by them, which is how LeRobot reads it.

    Schema metadata: https://pandas.pydata.org/docs/development/developer.html#storing-pandas-dataframe-objects-in-apache-parquet-format
    """
    table = arrow.table({"task_index": list(tasks.values()), "__index_level_0__": list(tasks)})
    column = {"metadata": None, "name": "task_index", "field_name": "task_index"}
    index = {"metadata": None, "name": None, "field_name": "__index_level_0__"}
    pandas = {
        "index_columns": ["__index_level_0__"],
        "column_indexes": [
            {
                "name": None,
                "field_name": None,
                "pandas_type": "unicode",
                "numpy_type": "object",
                "metadata": {"encoding": "UTF-8"},
            }
        ],
        "columns": [
            column | {"pandas_type": "int64", "numpy_type": "int64"},
            index | {"pandas_type": "unicode", "numpy_type": "object"},
        ],
        "creator": {"library": "pyarrow", "version": arrow.__version__},
        "pandas_version": "2.2.0",
    }
    return table.replace_schema_metadata({b"pandas": json.dumps(pandas).encode()})
