from __future__ import annotations

import pytest
from rpent.errors import UsageError
from rpent.rpc.endpoint import Endpoint, parse_endpoint


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("localhost:80", Endpoint("http", "localhost", 80)),
        ("127.0.0.1:8200", Endpoint("http", "127.0.0.1", 8200)),
        (" http://robot.lab:8200/ ", Endpoint("http", "robot.lab", 8200)),
        ("zmq+tcp://10.0.0.7:65535", Endpoint("zmq+tcp", "10.0.0.7", 65535)),
        ("HTTP://[::1]:1", Endpoint("http", "::1", 1)),
        ("zmq+ipc:///run/a b/env.sock", Endpoint("zmq+ipc", path="/run/a b/env.sock")),
        ("zmq+ipc://env.sock", Endpoint("zmq+ipc", path="env.sock")),
        ("inproc://toy", Endpoint("inproc", path="toy")),
    ],
)
def test_endpoints_are_parsed_and_written_again(text, endpoint):
    assert parse_endpoint(text) == endpoint
    assert parse_endpoint(str(endpoint)) == endpoint


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no port"),
        ("localhost", "no port"),
        ("http://localhost", "no port"),
        (":80", "no host"),
        ("host:", "`` is not a port"),
        ("host:http", "`http` is not a port"),
        ("host:0", "`0` is not a port"),
        ("host:65536", "`65536` is not a port"),
        ("host:-1", "`-1` is not a port"),
        ("host:٣", "is not a port"),
        ("::1:80", "brackets"),
        ("ho st:80", "`ho st` is not a host"),
        ("http://user@host:80", "is not a host"),
        ("http://host:80/path", "is not a port"),
        ("://host:80", "scheme"),
        ("h t://host:80", "scheme"),
        ("zmq+ipc://", "no path"),
        ("zmq+ipc://a\0b", "null"),
    ],
)
def test_what_is_no_endpoint_is_refused_in_one_sentence(text, reason):
    with pytest.raises(UsageError, match=reason) as refused:
        parse_endpoint(text)
    assert refused.value.message.endswith(".")
    assert refused.value.hint
    assert refused.value.exit_code == 2


def test_port_zero_is_for_servers():
    assert parse_endpoint("127.0.0.1:0", allow_port_zero=True).port == 0


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("127.0.0.1:80", True),
        ("127.8.8.8:80", True),
        ("localhost:80", True),
        ("[::1]:80", True),
        ("zmq+ipc:///a", True),
        ("0.0.0.0:80", False),
        ("[::]:80", False),
        ("192.168.1.2:80", False),
        ("robot.lab:80", False),
        ("localhost.evil.example:80", False),
    ],
)
def test_what_only_this_machine_reaches_is_local(text, local):
    assert parse_endpoint(text).is_local is local
