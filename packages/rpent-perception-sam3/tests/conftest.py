"""A tiny checkpoint of the real classes, and a perception server over it, started as a run starts it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rpent.env.types import Observation
from rpent.testing.environments import python_for, run_code
from rpent_torch.testing import write_zeros

DISTRIBUTION = "rpent-perception-sam3"


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with `detector` and `tracker`, of random weights."""
    folder = tmp_path_factory.mktemp("sam3") / "tiny"
    code = "import sys, pathlib; from rpent_perception_sam3.server.tiny import make; make(pathlib.Path(sys.argv[1]))"
    run_code("transformers", code, folder, distribution=DISTRIBUTION)
    return folder


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Any]]:
    """Start perception servers in the environment; each returns its channel, and its process's supervisor."""
    from rpent.services.request import ServiceRequest
    from rpent.services.supervisor import Supervisor
    from rpent_perception_sam3.plugin import PERCEPTION

    started = []

    def start(**config: Any) -> Any:
        python = python_for("transformers")
        logs = tmp_path_factory.mktemp("logs")
        supervisor = Supervisor(logs_dir=logs, on_event=lambda _: None)
        started.append(supervisor)
        request = ServiceRequest(spec=PERCEPTION, config=config, python=python, distribution=DISTRIBUTION)
        supervisor.start([request])
        return supervisor.channels["perception"]

    yield start
    for supervisor in started:
        supervisor.stop()


@pytest.fixture(scope="session")
def server(serve: Callable[..., Any], checkpoint: Path) -> Any:
    """The channel to a server that finds everything."""
    return serve(checkpoint=str(checkpoint), score_threshold=0.0)


@pytest.fixture
def picture() -> np.ndarray:
    """A picture that is not square."""
    return np.random.default_rng(0).integers(0, 255, (120, 200, 3), dtype=np.uint8)


@pytest.fixture
def seen(picture: np.ndarray) -> Observation:
    """An observation with that picture."""
    return Observation(
        step=0,
        eef_position=np.zeros(3),
        eef_quaternion=np.array([0.0, 0.0, 0.0, 1.0]),
        gripper_opening_m=0.0,
        joint_positions=np.zeros(7),
        success=False,
        terminated=False,
        truncated=False,
        images={"front": picture},
    )


@pytest.fixture
def folder(tmp_path: Path, write_weights: Callable[[Path, list[str]], None]) -> Path:
    """A folder with the small files of a checkpoint and a header of weights, for what is judged without torch."""
    place = tmp_path / "checkpoint"
    for name, kind in (("detector", "sam3"), ("tracker", "sam3_tracker")):
        (place / name).mkdir(parents=True)
        (place / name / "config.json").write_text(json.dumps({"model_type": kind}))
        write_weights(place / name / "model.safetensors", ["vision_encoder.weight"])
    for name in ("processor_config.json", "tokenizer.json"):
        (place / "detector" / name).write_text("{}")
    return place


@pytest.fixture
def write_weights() -> Callable[[Path, list[str]], None]:
    """Write a safetensors file with one number for each key."""

    return lambda path, keys: write_zeros(path, dict.fromkeys(keys, (1,)))
