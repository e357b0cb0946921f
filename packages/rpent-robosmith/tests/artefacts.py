"""Small real artefacts, made on the spot: RoboSmith policies, ONNX models, robomimic HDF5, LeRobot v2.1 datasets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.policy.files import write_policy
from rpent_robosmith.policy.format import PolicyDescription, PolicyParameters
from rpent_robosmith.policy.shapes import input_size, output_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from rpent_robosmith.catalog.entry import EnvEntry

h5py = pytest.importorskip("h5py")
onnx = pytest.importorskip("onnx")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
TensorProto, helper, numpy_helper = onnx.TensorProto, onnx.helper, onnx.numpy_helper

SO100 = ("shoulder", "elbow", "wrist_flex", "wrist_roll", "jaw", "gripper")


def box(low: Sequence[float], high: Sequence[float], dtype: str = "float32") -> SpaceFacts:
    """Return a Box of one axis."""
    return SpaceFacts(kind="box", shape=(len(low),), dtype=dtype, low=tuple(low), high=tuple(high))


PENDULUM_OBSERVATION = box((-1.0, -1.0, -8.0), (1.0, 1.0, 8.0))
PENDULUM_ACTION = box((-2.0,), (2.0,))


def smith_policy(
    folder: Path,
    observation: SpaceFacts = PENDULUM_OBSERVATION,
    action: SpaceFacts = PENDULUM_ACTION,
    *,
    entry: EnvEntry | None = None,
    rate: float | None = None,
    chunk_length: int = 1,
) -> Path:
    """Write a policy with random weights, in RoboSmith's own format."""
    random = np.random.default_rng(0)
    takes, gives = input_size(observation), output_size(action) * chunk_length
    description = PolicyDescription(
        algorithm="ppo",
        trainer="sb3",
        observation=observation,
        action=action,
        activation="tanh",
        layers=2,
        output="argmax" if action.kind == "discrete" else "clip",
        chunk_length=chunk_length,
        entry=entry,
        control_rate_hz=rate,
    )
    weights: dict[str, NDArray[np.generic]] = {
        "layers.0.weight": random.normal(size=(8, takes)).astype(np.float32),
        "layers.0.bias": np.zeros(8, np.float32),
        "layers.1.weight": random.normal(size=(gives, 8)).astype(np.float32),
        "layers.1.bias": np.zeros(gives, np.float32),
    }
    write_policy(folder, PolicyParameters(description=description, weights=weights))
    return folder


def onnx_policy(
    path: Path,
    *,
    state: int = 6,
    action: int = 6,
    chunk: int | None = None,
    camera: tuple[int, int] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Path:
    """Write a linear policy: `action = state @ weights`, repeated in a chunk; a picture adds its mean."""
    weights = np.eye(state, action, dtype=np.float32) * 0.5
    inputs = [helper.make_tensor_value_info("observation.state", TensorProto.FLOAT, ["batch", state])]
    nodes = [helper.make_node("MatMul", ["observation.state", "weights"], ["flat"])]
    constants = [numpy_helper.from_array(weights, "weights")]
    if camera is not None:
        inputs.append(
            helper.make_tensor_value_info("observation.images.top", TensorProto.FLOAT, ["batch", 3, *camera])
        )
        nodes.append(
            helper.make_node("ReduceMean", ["observation.images.top", "axes"], ["bright"], keepdims=0)
        )
        nodes.append(helper.make_node("Unsqueeze", ["bright", "last"], ["column"]))
        nodes.append(helper.make_node("Add", ["flat", "column"], ["seen"]))
        constants += [
            numpy_helper.from_array(np.array([1, 2, 3], np.int64), "axes"),
            numpy_helper.from_array(np.array([1], np.int64), "last"),
        ]
    last = "seen" if camera is not None else "flat"
    shape: list[Any] = ["batch", action]
    if chunk is None:
        nodes.append(helper.make_node("Identity", [last], ["action"]))
    else:
        shape = ["batch", chunk, action]
        nodes.append(helper.make_node("Unsqueeze", [last, "one"], ["row"]))
        nodes.append(helper.make_node("Tile", ["row", "repeats"], ["action"]))
        constants += [
            numpy_helper.from_array(np.array([1], np.int64), "one"),
            numpy_helper.from_array(np.array([1, chunk, 1], np.int64), "repeats"),
        ]
    graph = helper.make_graph(
        nodes,
        "policy",
        inputs,
        [helper.make_tensor_value_info("action", TensorProto.FLOAT, shape)],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    helper.set_model_props(model, {name: json.dumps(value) for name, value in (metadata or {}).items()})
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path


def hdf5_dataset(
    path: Path,
    arrays: Mapping[str, NDArray[np.generic]],
    actions: NDArray[np.generic],
    *,
    rate: float | None = 20.0,
    robot: str = "Panda",
    instruction: str | None = "pick up the cube",
    demos: int = 2,
) -> Path:
    """Write robomimic's layout: the same arrays (T, ...) in each demonstration."""
    settings: dict[str, Any] = {"robots": [robot]}
    if rate is not None:
        settings["control_freq"] = rate
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        data.attrs["env_args"] = json.dumps({"env_name": "Lift", "type": 1, "env_kwargs": settings})
        for index in range(demos):
            demo = data.create_group(f"demo_{index}")
            demo.attrs["num_samples"] = len(actions)
            if instruction:
                demo.attrs["ep_meta"] = json.dumps({"lang": instruction})
            demo["actions"] = actions
            demo["dones"] = np.r_[np.zeros(len(actions) - 1), 1]
            for name, values in arrays.items():
                demo[f"obs/{name}"] = values
    return path


def lerobot_v21(
    folder: Path,
    *,
    fps: int = 20,
    robot: str = "so100",
    names: Sequence[str] = SO100,
    scale: float = 1.0,
    shift: float = 0.0,
    episodes: int = 2,
    broken: bool = False,
    tasks: Sequence[str] = ("pick up the cube",),
) -> Path:
    """Write a dataset as LeRobot v2.1 lays it out: JSON lines, one parquet file an episode, statistics of each.

    Layout: the `codebase_version` v2.1 of https://github.com/huggingface/lerobot.
    """
    size = len(names)
    vector = {"dtype": "float32", "shape": [size], "names": list(names)}
    whole = {"dtype": "int64", "shape": [1], "names": None}
    info = {
        "codebase_version": "v2.1",
        "robot_type": robot,
        "total_episodes": episodes,
        "total_frames": 12 * episodes,
        "total_tasks": len(tasks),
        "total_videos": 0,
        "total_chunks": 1,
        "chunks_size": 1000,
        "fps": fps,
        "splits": {"train": f"0:{episodes}"},
        "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": None,
        "features": {
            "observation.state": vector,
            "action": vector,
            "timestamp": {"dtype": "float32", "shape": [1], "names": None},
            **dict.fromkeys(("frame_index", "episode_index", "index", "task_index"), whole),
        },
    }
    (folder / "meta").mkdir(parents=True)
    (folder / "data" / "chunk-000").mkdir(parents=True)
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    _lines(folder / "meta" / "tasks.jsonl", [{"task_index": i, "task": task} for i, task in enumerate(tasks)])
    lengths = [{"episode_index": i, "tasks": [tasks[0]], "length": 12} for i in range(episodes)]
    _lines(folder / "meta" / "episodes.jsonl", lengths)
    random = np.random.default_rng(7)
    statistics = []
    for index in range(episodes):
        state = (random.normal(size=(12, size)) * scale + shift).astype(np.float32)
        if broken:
            state[3, 0] = np.nan
        action = (np.nan_to_num(state) * 0.5).astype(np.float32)
        _episode(folder, index, state, action, fps)
        statistics.append({"episode_index": index, "stats": _statistics(state, action)})
    _lines(folder / "meta" / "episodes_stats.jsonl", statistics)
    return folder


def _episode(folder: Path, index: int, state: NDArray[Any], action: NDArray[Any], fps: int) -> None:
    length = len(state)
    table = pa.table(
        {
            "observation.state": pa.array(state.tolist(), pa.list_(pa.float32(), state.shape[1])),
            "action": pa.array(action.tolist(), pa.list_(pa.float32(), action.shape[1])),
            "timestamp": pa.array((np.arange(length) / fps).astype(np.float32)),
            "frame_index": np.arange(length),
            "episode_index": np.full(length, index),
            "index": np.arange(length) + index * length,
            "task_index": np.zeros(length, np.int64),
        }
    )
    pq.write_table(table, folder / "data" / "chunk-000" / f"episode_{index:06d}.parquet")


def _statistics(state: NDArray[Any], action: NDArray[Any]) -> dict[str, Any]:
    found = {}
    for name, values in (("observation.state", state), ("action", action)):
        finite = values[np.isfinite(values).all(axis=1)]
        kinds = {"min": finite.min(0), "max": finite.max(0), "mean": finite.mean(0), "std": finite.std(0)}
        found[name] = {**{kind: each.tolist() for kind, each in kinds.items()}, "count": [len(values)]}
    return found


def _lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
