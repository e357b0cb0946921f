from dataclasses import replace

import pytest
from rpent.errors import ServiceError
from rpent.services.supervisor import Supervisor
from service_cases import counter_request


@pytest.fixture
def running(supervisor, events):
    """A service of somebody else: its endpoint."""
    supervisor.start([replace(counter_request(token="shared-token"), transport="zmq+tcp")])
    return events[-1]["endpoint"]


@pytest.fixture
def attaching(tmp_path):
    with Supervisor(logs_dir=tmp_path / "attached-logs", on_event=lambda _: None) as attaching:
        yield attaching


def attached(endpoint, token="shared-token", **changes):
    return replace(counter_request(endpoint=endpoint, token=token), **changes)


def test_attaches_and_leaves_it_running(supervisor, attaching, running):
    attaching.start([attached(running)])
    assert attaching.channels["counter"].call("count") == 1
    assert not attaching.owned("counter")
    with pytest.raises(ServiceError, match="cannot be restarted"):
        attaching.restart("counter")
    attaching.stop()
    assert supervisor.channels["counter"].call("count") == 2


def test_a_wrong_token_is_refused(attaching, running):
    with pytest.raises(ServiceError, match="token"):
        attaching.start([attached(running, token="guess")])


def test_another_version_is_refused(attaching, running):
    with pytest.raises(ServiceError, match=r"version 1\.2\.3; this side has 2\.0\.0"):
        attaching.start([attached(running, version="2.0.0")])


def test_another_service_is_refused(attaching, running):
    with pytest.raises(ServiceError, match="serves `test/counter`; `libero/env` is wanted"):
        attaching.start([attached(running, identity="libero/env")])


def test_nobody_there_is_one_sentence(attaching):
    with pytest.raises(ServiceError, match=r"`counter` at `zmq\+tcp://127\.0\.0\.1:9` cannot be used"):
        attaching.start([attached("zmq+tcp://127.0.0.1:9")])
