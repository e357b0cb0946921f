"""The delivered `policy_ppo.zip`: the real library loads it and acts as our policy does, and it is always the same."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent_robosmith.policy.files import read_policy
from rpent_robosmith.policy.network import NetworkPolicy
from rpent_robosmith.stages.delivery import run
from rpent_robosmith.work.api import WorkError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent_robosmith.work.bench import ProcessBench
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop

NAME = "policy_ppo.zip"
PREDICT = """
import json, sys
from stable_baselines3 import PPO
model = PPO.load(sys.argv[1], device="cpu")
seen = json.load(sys.stdin)
print(json.dumps([int(model.predict(one, deterministic=True)[0]) for one in seen]))
"""


class NoFilm:
    """A bench that films nothing."""

    def __init__(self, bench: ProcessBench) -> None:
        self._bench = bench

    def run(self, job: Any, heard: Any = None) -> dict[str, Any]:
        if job.label != "export":
            raise WorkError("There is nothing to see here.")
        return self._bench.run(job, heard)


@pytest.mark.models
def test_the_real_library_loads_it_and_acts_the_same(
    tmp_path: Path,
    make_state: Callable[..., RunState],
    make_workshop: Callable[..., Workshop],
    robosmith_bench: ProcessBench,
    robosmith_python: str,
) -> None:
    done = run(make_state(), make_workshop(bench=NoFilm(robosmith_bench)))

    assert NAME in done.files
    ours = NetworkPolicy(read_policy(tmp_path / "policy"))
    seen = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    predicted = subprocess.run(
        [robosmith_python, "-c", PREDICT, str(tmp_path / NAME)],
        input=json.dumps(seen.tolist()),
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [int(ours.act(one)) for one in seen]
    assert json.loads(predicted.stdout) == expected
    assert set(expected) == {0, 1}

    again = run(make_state(), make_workshop(bench=NoFilm(robosmith_bench)))
    assert again.files[NAME] == done.files[NAME]


def test_a_failure_is_visible_and_stops_nothing(
    tmp_path: Path, make_state: Callable[..., RunState], make_workshop: Callable[..., Workshop]
) -> None:
    class Broken:
        def run(self, *_: Any) -> dict[str, Any]:
            raise WorkError("The job `export` ended with code 1.")

    done = run(make_state(), make_workshop(bench=Broken()))

    assert done.status == "succeeded"
    assert NAME not in done.files
    assert (
        f"There is no `{NAME}`: The job `export` ended with code 1." in (tmp_path / "report.md").read_text()
    )
