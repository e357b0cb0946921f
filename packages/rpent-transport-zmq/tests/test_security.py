"""Strangers at a ZeroMQ server: nothing that they send reaches the dispatcher, and clients with the token go on."""

from __future__ import annotations

import socket
import struct
import tempfile
import threading
from pathlib import Path

import pytest
import zmq
import zmq.utils.monitor
from rpent.errors import ConnectionLostError, HandshakeError, TransportError, UsageError
from rpent.rpc import Facade, Limits, Method, connect, serve
from rpent.rpc.endpoint import parse_endpoint
from rpent_transport_zmq.address import zmq_address

TOKEN = "a-token-of-this-test-0123456789"
GREETING = b"\xff" + b"\0" * 7 + b"\x01\x7f\x03\x01" + b"PLAIN".ljust(20, b"\0") + b"\0" * 32


def _echo(call, value):
    return value


@pytest.fixture
def serving():
    """Start servers at endpoints; end them with the test."""
    running = []

    def start(endpoint, token=TOKEN, **options):
        facade = Facade(name="toy/env", version="1.0.0", methods={"echo": Method(handler=_echo)})
        server = serve(endpoint, facade, token=token, **options)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        running.append((server, thread))
        return server.endpoint

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join(10)


def stranger(endpoint, configure=lambda socket: None):
    """Send a message with a socket that does not know the token; return the kind of event that ends it."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
        dealer.linger = 0
        configure(dealer)
        monitor = dealer.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED
            | zmq.EVENT_HANDSHAKE_FAILED_AUTH
            | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
            | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | zmq.EVENT_DISCONNECTED
        )
        dealer.connect(zmq_address(endpoint))
        assert monitor.poll(10_000), "Nothing happened."
        event = zmq.utils.monitor.recv_monitor_message(monitor)["event"]
        dealer.disable_monitor()
        monitor.close(0)
        return event


def wrong_password(dealer):
    dealer.plain_username, dealer.plain_password = b"rpent", b"guess"


def own_curve_keys(dealer):
    server_key, _ = zmq.curve_keypair()
    dealer.curve_serverkey = server_key
    dealer.curve_publickey, dealer.curve_secretkey = zmq.curve_keypair()


@pytest.mark.parametrize("configure", [lambda dealer: None, wrong_password, own_curve_keys])
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_stranger_does_not_get_in(serving, host, configure):
    endpoint = serving(f"zmq+tcp://{host}:0")
    client = connect(str(endpoint), token=TOKEN)
    assert stranger(endpoint, configure) != zmq.EVENT_HANDSHAKE_SUCCEEDED
    assert client.call("echo", value=1) == 1
    client.close()


def test_a_server_beyond_loopback_encrypts_for_every_client(serving):
    endpoint = serving("zmq+tcp://0.0.0.0:0")
    for host in ("0.0.0.0", "127.0.0.1"):
        client = connect(f"zmq+tcp://{host}:{endpoint.port}", token=TOKEN)
        assert client.call("echo", value="secret") == "secret"
        connection = client._idle[0]
        assert connection._socket.getsockopt(zmq.MECHANISM) == zmq.CURVE
        client.close()


def test_another_token_is_refused_over_curve_and_over_plain(serving):
    endpoint = serving("zmq+tcp://0.0.0.0:0")
    for host in ("0.0.0.0", "127.0.0.1"):
        with pytest.raises(HandshakeError, match="refuses the token"):
            connect(f"zmq+tcp://{host}:{endpoint.port}", token=TOKEN + "x")


def test_a_short_token_is_refused_beyond_loopback():
    facade = Facade(name="toy/env", version="1.0.0", methods={})
    with pytest.raises(UsageError, match="at least 16"):
        serve("zmq+tcp://0.0.0.0:0", facade, token="short")


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0" * 100,
        GREETING[:20],
        GREETING + b"\x04\xff" + b"\x7f" * 7,
        GREETING + b"\x06\xff" + struct.pack(">Q", 2**62),
        GREETING + b"\x04\x14\x05HELLO" + b"\x05admin\xff",
    ],
    ids=["http", "zeros", "cut_off", "huge_command", "huge_long_command", "bad_hello"],
)
def test_bytes_that_are_no_zmtp_hurt_nobody_else(serving, garbage):
    endpoint = serving("zmq+tcp://127.0.0.1:0")
    client = connect(str(endpoint), token=TOKEN)
    with socket.create_connection((endpoint.host, endpoint.port)) as raw:
        raw.sendall(garbage)
        assert client.call("echo", value=1) == 1
    assert client.call("echo", value=1) == 1
    client.close()


def test_a_frame_larger_than_the_limit_ends_its_senders_connection_only(serving):
    endpoint = serving("zmq+tcp://127.0.0.1:0", limits=Limits(message_bytes=100_000))
    bystander, sender = (connect(str(endpoint), token=TOKEN) for _ in range(2))
    with pytest.raises(TransportError):
        sender.call("echo", value=b"x" * 1_000_000)
    assert bystander.call("echo", value=1) == 1
    assert sender.call("echo", value=1) == 1


def test_a_server_that_is_not_rpents_is_named_so():
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        port = router.bind_to_random_port("tcp://127.0.0.1")
        with pytest.raises(HandshakeError, match="not one of RPent's"):
            connect(f"zmq+tcp://127.0.0.1:{port}", token=TOKEN)


def test_a_port_that_answers_nothing_is_an_error_in_time():
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(ConnectionLostError, match="in time"),
    ):
        connect(f"zmq+tcp://127.0.0.1:{silent.getsockname()[1]}", token=TOKEN, timeout_s=0.3)


def test_an_unknown_host_is_one_sentence():
    with pytest.raises(TransportError, match=r"`no-such-host.invalid`"):
        connect("zmq+tcp://no-such-host.invalid:1", token=TOKEN)


class TestIpc:
    @pytest.fixture
    def folder(self):
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)

    def test_only_its_user_may_open_the_socket(self, serving, folder):
        serving(f"zmq+ipc://{folder}/env.sock")
        assert (folder / "env.sock").stat().st_mode & 0o777 == 0o600

    def test_a_socket_that_a_killed_server_left_is_taken_over(self, serving, folder):
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(f"{folder}/env.sock")
        endpoint = serving(f"zmq+ipc://{folder}/env.sock")
        client = connect(str(endpoint), token=TOKEN)
        assert client.call("echo", value=1) == 1

    def test_a_file_in_the_way_is_not_overwritten(self, serving, folder):
        (folder / "notes.txt").write_text("mine")
        with pytest.raises(TransportError, match="not a socket"):
            serving(f"zmq+ipc://{folder}/notes.txt")
        assert (folder / "notes.txt").read_text() == "mine"

    def test_paths_that_cannot_be_bound_are_one_sentence(self, serving, folder):
        with pytest.raises(TransportError, match="does not exist"):
            serving(f"zmq+ipc://{folder}/none/env.sock")
        with pytest.raises(UsageError, match="too long"):
            serving(f"zmq+ipc://{folder}/{'x' * 120}")
        with pytest.raises(ConnectionLostError):
            connect(f"zmq+ipc://{folder}/nobody.sock", token=TOKEN)


def test_endpoints_are_zmq_addresses():
    assert zmq_address(parse_endpoint("zmq+tcp://127.0.0.1:7")) == "tcp://127.0.0.1:7"
    assert zmq_address(parse_endpoint("zmq+tcp://[::1]:7")) == "tcp://[::1]:7"
    assert zmq_address(parse_endpoint("zmq+ipc:///run/a.sock")) == "ipc:///run/a.sock"
