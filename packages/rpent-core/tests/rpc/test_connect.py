"""The package's two entry points, over the transport that needs no distribution besides core."""

from __future__ import annotations

import threading
import uuid

import pytest
from rpent.errors import ConnectionLostError, HandshakeError, PluginError, UsageError
from rpent.rpc import Expectation, Facade, Method, connect, serve


def _add(call, left, right=1):
    return left + right


@pytest.fixture
def endpoint():
    facade = Facade(name="toy/env", version="0.3.1", schema=2, methods={"add": Method(handler=_add)})
    server = serve(f"inproc://{uuid.uuid4().hex}", facade, token="secret")
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield str(server.endpoint)
    server.shutdown()
    thread.join(10)


def test_the_expected_service_is_called(endpoint):
    channel = connect(endpoint, token="secret", expect=Expectation(name="toy/env", schema=2, version="0.3.0"))
    assert channel.call("add", left=1) == 2
    assert channel.call("add", left=1, right=4) == 5


@pytest.mark.parametrize("expect", [{"name": "other/env"}, {"schema": 3}, {"version": "0.4.1"}])
def test_another_service_is_refused(endpoint, expect):
    with pytest.raises(HandshakeError):
        connect(endpoint, token="secret", expect=Expectation(**expect))


def test_another_token_is_refused(endpoint):
    with pytest.raises(HandshakeError):
        connect(endpoint, token="Secret")


def test_nobody_there():
    with pytest.raises(ConnectionLostError):
        connect("inproc://nobody", token="x")


def test_an_unknown_scheme_is_a_plugin_error():
    with pytest.raises(PluginError, match="carrier"):
        connect("carrier+pigeon://host:1", token="x")


def test_a_server_needs_a_token():
    with pytest.raises(UsageError):
        serve("inproc://x", Facade(name="x", version="1", methods={}), token="")


def test_handlers_may_not_take_reserved_or_no_parameters():
    for handler in (lambda: 1, lambda call, timeout_s: 1):
        with pytest.raises(TypeError):
            serve(
                "inproc://x", Facade(name="x", version="1", methods={"m": Method(handler=handler)}), token="x"
            )
