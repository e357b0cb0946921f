"""Threads of concurrent calls. That none keeps an interpreter alive is in the contract of transports."""

import sys
import threading
import time

import pytest
from rpent.rpc.pool import DaemonPool


def wait_until(true):
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.001)


def test_work_runs_side_by_side_up_to_the_limit():
    pool = DaemonPool(3, name="test")
    together = threading.Barrier(3)
    seen = []

    def work():
        together.wait(10)
        seen.append(threading.current_thread().name)

    for _ in range(6):
        pool.submit(work)
    wait_until(lambda: len(seen) == 6)
    assert pool.shutdown(10)
    assert set(seen) <= {"test-0", "test-1", "test-2"}


def test_a_free_thread_is_used_again():
    pool = DaemonPool(8, name="test")
    names = []
    for _ in range(5):
        done = threading.Event()
        pool.submit(lambda done=done: (names.append(threading.current_thread().name), done.set()))
        done.wait(10)
        wait_until(lambda: pool._idle._value)
    assert set(names) == {"test-0"}
    assert pool.shutdown(10)


def test_what_raises_takes_nothing_down(caplog):
    pool = DaemonPool(1, name="test")
    done = threading.Event()
    pool.submit(lambda: sys.exit(3))
    pool.submit(done.set)
    assert done.wait(10)
    assert pool.shutdown(10)
    assert "nobody expected" in caplog.text


def test_shutdown_drops_what_waits_and_says_whether_something_still_runs():
    pool = DaemonPool(1, name="test")
    release, started, dropped = threading.Event(), threading.Event(), []
    pool.submit(lambda: (started.set(), release.wait()))
    pool.submit(lambda: dropped.append(1))
    assert started.wait(10)
    assert not pool.shutdown(0.05)
    with pytest.raises(RuntimeError):
        pool.submit(release.set)
    release.set()
    assert pool.shutdown(10)
    assert not dropped
