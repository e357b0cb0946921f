"""A policy server in a process of its own, over real transports: whatever the model does, its clients are told."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from rpent.errors import CallTimeoutError, RemoteError, ServiceError
from rpent.rpc.api import connect
from rpent.services.request import ServiceRequest
from rpent.testing.policies.fake import SPEC, make_checkpoint
from rpent.testing.policies.serving import TOKEN, server_config

PICTURE = np.zeros((64, 64, 3), np.uint8)


@pytest.fixture(params=["zmq+tcp", "http"])
def transport(request):
    return request.param


@pytest.fixture
def start(supervisor, tmp_path, transport):
    """Start the server and return its channel."""
    checkpoint = make_checkpoint(tmp_path / "checkpoint")

    def start(**values):
        config = server_config(SPEC, {"checkpoint": str(checkpoint), **values})
        request = ServiceRequest(
            spec=SPEC.service,
            config=config.model_dump(),
            token=TOKEN,
            transport=transport,
            identity="policy/fake",
            schema=1,
        )
        supervisor.start([request])
        return supervisor.channels["vla"]

    return start


def ask(channel, instruction="go", *, episode="a", x=0.0, **options):
    state = {"pose": [x, 0.0, 0.0]}
    return channel.call(
        "infer_native",
        images={"front": PICTURE},
        state=state,
        instruction=instruction,
        episode=episode,
        **options,
    )


def is_gone(pid):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        ("nan", "The policy `fake` answered with NaN or infinity in 1 of 32 numbers."),
        ("wrong_shape", "answered with an array of shape (8, 3); its checkpoint says (8, 4)."),
        ("wrong_length", "answered with an array of shape (7, 4); its checkpoint says (8, 4)."),
        ("no_array", "answered with what is no array of numbers."),
        ("error", "The policy `fake` failed: RuntimeError: mat1 and mat2 shapes cannot be multiplied"),
        ("oom", "The policy `fake` failed: it ran out of memory"),
    ],
)
def test_a_bad_answer_is_one_sentence_and_the_server_lives_on(start, supervisor, failure, says):
    channel = start(failure=failure, fail_word="bad")
    with pytest.raises(RemoteError) as caught:
        ask(channel, "a bad one")
    assert says in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.kind == "PolicyError"
    assert ask(channel).shape == (8, 4)
    assert supervisor.alive("vla")


@pytest.mark.parametrize(
    ("failure", "says"), [("crash", "was killed by SIGSEGV"), ("oom_killed", "was killed by SIGKILL")]
)
def test_a_server_that_dies_says_how_and_can_be_restarted(start, supervisor, failure, says):
    channel = start(failure=failure, fail_word="bad")
    with pytest.raises(ServiceError) as caught:
        ask(channel, "a bad one")
    assert f"Service `vla` {says}." in caught.value.message
    assert ("memory had run out" in caught.value.hint) == (failure == "oom_killed")
    with pytest.raises(ServiceError):
        ask(channel)
    supervisor.restart("vla")
    assert ask(channel).shape == (8, 4)


def test_a_server_that_is_killed_in_the_middle_of_an_answer(start, supervisor):
    channel = start(slow_s=1.5)
    with ThreadPoolExecutor(1) as client:
        answer = client.submit(ask, channel)
        while channel.call("status")["running_s"] is None:
            time.sleep(0.01)
        os.kill(supervisor.pid("vla"), signal.SIGKILL)
        assert isinstance(answer.exception(20), ServiceError)


def test_a_hung_model_leaves_the_service_answering_and_can_be_replaced(start, supervisor):
    channel = start(failure="hang", fail_word="bad")
    pid = supervisor.pid("vla")
    with pytest.raises(CallTimeoutError, match="Service `vla` did not answer `infer_native` within 1 s"):
        ask(channel, "a bad one", timeout_s=1)
    assert channel.call("describe", timeout_s=10)["backend"] == "fake"
    status = channel.call("status", timeout_s=10)
    assert status["running_s"] >= 0.9
    channel.call("reset", episode="a", timeout_s=10)
    with pytest.raises(CallTimeoutError):
        ask(channel, "a good one behind it", timeout_s=0.5)
    supervisor.restart("vla")
    assert is_gone(pid)
    assert ask(channel).shape == (8, 4)


def test_stopping_does_not_wait_for_a_hung_model(start, supervisor):
    channel = start(failure="hang", fail_word="bad")
    pid = supervisor.pid("vla")
    with pytest.raises(CallTimeoutError):
        ask(channel, "a bad one", timeout_s=0.5)
    supervisor.stop()
    assert is_gone(pid)


def test_a_model_that_dies_while_it_loads(start):
    with pytest.raises(ServiceError, match="was killed by SIGKILL while starting") as caught:
        start(failure="oom_killed", fail_from=0)
    assert "memory had run out" in caught.value.hint
    assert "loading: a first answer" in caught.value.hint


def test_a_folder_that_is_no_checkpoint_is_the_reason(start, tmp_path):
    (tmp_path / "checkpoint" / "signature.json").write_text("{}")
    with pytest.raises(ServiceError, match="is no checkpoint of `fake`"):
        start()


def test_the_log_says_what_is_loaded(start, tmp_path):
    start(load_s=0.4)
    log = (tmp_path / "logs" / "vla.log").read_text()
    assert "loading: reading the weights (75%)" in log
    assert "loading: a first answer" in log


@pytest.mark.parametrize(("own", "expected"), [(None, "1"), ("3", "3")])
def test_threads_do_not_spin_and_the_users_own_setting_wins(start, monkeypatch, own, expected):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if own is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", own)
    assert start().call("describe")["facts"]["omp"] == expected


def test_clients_of_their_own_get_what_each_would_get_alone(start, events):
    start()
    (endpoint,) = [event["endpoint"] for event in events if event["state"] == "ready"]

    def episode(number, name):
        client = connect(endpoint, token=TOKEN)
        try:
            client.call("reset", episode=name, seed=number)
            return [ask(client, f"task {number}", episode=name, x=float(step)) for step in range(20)]
        finally:
            client.close()

    with ThreadPoolExecutor(4) as clients:
        together = list(clients.map(episode, range(4), "abcd"))
    alone = [episode(number, f"{number} alone") for number in range(4)]
    np.testing.assert_array_equal(together, alone)
