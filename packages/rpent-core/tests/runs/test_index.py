import fcntl
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from rpent.errors import RunDirectoryError
from rpent.run.lock import RunLock
from rpent.runs.index import is_locked, list_runs

OUTCOME = {"reason": "finished", "detail": "Done.", "benchmark_success": True, "planner_status": "success"}


def write(output_dir: Path, **changes: Any) -> None:
    folder = output_dir / "run"
    folder.mkdir(exist_ok=True)
    values = {
        "format": 1,
        "rpent": "0.1.0",
        "created": 1000.0,
        "robot": {"name": "libero"},
        "planner": {"name": "api", "config": {"model": "some/model"}},
        "policy": None,
        "task": {"instruction": "put it there", "tag": "goal_t3_s1", "seed": 1, "suite": "goal", "task": 3},
        "request": {"robot": "libero", "planner": "api"},
        "services": {},
        "timings_s": {},
        "usage": {"input_tokens": 100, "output_tokens": 20, "cost_usd": 0.5, "model": ""},
        "counts": {"turns": 4, "tool_calls": 6, "env_steps": 300},
        "processes": [{"started": 1000.0, "finished": 1010.5}],
        "outcome": OUTCOME,
        "finished": 1010.5,
    }
    (folder / "run.json").write_text(json.dumps({**values, **changes}))


def test_a_summary_says_what_was_run_and_what_it_took(tmp_path: Path) -> None:
    write(tmp_path)
    (run,) = list_runs(tmp_path)
    assert (run.suite, run.task, run.seed, run.model, run.policy) == ("goal", "3", 1, "some/model", None)
    assert (run.detail, run.finished, run.duration_s) == ("Done.", 1010.5, 10.5)
    assert (run.cost_usd, run.input_tokens, run.output_tokens) == (0.5, 100, 20)
    assert (run.turns, run.tool_calls, run.env_steps) == (4, 6, 300)


def test_the_time_of_a_resumed_run_is_that_of_its_processes(tmp_path: Path) -> None:
    times = [(1000.0, 1010.0), (5000.0, 5001.5), (9000.0, None)]
    processes = [
        {
            "started": start,
            **({"finished": end} if end else {}),
            "planner": {"name": "api", "config": {"model": m}},
        }
        for (start, end), m in zip(times, ("first", "second", "third"), strict=True)
    ]
    write(tmp_path, processes=processes)
    (run,) = list_runs(tmp_path)
    assert (run.duration_s, run.model) == (11.5, "third")


def test_the_model_is_the_one_that_answered(tmp_path: Path) -> None:
    write(tmp_path, usage={"model": "some/model-2026"}, policy={"served": {"backend": "pi0"}})
    (run,) = list_runs(tmp_path)
    assert (run.model, run.policy, run.cost_usd) == ("some/model-2026", "pi0", None)


def test_what_is_missing_or_of_another_kind_is_not_said(tmp_path: Path) -> None:
    write(tmp_path, usage={}, counts={"turns": "many"}, processes=[], task={"instruction": "x", "tag": "t"})
    (run,) = list_runs(tmp_path)
    assert (run.task, run.suite, run.seed, run.turns, run.duration_s) == ("t", None, None, None, None)


def test_who_only_looks_never_refuses_a_run_that_starts(tmp_path: Path) -> None:
    looking = os.open(tmp_path / ".lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)
    threading.Timer(0.05, os.close, [looking]).start()
    with RunLock(tmp_path):
        assert is_locked(tmp_path)
        with pytest.raises(RunDirectoryError, match="in use"), RunLock(tmp_path):
            pass
    assert not is_locked(tmp_path)


@pytest.mark.parametrize("wrong", [10**400, -(10**400), float("nan"), float("inf"), "5", True, [1], None])
def test_what_is_no_number_is_missing(tmp_path: Path, wrong: Any) -> None:
    write(
        tmp_path,
        finished=wrong,
        usage={"cost_usd": wrong, "input_tokens": wrong},
        counts={"turns": wrong},
        processes=[{"started": 1000.5, "finished": wrong}],
    )
    (run,) = list_runs(tmp_path)
    assert (run.finished, run.cost_usd, run.input_tokens, run.turns, run.duration_s) == (None,) * 5
    json.dumps(run.to_json(), allow_nan=False)


def test_a_time_that_no_float_holds_is_damage(tmp_path: Path) -> None:
    write(tmp_path, created=10**400)
    (run,) = list_runs(tmp_path)
    assert run.state == "damaged"
    assert run.problem


def test_a_pipe_in_the_lock_s_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".lock")
    found: list[bool] = []
    looking = threading.Thread(target=lambda: found.append(is_locked(tmp_path)), daemon=True)
    looking.start()
    looking.join(20)
    assert found == [False]
