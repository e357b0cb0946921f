"""The stable channel, over the in-process transport: what callers see while services come and go."""

import threading

import pytest
from rpent.errors import ConnectionLostError, ServiceError
from rpent.rpc import Facade, Method, connect, serve
from rpent.services.channel import ServiceChannel


@pytest.fixture
def connected():
    """Connects to a facade of this process, by name."""
    servers = []

    def start(name):
        facade = Facade(name=name, version="1.0", methods={"who": Method(handler=lambda call: name)})
        server = serve(f"inproc://{name}-{len(servers)}", facade, token="secret")
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        servers.append((server, thread))
        return connect(server.endpoint, token="secret")

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join(10)


def test_before_the_start_it_says_so():
    with pytest.raises(ServiceError, match="`env` has not been started"):
        ServiceChannel("env").call("who")


def test_calls_go_to_whoever_is_attached(connected):
    channel = ServiceChannel("env")
    channel.attach(connected("first"))
    assert channel.call("who") == "first"
    assert channel.info.name == "first"
    channel.detach(ServiceError("Service `env` died.", hint="its log"))
    channel.attach(connected("second"))
    assert channel.call("who") == "second"


def test_a_detached_channel_fails_every_call_with_a_fresh_error(connected):
    channel = ServiceChannel("env")
    channel.attach(connected("first"))
    channel.detach(ServiceError("Service `env` died.", hint="its log"))
    caught = []
    for _ in range(2):
        with pytest.raises(ServiceError, match="died") as info:
            channel.call("who")
        caught.append(info.value)
    assert caught[0] is not caught[1]
    assert caught[0].hint == "its log"


class Broken:
    """A channel whose peer has just gone."""

    def __init__(self):
        self.closed = False

    def call(self, method, /, **_):
        raise ConnectionLostError("gone")

    def close(self):
        self.closed = True


def test_a_lost_connection_waits_for_the_watcher_to_say_why():
    channel, broken = ServiceChannel("env"), Broken()
    channel.attach(broken)
    timer = threading.Timer(0.1, channel.detach, [ServiceError("Service `env` was killed by SIGKILL.")])
    timer.start()
    with pytest.raises(ServiceError, match="SIGKILL"):
        channel.call("who")
    timer.join()
    assert broken.closed


def test_a_service_of_somebody_else_has_no_watcher():
    channel = ServiceChannel("env", watched=False)
    channel.attach(Broken())
    with pytest.raises(ConnectionLostError, match="gone"):
        channel.call("who")
