"""Strangers at an HTTP server, and servers that are not RPent's."""

from __future__ import annotations

import contextlib
import http.server
import socket
import threading

import httpx
import pytest
from rpent.errors import ConnectionLostError, HandshakeError, TransportError, UsageError
from rpent.rpc import Facade, Limits, Method, connect, framing, serve
from rpent.rpc.codec import encode
from rpent.rpc.messages import Request, parse_reply, request_frames
from rpent_transport_http.protocol import MEDIA_TYPE

TOKEN = "a-token-of-this-test"
AUTHORISED = {"authorization": f"Bearer {TOKEN}"}
LIMITS = Limits(message_bytes=100_000)


def _echo(call, value):
    return value


@pytest.fixture
def endpoint():
    facade = Facade(name="toy/env", version="1.0.0", methods={"echo": Method(handler=_echo)})
    server = serve("http://127.0.0.1:0", facade, token=TOKEN, limits=LIMITS)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server.endpoint
    server.shutdown()
    thread.join(10)


@pytest.fixture
def bystander(endpoint):
    """A client that must not notice anything."""
    channel = connect(str(endpoint), token=TOKEN)
    yield channel
    assert channel.call("echo", value=1) == 1
    channel.close()


def post(endpoint, content, **headers):
    return httpx.post(f"{endpoint}/rpc", content=content, headers=headers, trust_env=False)


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": "Bearer guess"}, {"authorization": f"Basic {TOKEN}"}, {"authorization": "Bearer"}],
)
def test_without_the_token_nothing_is_read(endpoint, bystander, headers):
    answer = post(
        endpoint, framing.join(request_frames(Request(kind="ping", id="1"), encode(None))), **headers
    )
    assert answer.status_code == 401
    assert answer.text == "The server refuses the token."


def test_what_a_web_page_can_send_is_refused(endpoint, bystander):
    answer = post(endpoint, b"{}", origin="https://evil.example", **{"content-type": "text/plain"})
    assert answer.status_code == 401
    assert httpx.get(f"{endpoint}/rpc", headers=AUTHORISED).status_code == 405
    assert httpx.options(f"{endpoint}/rpc").status_code == 405
    for path in ("", "/docs", "/openapi.json", "/healthz"):
        assert httpx.get(f"{endpoint}{path}", headers=AUTHORISED).status_code == 404


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"RPF1", b"RPF1\xff\xff\xff\xff" + b"\xff" * 8, framing.join([]), framing.join([b"junk"])],
    ids=["empty", "json", "cut_off", "huge", "no_frames", "junk"],
)
def test_a_malformed_body_is_answered_with_an_error(endpoint, bystander, content):
    answer = post(endpoint, content, **AUTHORISED)
    assert answer.status_code == 200
    assert parse_reply(framing.split(answer.content, LIMITS))[0].kind == "error"


def test_a_body_that_is_too_large_is_not_read(endpoint, bystander):
    largest = framing.largest_message(LIMITS)
    assert post(endpoint, b"x" * (largest + 1), **AUTHORISED).status_code == 413
    chunks = (b"x" * 10_000 for _ in range(largest // 10_000 + 2))
    assert post(endpoint, chunks, **AUTHORISED).status_code == 413
    with socket.create_connection((endpoint.host, endpoint.port)) as raw:
        head = f"POST /rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {10**15}\r\n\r\n"
        raw.sendall(head.encode())
        assert b"413" in raw.recv(100)


@pytest.mark.parametrize(
    "garbage", [b"\0" * 100, b"GET", b"POST /rpc HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"A" * 200_000]
)
def test_bytes_that_are_no_http_hurt_nobody_else(endpoint, bystander, garbage):
    with socket.create_connection((endpoint.host, endpoint.port)) as raw:
        raw.sendall(garbage)
        assert bystander.call("echo", value=1) == 1


def test_a_client_that_leaves_in_the_middle_hurts_nobody_else(endpoint, bystander):
    with socket.create_connection((endpoint.host, endpoint.port)) as raw:
        head = f"POST /rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 5000\r\n\r\nabc"
        raw.sendall(head.encode())
    assert bystander.call("echo", value=1) == 1


def test_a_server_that_is_not_rpents_is_named_so():
    web = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    try:
        with pytest.raises(HandshakeError, match="not one of RPent's"):
            connect(f"127.0.0.1:{web.server_address[1]}", token=TOKEN)
    finally:
        web.shutdown()
        web.server_close()


def test_a_port_that_answers_nothing_is_an_error_in_time():
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(TransportError):
        connect(f"127.0.0.1:{silent.getsockname()[1]}", token=TOKEN, timeout_s=0.3)


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: 9999\r\n\r\n" % MEDIA_TYPE.encode(), b"x"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n"
            % MEDIA_TYPE.encode(),
            b"1\r\nR\r\n",
        ),
    ],
    ids=["head", "body", "chunks"],
)
def test_a_server_that_answers_drop_by_drop_is_an_error_in_time(head, drop):
    ended = threading.Event()

    def answer(listening):
        with contextlib.suppress(OSError):
            while True:
                talking, _ = listening.accept()
                with talking, contextlib.suppress(OSError):
                    talking.recv(65536)
                    talking.sendall(head)
                    while not ended.wait(0.05):
                        talking.sendall(drop)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        with pytest.raises(TransportError):
            connect(f"127.0.0.1:{server.getsockname()[1]}", token=TOKEN, timeout_s=0.5)
        ended.set()


def test_an_unknown_host_is_one_sentence():
    with pytest.raises(ConnectionLostError, match=r"no-such-host\.invalid"):
        connect("http://no-such-host.invalid:1", token=TOKEN)


@pytest.mark.parametrize("token", ["", "zwei\nZeilen", "schlüssel"])
def test_a_token_that_no_header_can_hold_is_refused(endpoint, token):
    with pytest.raises(UsageError):
        connect(str(endpoint), token=token)
