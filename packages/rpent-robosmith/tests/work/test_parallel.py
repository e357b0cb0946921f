import threading
import time
from contextlib import closing

import pytest
from rpent_robosmith.work.api import Job, WorkError
from rpent_robosmith.work.parallel import run_all


class FakeBench:
    """Runs what a job's params say, in the calling thread."""

    def __init__(self):
        self.running = self.most = self.begun = 0
        self._lock = threading.Lock()

    def run(self, job, heard=None):
        with self._lock:
            self.begun += 1
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            return job.params["do"](heard)
        finally:
            with self._lock:
                self.running -= 1


def jobs(*functions):
    return [Job(run="x:y", params={"do": function}) for function in functions]


def fails(error):
    def do(heard):
        raise error

    return do


def test_every_job_ends_with_its_result_or_its_error():
    wrong = WorkError("It was killed.", kind="killed")
    found = dict(run_all(FakeBench(), jobs(lambda _: {"a": 1}, fails(wrong), lambda _: {"c": 3})))
    assert found == {0: {"a": 1}, 1: wrong, 2: {"c": 3}}


def test_no_more_than_two_run_at_a_time():
    bench = FakeBench()

    def slow(heard):
        time.sleep(0.02)
        return {}

    assert len(list(run_all(bench, jobs(*[slow] * 7), at_once=2))) == 7
    assert bench.most == 2


def test_messages_are_heard_in_the_thread_of_whoever_asked():
    told = []

    def talks(heard):
        heard("progress", {"done": 1})
        return {}

    def heard(number, kind, data):
        told.append((number, kind, data, threading.current_thread()))

    list(run_all(FakeBench(), jobs(talks), heard=heard))
    assert told == [(0, "progress", {"done": 1}, threading.current_thread())]


def test_a_bug_ends_all_of_them():
    bench = FakeBench()
    with pytest.raises(ZeroDivisionError):
        list(run_all(bench, jobs(fails(ZeroDivisionError()), *[lambda _: {}] * 5), at_once=1))
    assert bench.begun <= 2


def test_when_the_asker_is_interrupted_the_workers_end_with_their_next_word():
    ended = threading.Event()

    def endless(heard):
        try:
            while True:
                heard("progress", {})
                time.sleep(0.01)
        finally:
            ended.set()

    def heard(number, kind, data):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_all(FakeBench(), jobs(endless), heard=heard))
    assert ended.is_set()


def test_a_loop_that_ends_early_ends_the_jobs():
    ended = threading.Event()

    def endless(heard):
        try:
            while True:
                heard("progress", {})
                time.sleep(0.01)
        finally:
            ended.set()

    def look():
        with closing(run_all(FakeBench(), jobs(lambda _: {}, endless))) as outcomes:
            next(outcomes)
            raise LookupError

    with pytest.raises(LookupError):
        look()
    assert ended.is_set()


def test_nothing_to_do():
    assert list(run_all(FakeBench(), [])) == []
