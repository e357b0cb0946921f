"""Checkpoints are whole, typed, and never lost by a kill or a damaged file."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.reports import CurvePoint, RewardCandidate, TrainingReport
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.checkpoint import CheckpointError
from rpent_robosmith.workflow.state import NodeRecord, RunState

if TYPE_CHECKING:
    from pathlib import Path


def full_state(iteration: int = 1) -> RunState:
    box = SpaceFacts(kind="box", shape=(2,), dtype="float32", low=(-math.inf, 0.0), high=(math.inf, 1.0))
    return RunState(
        run_id="a-001",
        task=TaskSpec(sentence="größer ⬆ \u2028 </script>"),
        iteration=iteration,
        next_node="evaluation",
        history=(NodeRecord(node="training", iteration=iteration, status="done"),),
        facts=EnvFacts(entry="a", env_id="A-v0", adapter="gymnasium", observation=box, action=box),
        trainings=(
            TrainingReport(
                iteration=1,
                algorithm="ppo",
                trainer="sb3",
                seed=1,
                reward=None,
                status="finished",
                curve=(CurvePoint(steps=5, reward=math.nan, extra={"x": -math.inf}),),
            ),
        ),
    )


def test_everything_comes_back_typed(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, full_state())

    loaded = checkpoint.load(tmp_path)

    assert loaded.warning == ""
    assert loaded.state.facts == full_state().facts
    point = loaded.state.trainings[0].curve[0]
    assert math.isnan(point.reward or 0.0)
    assert point.extra == {"x": -math.inf}
    assert loaded.state.model_dump_json() == full_state().model_dump_json()


def test_the_file_is_json_without_non_standard_numbers(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, full_state())

    def refuse(name: str) -> Any:
        raise AssertionError(name)

    document = json.loads((tmp_path / "checkpoint.json").read_text(), parse_constant=refuse)

    assert document["version"] == 1
    assert document["state"]["version"] == 1


def test_the_one_before_is_kept(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, full_state(1))
    first = (tmp_path / "checkpoint.json").read_bytes()
    checkpoint.save(tmp_path, full_state(2))

    assert (tmp_path / "checkpoint.previous.json").read_bytes() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint.json", "checkpoint.previous.json"]


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def _flipped(path: Path) -> None:
    path.write_text(path.read_text().replace('"iteration": 2', '"iteration": 9'))


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _removed(path: Path) -> None:
    path.unlink()


def _a_list(path: Path) -> None:
    path.write_text("[1]")


def _deep(path: Path) -> None:
    path.write_text("[" * 200_000)


def _no_state(path: Path) -> None:
    document = json.loads(path.read_text())
    del document["state"]["run_id"]
    document["sha256"] = checkpoint._digest(document["state"])
    path.write_text(json.dumps(document))


@pytest.mark.parametrize("damage", [_cut, _flipped, _emptied, _removed, _a_list, _deep, _no_state])
def test_a_damaged_one_falls_back_and_says_so(tmp_path: Path, damage: Any) -> None:
    checkpoint.save(tmp_path, full_state(1))
    checkpoint.save(tmp_path, full_state(2))
    damage(tmp_path / "checkpoint.json")

    loaded = checkpoint.recover(tmp_path)

    assert loaded.state.iteration == 1
    assert "`training` of iteration `1`" in loaded.warning
    assert loaded.warning.count(".  ") == 0
    checkpoint.save(tmp_path, full_state(3))  # what was damaged never replaces the good one
    assert checkpoint.load(tmp_path).state.iteration == 3
    if (tmp_path / "checkpoint.previous.json").exists():
        (tmp_path / "checkpoint.json").unlink()
        assert checkpoint.load(tmp_path).state.iteration == 1


def test_both_damaged_is_one_sentence_each_and_a_hint(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, full_state(1))
    checkpoint.save(tmp_path, full_state(2))
    _cut(tmp_path / "checkpoint.json")
    _emptied(tmp_path / "checkpoint.previous.json")

    with pytest.raises(CheckpointError) as caught:
        checkpoint.load(tmp_path)

    assert "The one before it cannot be used either" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(("where", "word"), [("document", "document"), ("state", "state")])
def test_an_unknown_version_is_refused_and_no_reason_to_fall_back(
    tmp_path: Path, where: str, word: str
) -> None:
    checkpoint.save(tmp_path, full_state(1))
    checkpoint.save(tmp_path, full_state(2))
    document = json.loads((tmp_path / "checkpoint.json").read_text())
    (document if where == "document" else document["state"])["version"] = 7
    (tmp_path / "checkpoint.json").write_text(json.dumps(document))

    with pytest.raises(CheckpointError, match=f"{word} version `7`"):
        checkpoint.load(tmp_path)


@pytest.mark.parametrize("policy", ["/etc", "../../etc", "training/../../etc", "training//x", ""])
def test_a_policy_outside_the_run_directory_is_none_of_its_state(policy: str) -> None:
    report = {"iteration": 1, "algorithm": "ppo", "trainer": "sb3", "seed": 0, "reward": None, "steps": 1}
    report["status"] = "finished"
    assert TrainingReport.model_validate(report | {"policy": "training/i1-ppo/policy"})
    with pytest.raises(ValidationError, match="policy"):
        TrainingReport.model_validate(report | {"policy": policy})


@pytest.mark.parametrize("name", ["../../x", "a/b", "/etc/x", "i1-c1\n"])
def test_a_candidate_is_not_named_after_a_path(name: str) -> None:
    with pytest.raises(ValidationError, match="id"):
        RewardCandidate(id=name, code="", origin="a")


def test_without_any_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="does not exist"):
        checkpoint.load(tmp_path)


_WRITER = """
import sys, pathlib, itertools
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.task import TaskSpec
folder = pathlib.Path(sys.argv[1])
for number in itertools.count(1):
    checkpoint.save(folder, RunState(run_id="a", task=TaskSpec(sentence="x" * 20000), iteration=number))
    print(number, flush=True)
"""


def test_a_kill_while_writing_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    for after in (1, 3, 7, 12):
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        written = 0
        while written < after:
            written = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
        rest = process.communicate()[0].split()
        written = int(rest[-1]) if rest else written

        loaded = checkpoint.load(tmp_path)

        assert loaded.warning == ""
        assert loaded.state.iteration in {written, written + 1}
