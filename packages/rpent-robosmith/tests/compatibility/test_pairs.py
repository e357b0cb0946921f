"""A policy and its own data are compatible; pairs that do not fit are caught, with the right severity and fields.

Every wrapper is generated and executed with the real policy in a sealed worker: it acts, or says itself what is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.catalog.load import find as find_entry
from rpent_robosmith.compatibility.compare import STRUCTURAL, compare
from rpent_robosmith.compatibility.pair import Wishes
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.inspect.find import find
from rpent_robosmith.integrate.graph import Request, integrate

from ..artefacts import box, hdf5_dataset, lerobot_v21, onnx_policy, smith_policy  # noqa: TID252  (makers for three folders)
from ..lerobot_checkpoint import write_checkpoint  # noqa: TID252

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent_robosmith.compatibility.report import Compatibility, Issue
    from rpent_robosmith.integrate.graph import State
    from rpent_robosmith.work.bench import ProcessBench

DISCRETE = SpaceFacts(kind="discrete", dtype="int64", n=2)
SIX = box((-3.0,) * 6, (3.0,) * 6)


def pictures(rows: int, columns: int, steps: int = 12) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(1).integers(0, 256, (steps, rows, columns, 3), dtype=np.uint8)


def vectors(size: int, scale: float = 1.0, steps: int = 12) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.random.default_rng(2).normal(size=(steps, size)) * scale


def panda() -> EnvEntry:
    return find_entry("pendulum").model_copy(update={"robot_model": "panda", "env_id": "Elsewhere-v1"})


def degrees() -> dict[str, Any]:
    return {"observation.state": {"mode": "mean_std", "mean": [600.0] * 6, "std": [57.0] * 6}}


def elsewhere() -> dict[str, Any]:
    return {"observation.state": {"mode": "mean_std", "mean": [3.0] * 6, "std": [1.0] * 6}}


# check → (severity, policy's key, expected, found, how the two are made)
PAIRS: dict[str, tuple[str, str, Any, Any, Callable[[Path], tuple[Path | str, Path | str]]]] = {
    "action_size": (
        "critical",
        "action",
        4,
        6,
        lambda at: (onnx_policy(at / "p.onnx", action=4), lerobot_v21(at / "data")),
    ),
    "observation_size": (
        "critical",
        "observation.state",
        5,
        6,
        lambda at: (onnx_policy(at / "p.onnx", state=5), lerobot_v21(at / "data")),
    ),
    "missing_camera": (
        "critical",
        "observation.images.top",
        {"kind": "image", "shape": [32, 32, 3]},
        [],
        lambda at: (onnx_policy(at / "p.onnx", camera=(32, 32)), lerobot_v21(at / "data")),
    ),
    "action_kind": (
        "critical",
        "action",
        "discrete",
        "continuous",
        lambda at: (smith_policy(at / "p", action=DISCRETE), "Pendulum-v1"),
    ),
    "action_count": (
        "critical",
        "action",
        4,
        2,
        lambda at: (
            smith_policy(
                at / "p", box((-5.0,) * 4, (5.0,) * 4), SpaceFacts(kind="discrete", dtype="int64", n=4)
            ),
            "cartpole",
        ),
    ),
    "control_rate": (
        "critical",
        "",
        50.0,
        20.0,
        lambda at: (smith_policy(at / "p", rate=50.0), "Pendulum-v1"),
    ),
    "action_scale": (
        "critical",
        "action",
        {"low": [-100.0], "high": [100.0], "index": [0]},
        {"low": [-2.0], "high": [2.0], "index": [0]},
        lambda at: (smith_policy(at / "p", action=box((-100.0,), (100.0,))), "Pendulum-v1"),
    ),
    "observation_scale": (
        "critical",
        "observation",
        None,
        None,
        lambda at: (
            smith_policy(at / "p", SIX, SIX),
            hdf5_dataset(at / "d.hdf5", {"state": vectors(6, 100.0)}, vectors(6)),
        ),
    ),
    "statistics_scale": (
        "critical",
        "observation.state",
        None,
        None,
        lambda at: (
            onnx_policy(at / "p.onnx", metadata={"normalization": degrees()}),
            lerobot_v21(at / "data"),
        ),
    ),
    "statistics_shift": (
        "warning",
        "observation.state",
        None,
        None,
        lambda at: (
            onnx_policy(at / "p.onnx", metadata={"normalization": elsewhere()}),
            lerobot_v21(at / "data"),
        ),
    ),
    "embodiment": (
        "critical",
        "",
        "panda",
        "so100",
        lambda at: (smith_policy(at / "p", SIX, SIX, entry=panda()), lerobot_v21(at / "data")),
    ),
    "fault_not_finite": (
        "critical",
        "",
        0,
        2,
        lambda at: (onnx_policy(at / "p.onnx"), lerobot_v21(at / "data", broken=True)),
    ),
    "image_size": (
        "warning",
        "observation.images.top",
        [32, 32],
        [48, 64],
        lambda at: (
            onnx_policy(at / "p.onnx", camera=(32, 32)),
            hdf5_dataset(at / "d.hdf5", {"top_image": pictures(48, 64), "state": vectors(6)}, vectors(6)),
        ),
    ),
    "environment_version": (
        "warning",
        "",
        "Pendulum-v0",
        "Pendulum-v1",
        lambda at: (
            smith_policy(at / "p", entry=find_entry("pendulum").model_copy(update={"env_id": "Pendulum-v0"})),
            "Pendulum-v1",
        ),
    ),
}


def integrated(at: Path, policy: object, target: object, bench: ProcessBench, **wishes: Any) -> State:
    return integrate(
        Request(
            policy=str(policy),
            target=str(target),
            folder=at / "out",
            bench=bench,
            wishes=Wishes(**wishes),
            samples=4,
        )
    )


def only(report: Compatibility, check: str) -> Issue:
    (found,) = [issue for issue in report.issues if issue.check == check]
    return found


@pytest.mark.parametrize("check", PAIRS)
def test_what_does_not_fit_is_caught(check: str, tmp_path: Path, bench: ProcessBench) -> None:
    severity, key, expected, found, make = PAIRS[check]
    state = integrated(tmp_path, *make(tmp_path), bench)
    report, seen = state["report"], state["seen"]
    issue = only(report, check)
    assert (issue.severity, issue.policy) == (severity, key)
    if expected is not None:
        assert (issue.expected, issue.found) == (expected, found)
    assert report.compatible == (severity != "critical")
    assert state["outcome"] == ("valid" if severity != "critical" else "not_compatible")
    critical = {each.check for each in report.issues if each.severity == "critical"}
    assert seen is not None
    assert seen.status == ("refused" if critical & STRUCTURAL else "passed"), seen.stages
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(state["files"])


@pytest.mark.parametrize("check", [check for check in PAIRS if PAIRS[check][0] == "critical"])
def test_nothing_else_is_critical(check: str, tmp_path: Path, bench: ProcessBench) -> None:
    policy, target = PAIRS[check][4](tmp_path)
    facts = [find(str(each)).inspect(bench=bench) for each in (policy, target)]
    critical = {issue.check for issue in compare(*facts).issues if issue.severity == "critical"}
    assert critical == {check} | ({"observation_scale"} if check == "statistics_scale" else set()) & critical


@pytest.mark.parametrize("check", ["action_size", "missing_camera"])
def test_an_unsafe_repair_is_made_when_it_is_asked_for_and_stated(
    check: str, tmp_path: Path, bench: ProcessBench
) -> None:
    policy, target = PAIRS[check][4](tmp_path)
    repair = only(integrated(tmp_path, policy, target, bench)["report"], check).repair
    state = integrated(tmp_path, policy, target, bench, repairs=frozenset({repair}))
    issue = only(state["report"], check)
    assert (issue.severity, issue.handled) == ("warning", "repair")
    assert (state["outcome"], state["report"].mapping.repairs) == ("valid", (repair,))
    for name in ("wrapper.py", "mapping.json", "compatibility.json", "report.md"):
        assert repair in (tmp_path / "out" / name).read_text(), name


def test_padding_appends_zeros(tmp_path: Path, bench: ProcessBench) -> None:
    policy, target = PAIRS["action_size"][4](tmp_path)
    seen = integrated(tmp_path, policy, target, bench, repairs=frozenset({"pad-actions"}))["seen"]
    assert seen is not None
    assert seen.action_low[4:] == seen.action_high[4:] == (0.0, 0.0)
    assert all(low < high for low, high in zip(seen.action_low[:4], seen.action_high[:4], strict=True))


def test_a_policy_that_wants_to_be_told_is_told(tmp_path: Path) -> None:
    policy = find(str(write_checkpoint(tmp_path / "p", tokenizes=True))).inspect()
    silent = hdf5_dataset(tmp_path / "d.hdf5", {"state": vectors(6)}, vectors(6), instruction=None)
    target = find(str(silent)).inspect()
    issue = only(compare(policy, target), "language")
    assert (issue.severity, issue.expected, issue.found) == ("critical", True, False)
    told = compare(policy, target, Wishes(instruction="lift it"))
    assert (only(told, "language").severity, told.mapping.default_instruction) == ("info", "lift it")


def test_lost_statistics_are_critical_until_they_are_borrowed(tmp_path: Path) -> None:
    policy = find(str(write_checkpoint(tmp_path / "p", without=("action.std",)))).inspect()
    target = find(str(lerobot_v21(tmp_path / "data"))).inspect()
    issue = only(compare(policy, target), "statistics_missing")
    assert (issue.severity, issue.expected, issue.repair) == ("critical", ["action"], "target-statistics")
    borrowed = compare(policy, target, Wishes(repairs=frozenset({"target-statistics"})))
    assert only(borrowed, "statistics_missing").severity == "warning"
    assert borrowed.mapping.action.normalize is not None
    assert borrowed.mapping.action.normalize.mean == target.action["action"].mean
    assert all(link.normalize is None for link in borrowed.mapping.observation)


def test_more_actions_than_an_answer_has_cannot_be_carried_out(tmp_path: Path) -> None:
    policy = find(str(onnx_policy(tmp_path / "p.onnx", chunk=10))).inspect()
    target = find(str(lerobot_v21(tmp_path / "data"))).inspect()
    issue = only(compare(policy, target, Wishes(execute_steps=11)), "execute_steps")
    assert (issue.severity, issue.expected, issue.found) == ("critical", 10, 11)
    assert compare(policy, target, Wishes(execute_steps=4)).mapping.action.execute_steps == 4
