"""Where nothing can listen is known before a service is started."""

from __future__ import annotations

import socket

import pytest
from rpent.errors import TransportError, UsageError
from rpent.rpc.endpoint import parse_endpoint
from rpent.services.listening import check_endpoint


def test_a_scheme_that_nobody_has_is_wrong_usage():
    with pytest.raises(UsageError, match="No transport is named `ftp`"):
        check_endpoint(parse_endpoint("ftp://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("text", "said"), [("192.0.2.1:0", "cannot be listened at"), ("no.invalid:80", "cannot")]
)
def test_an_address_of_another_machine_is_refused(monkeypatch, text, said):
    monkeypatch.setattr("rpent.services.listening.registry.get", lambda *_: None)
    with pytest.raises(TransportError, match=said):
        check_endpoint(parse_endpoint(text, allow_port_zero=True))


def test_a_port_in_use_is_refused_and_a_free_one_is_not_kept(monkeypatch):
    monkeypatch.setattr("rpent.services.listening.registry.get", lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = parse_endpoint(f"127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(TransportError, match="in use"):
            check_endpoint(where)
    for _ in range(2):
        check_endpoint(where)
    check_endpoint(parse_endpoint("127.0.0.1:0", allow_port_zero=True))
