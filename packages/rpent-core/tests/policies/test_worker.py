"""The thread that has the model: what it asks together, and what becomes of each question."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import wait

import numpy as np
import pytest
from rpent.errors import CancelledCallError, PolicyError
from rpent.policies import worker as worker_module
from rpent.policies.api import Policy, PolicyConfig, Signature
from rpent.policies.loading import Loaded
from rpent.policies.waiting import MAX_WAITING
from rpent.policies.worker import Worker
from rpent.rpc.failures import BusyError, ServerStoppingError

SIGNATURE = Signature(family="gate", state={"x": 1}, action={"a": 2}, chunk_length=1)


class GatePolicy(Policy):
    """Waits at a gate, remembers what it was asked together, and answers (state, number of its questions)."""

    signature = SIGNATURE

    def __init__(self):
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.batches = []
        self.resets = []
        self.asked = {}
        self.closed = 0
        self.poison = ()
        self.limit = 100

    def infer(self, requests):
        self.entered.set()
        assert self.gate.wait(20)
        self.batches.append([request.instruction for request in requests])
        if any(request.instruction in self.poison for request in requests):
            raise RuntimeError("a poisoned request\nwith a long story")
        if len(requests) > self.limit:
            raise MemoryError
        return [self._answer(request) for request in requests]

    def reset(self, episode):
        self.resets.append(episode)
        self.asked.pop(episode, None)

    def close(self):
        self.closed += 1

    def _answer(self, request):
        self.asked[request.episode] = self.asked.get(request.episode, 0) + 1
        return np.array([[request.state["x"][0], self.asked[request.episode]]])


def loaded(policy, max_batch):
    config = PolicyConfig(checkpoint="none", max_batch=max_batch)
    return Loaded(
        backend="gate",
        config=config,
        policy=policy,
        embodiment=None,
        layout=None,
        adapter=None,
        chunk_length=1,
        load_s=0.0,
        warm_up_s=0.0,
    )


@pytest.fixture
def policy():
    return GatePolicy()


@pytest.fixture
def worker(policy):
    worker = Worker()
    worker.start(lambda: loaded(policy, 8))
    yield worker
    policy.gate.set()
    worker.close()
    assert policy.closed == 1


def ask(worker, text, *, episode=None, x=0.0):
    state = {"x": np.array([x], np.float32)}
    return worker.submit({}, state, text, episode or text, lambda chunk: chunk)


def hold(worker, policy):
    """Let a first question occupy the policy, so that what comes next waits."""
    policy.gate.clear()
    policy.entered.clear()
    question = ask(worker, "first")
    assert policy.entered.wait(20)
    return question


def answers(questions):
    wait([question.future for question in questions], timeout=20)
    return [question.future.result(0).tolist()[0] for question in questions]


def test_a_lone_question_is_asked_alone(worker, policy):
    assert answers([ask(worker, "a", x=3.0)]) == [[3.0, 1.0]]
    assert policy.batches == [["a"]]


def test_what_waits_is_asked_together(worker, policy):
    first = hold(worker, policy)
    others = [ask(worker, f"q{n}", x=n) for n in range(5)]
    policy.gate.set()
    assert answers([first, *others]) == [[0.0, 1.0], *([float(n), 1.0] for n in range(5))]
    assert policy.batches == [["first"], ["q0", "q1", "q2", "q3", "q4"]]


def test_a_batch_has_a_bound(worker, policy):
    hold(worker, policy)
    others = [ask(worker, f"q{n}") for n in range(10)]
    policy.gate.set()
    answers(others)
    assert [len(batch) for batch in policy.batches] == [1, 8, 2]


def test_questions_of_one_episode_are_asked_in_order_and_never_together(worker, policy):
    hold(worker, policy)
    mine = [ask(worker, f"mine{n}", episode="mine", x=n) for n in range(3)]
    other = ask(worker, "other")
    policy.gate.set()
    assert answers(mine) == [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    assert answers([other]) == [[0.0, 1.0]]
    assert policy.batches[1:] == [["mine0", "other"], ["mine1"], ["mine2"]]


def test_one_bad_request_fails_alone(worker, policy):
    policy.poison = ("bad",)
    first = hold(worker, policy)
    good, bad, fine = ask(worker, "good", x=1), ask(worker, "bad"), ask(worker, "fine", x=2)
    policy.gate.set()
    assert answers([first, good, fine]) == [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
    with pytest.raises(PolicyError, match=r"The policy `gate` failed: RuntimeError: a poisoned request\.$"):
        bad.future.result(20)
    status = worker.status()
    assert (status["answered"], status["failed"]) == (3, 1)


def test_batches_shrink_when_memory_does_not_suffice(worker, policy):
    policy.limit = 3
    first = hold(worker, policy)
    others = [ask(worker, f"q{n}") for n in range(6)]
    policy.gate.set()
    answers([first, *others])
    hold(worker, policy)
    more = [ask(worker, f"p{n}") for n in range(6)]
    policy.gate.set()
    answers(more)
    assert [len(batch) for batch in policy.batches] == [1, 6, 1, 1, 1, 1, 1, 1, 1, 3, 3]


def test_a_waiting_question_can_be_cancelled(worker, policy):
    first = hold(worker, policy)
    dropped, kept = ask(worker, "dropped"), ask(worker, "kept")
    worker.cancel(dropped)
    with pytest.raises(CancelledCallError):
        dropped.future.result(0)
    policy.gate.set()
    answers([first, kept])
    assert policy.batches == [["first"], ["kept"]]


def test_a_running_question_that_is_cancelled_is_answered_at_once(worker, policy):
    first = hold(worker, policy)
    worker.cancel(first)
    with pytest.raises(CancelledCallError):
        first.future.result(0)
    policy.gate.set()
    assert answers([ask(worker, "next")]) == [[0.0, 1.0]]


def test_a_reset_does_not_wait_and_comes_before_the_next_question(worker, policy):
    hold(worker, policy)
    stale = ask(worker, "stale", episode="mine")
    worker.reset("mine", 3)
    fresh = ask(worker, "fresh", episode="mine")
    with pytest.raises(PolicyError, match="was reset"):
        stale.future.result(0)
    assert policy.resets == []
    policy.gate.set()
    assert answers([fresh]) == [[0.0, 1.0]]
    assert policy.resets == ["mine"]
    assert policy.batches == [["first"], ["fresh"]]


def test_the_policy_forgets_what_the_server_forgets(worker, policy):
    worker._episodes._limit = 2
    for name in ("a", "b", "c"):
        answers([ask(worker, name)])
    answers([ask(worker, "c")])
    assert policy.resets == ["a"]
    assert worker.status()["episodes"] == 2


def test_a_reset_that_fails_stops_nothing(worker, policy):
    policy.reset = lambda _: 1 / 0
    worker.reset("a", 0)
    assert answers([ask(worker, "a")]) == [[0.0, 1.0]]


def test_too_many_questions_are_refused(worker, policy):
    hold(worker, policy)
    waiting = [ask(worker, f"q{n}") for n in range(MAX_WAITING)]
    with pytest.raises(BusyError, match="256 questions waiting"):
        ask(worker, "one more")
    policy.gate.set()
    answers(waiting)
    assert max(map(len, policy.batches)) == 8


def test_closing_fails_what_waits(policy, monkeypatch):
    monkeypatch.setattr(worker_module, "CLOSE_S", 0.1)
    worker = Worker()
    worker.start(lambda: loaded(policy, 8))
    hold(worker, policy)
    waiting = ask(worker, "waiting")
    worker.close()
    with pytest.raises(ServerStoppingError):
        waiting.future.result(0)
    with pytest.raises(ServerStoppingError):
        ask(worker, "late")
    policy.gate.set()
    worker._thread.join(20)
    assert policy.closed == 1


def test_a_load_that_fails_is_the_callers_error():
    def load():
        raise PolicyError("There is no model.")

    with pytest.raises(PolicyError, match="There is no model"):
        Worker().start(load)


def test_a_backend_that_exits_is_an_error_of_its_question(worker, policy):
    policy.infer = lambda _: sys.exit(3)
    with pytest.raises(PolicyError, match="SystemExit"):
        ask(worker, "a").future.result(20)
    del policy.infer
    assert answers([ask(worker, "b")]) == [[0.0, 1.0]]


def test_the_error_of_a_server_that_a_policy_asks_is_the_policys(worker, policy):
    def infer(_):
        raise CancelledCallError("Somebody cancelled it.", hint="Ask them.")

    policy.infer = infer
    with pytest.raises(PolicyError, match="The policy `gate` failed: Somebody cancelled it") as caught:
        ask(worker, "a").future.result(20)
    assert caught.value.hint == "Ask them."


def test_the_status_says_what_is_going_on(worker, policy):
    hold(worker, policy)
    others = [ask(worker, name) for name in "ab"]
    time.sleep(0.02)
    status = worker.status()
    assert status["queue"] == 2
    assert status["running_s"] >= 0.01
    policy.gate.set()
    answers(others)
    status = worker.status()
    assert (status["queue"], status["running_s"], status["episodes"]) == (0, None, 3)
    assert status["batches"] == {"1": 1, "2": 1}
    assert status["infer_seconds"]["max"] >= 0.01
