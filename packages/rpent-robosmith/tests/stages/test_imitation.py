"""The training stage with demonstrations: they are found where the user is, wherever the worker is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.stages import training
from rpent_robosmith.task import Budget, TaskSpec
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.workflow.workshop import Workshop

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.work.bench import ProcessBench

FACTS = EnvFacts(
    entry="pendulum",
    env_id="Pendulum-v1",
    adapter="gymnasium",
    observation=SpaceFacts(
        kind="box", shape=(3,), dtype="float32", low=(-1.0, -1.0, -8.0), high=(1.0, 1.0, 8.0)
    ),
    action=SpaceFacts(kind="box", shape=(1,), dtype="float32", low=(-2.0,), high=(2.0,)),
    max_episode_steps=200,
    control_rate_hz=20.0,
)


class Silent:
    """A listener that keeps nothing."""

    def say(self, line: str) -> None:
        del line

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        del label, done, total, note


def write(path: Path) -> None:
    """Write demonstrations in robomimic's layout."""
    h5py = pytest.importorskip("h5py")
    random = np.random.default_rng(0)
    with h5py.File(path, "w") as file:
        for index in range(4):
            group = file.create_group(f"data/demo_{index}")
            seen = random.uniform(-1, 1, (60, 3))
            group.create_dataset("obs/state", data=seen)
            group.create_dataset("actions", data=np.tanh(seen[:, :1]))
            group.attrs["num_samples"] = len(seen)


@pytest.mark.models
def test_a_relative_path_of_a_dataset_is_that_of_the_user(
    robosmith_bench: ProcessBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "demos.hdf5")
    monkeypatch.chdir(tmp_path)
    nobody: Any = None
    agents = {"intake": nobody, "rewards": nobody, "decisions": nobody}
    task = TaskSpec(sentence="swing up", algorithm="bc", dataset="demos.hdf5", budget=Budget(total_steps=100))
    state = RunState(run_id="swing-001", task=task, entry=find("pendulum"), facts=FACTS)

    ended = training.run(
        state,
        Workshop(
            folder=tmp_path / "run",
            bench=robosmith_bench,
            listener=Silent(),
            deadline=lambda: None,
            **agents,
        ),
    )

    assert ended.trainings[-1].status == "finished"
    assert ended.trainings[-1].steps == 100
    assert ended.trainings[-1].policy is not None
