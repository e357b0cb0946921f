"""A bench and real worker processes: messages, failures, limits, ends."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rpent.errors import ExitCode
from rpent_robosmith.work.api import EnoughError, Job, Limits, WorkError
from rpent_robosmith.work.bench import ProcessBench

JOBS = Path(__file__).parent


@pytest.fixture(autouse=True)
def _jobs_are_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(JOBS))


def job(name: str, /, *, sealed: bool = False, limits: Limits | None = None, **params: Any) -> Job:
    return Job(run=f"jobs:{name}", params=params, limits=limits or Limits(), sealed=sealed, label=name)


def failure(bench: ProcessBench, asked: Job, **more: Any) -> WorkError:
    with pytest.raises(WorkError) as caught:
        bench.run(asked, **more)
    return caught.value


def test_numbers_go_there_and_back(bench: ProcessBench) -> None:
    heard = []
    weights = np.linspace(0, 1, 1000)
    result = bench.run(job("echo", weights=weights, name="x"), lambda kind, data: heard.append((kind, data)))
    np.testing.assert_array_equal(result["params"]["weights"], weights)
    assert result["params"]["name"] == "x"
    assert [kind for kind, _ in heard] == ["progress"]
    np.testing.assert_array_equal(heard[0][1]["picture"], np.arange(600_000, dtype=np.float32))


def test_a_worker_has_a_process_and_a_folder_of_its_own_and_leaves_neither(bench: ProcessBench) -> None:
    result = bench.run(job("echo"))
    assert result["pid"] != os.getpid()
    assert Path(result["cwd"]) != Path.cwd()
    assert not Path(result["cwd"]).exists()
    assert not Path(f"/proc/{result['pid']}").exists()


def test_what_libraries_print_never_disturbs_the_messages(bench: ProcessBench) -> None:
    steps = []
    result = bench.run(job("chatter"), lambda _kind, data: steps.append(data["steps"]))
    assert result == {"lines": 2_000}
    assert steps == list(range(2_000))


def test_large_parameters_pass_and_a_worker_without_output_is_no_trouble(bench: ProcessBench) -> None:
    assert bench.run(job("mute", large=np.zeros(5_000_000))) == {"size": 5_000_000}


def test_the_last_lines_of_a_failed_worker_are_shown_and_do_not_steer_the_terminal(
    bench: ProcessBench,
) -> None:
    error = failure(bench, job("chatter", fail=True))
    assert error.message == "The job `chatter` failed with RuntimeError: at the end."
    assert "␛[31mthe last words" in error.log
    assert error.log.endswith("RuntimeError: at the end")
    assert len(error.log.splitlines()) == 20
    assert error.log in error.__notes__


def test_an_unexpected_error_names_its_type(bench: ProcessBench) -> None:
    error = failure(bench, job("fail", how="bug"))
    assert error.message == "The job `fail` failed with ValueError: no number ␛[2J here."
    assert (error.kind, error.exit_code) == ("error", ExitCode.INFRASTRUCTURE)


def test_a_users_mistake_stays_one(bench: ProcessBench) -> None:
    error = failure(bench, job("fail", how="usage"))
    assert (error.message, error.hint) == ("The hyperparameter `x` is unknown.", "Leave it out.")
    assert error.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"code": 3}, "ended by itself with code 3"),
        ({"code": 0}, "ended by itself with code 0"),
        ({"signal": signal.SIGKILL}, "was killed by SIGKILL"),
        ({"signal": signal.SIGSEGV}, "was killed by SIGSEGV"),
    ],
)
def test_a_worker_that_just_ends_is_no_success(
    bench: ProcessBench, params: dict[str, int], words: str
) -> None:
    error = failure(bench, job("end", **params))
    assert words in error.message
    assert error.kind == "killed"


@pytest.mark.parametrize(
    ("limits", "talks", "kind"),
    [(Limits(wall_s=1.0), True, "timeout"), (Limits(silence_s=1.0), False, "silence")],
)
def test_a_hang_is_ended_with_all_its_children(
    bench: ProcessBench, limits: Limits, talks: bool, kind: str
) -> None:
    pids: dict[str, Any] = {}
    error = failure(
        bench,
        job("hang", limits=limits, talks=talks),
        heard=lambda kind, data: pids.update(data) if kind == "pids" else None,
    )
    assert error.kind == kind
    assert gone(pids["worker"])
    assert gone(pids["child"])


def test_memory_is_limited(bench: ProcessBench) -> None:
    error = failure(bench, job("eat", limits=Limits(memory_bytes=300 * 2**20, wall_s=60)))
    assert error.kind == "memory"


def test_a_job_is_asked_to_end_when_the_listener_has_enough(bench: ProcessBench) -> None:
    def heard(kind: str, _data: Any) -> None:
        if kind == "progress":
            raise EnoughError

    assert bench.run(job("hang", talks=True, stops=True), heard) == {"stopped": True}


def test_a_job_is_asked_to_end_when_its_time_is_up(bench: ProcessBench) -> None:
    limits = Limits(ask_s=0.5, wall_s=60)
    assert bench.run(job("hang", talks=True, stops=True, limits=limits)) == {"stopped": True}


def test_a_listener_that_fails_ends_the_worker(bench: ProcessBench) -> None:
    pids: dict[str, Any] = {}

    def heard(kind: str, data: Any) -> None:
        if kind == "progress":
            raise ZeroDivisionError
        pids.update(data)

    with pytest.raises(ZeroDivisionError):
        bench.run(job("hang", talks=True), heard)
    assert gone(pids["worker"])


@pytest.mark.parametrize(
    "garbage", [b"x" * 64, b"RPF1" + b"\xff" * 60, b"RPF1\x01\0\0\0\x40\0\0\0\0\0\0\0" + b"\xff" * 48]
)
def test_bytes_that_are_no_message_end_the_worker(bench: ProcessBench, garbage: bytes) -> None:
    assert failure(bench, job("garble", bytes=garbage)).kind == "protocol"


def test_only_plain_data_is_a_result(bench: ProcessBench) -> None:
    assert "`object` cannot be sent" in failure(bench, job("answer", what="object")).message
    assert "must be a dict" in failure(bench, job("answer", what="number")).message


def test_a_job_that_should_seal_itself_and_does_not_gives_no_result(bench: ProcessBench) -> None:
    error = failure(bench, job("echo", sealed=True))
    assert error.kind == "protocol"
    assert "without having sealed itself" in error.message


def gone(pid: int) -> bool:
    """Wait until a process has ended: a grandchild that was killed takes a moment to die."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False
