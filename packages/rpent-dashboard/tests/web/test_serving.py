"""The server on its thread: where it listens, and how it ends."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import threading
import time
from http.client import HTTPResponse
from pathlib import Path

import httpx
import pytest
from rpent.errors import ServiceError, UsageError
from rpent.run.lock import RunLock
from rpent.testing.registry import FakeRegistry
from rpent_dashboard.config import DashboardConfig
from rpent_dashboard.hosting.host import Host
from rpent_dashboard.web import listening, protocol, serving
from rpent_dashboard.web.listening import listen

HANGING_S = 20
"""Far beyond the two seconds that stopping takes at most."""


def stopped(dashboard):
    """Stop a dashboard; whether it ended."""
    thread = threading.Thread(target=dashboard.stop, daemon=True)
    thread.start()
    thread.join(HANGING_S)
    return not thread.is_alive()


def taken(port=0, host="127.0.0.1"):
    """A port that somebody listens on."""
    other = socket.create_server((host, port))
    return other, other.getsockname()[1]


class TestPort:
    def test_the_next_free_one_where_nobody_chose(self, monkeypatch):
        other, port = taken()
        monkeypatch.setattr(DashboardConfig.model_fields["port"], "default", port)
        DashboardConfig.model_rebuild(force=True)
        try:
            with other, listen(DashboardConfig()).socket as bound:
                assert port < bound.getsockname()[1] <= port + listening._FURTHER_PORTS
        finally:
            monkeypatch.undo()
            DashboardConfig.model_rebuild(force=True)

    def test_a_chosen_one_that_is_taken_is_an_error(self):
        other, port = taken()
        with other, pytest.raises(ServiceError, match=f"port {port} is taken"):
            listen(DashboardConfig(port=port))

    def test_one_that_may_not_be_used_is_an_error(self, monkeypatch):
        def denied(*_):
            raise OSError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(listening, "_bind", denied)
        with pytest.raises(ServiceError, match="Permission denied"):
            listen(DashboardConfig(port=80))


class TestAddress:
    @pytest.mark.parametrize("host", ["0.0.0.0", "::"])
    def test_beyond_loopback_it_wants_a_token_file(self, host, tmp_path):
        with pytest.raises(UsageError, match="no token file"):
            listen(DashboardConfig(host=host, port=0))
        listener = listen(DashboardConfig(host=host, port=0, token_file=tmp_path / "token"))
        listener.socket.close()
        assert not listener.loopback

    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.2", "::1"])
    def test_loopback_wants_none(self, host):
        listener = listen(DashboardConfig(host=host, port=0))
        listener.socket.close()
        assert listener.loopback

    @pytest.mark.parametrize("host", ["no.such.name.invalid", "", "a b", "x" * 300])
    def test_one_that_is_unknown_is_an_error(self, host, tmp_path):
        with pytest.raises(UsageError):
            listen(DashboardConfig(host=host, port=0))

    def test_a_server_everywhere_answers_to_numbers_and_to_names_that_are_allowed(self, serve_with, tmp_path):
        served = serve_with(host="0.0.0.0", token_file=tmp_path / "token", allowed_host=["Lab.example"])
        assert served.client.get("/api/me").json()["loopback"] is False

        def status(name):
            return served.client.get("/api/me", headers={"Host": name}).status_code

        assert status(f"127.0.0.1:{served.port}") == 200
        assert status("lab.example") == 200
        assert status(f"LAB.example:{served.port}") == 200
        assert status("lab.example:1") == 421
        assert status(f"other.example:{served.port}") == 421
        assert status(f"192.0.2.1:{served.port}") == 421

    @pytest.mark.parametrize("host", ["0.0.0.0", "::"])
    def test_the_address_of_the_connection_is_a_name(self, serve_with, tmp_path, host):
        served = serve_with(host=host, token_file=tmp_path / "token")
        with httpx.Client(trust_env=False) as client:
            url = f"http://127.0.0.2:{served.port}/"
            assert client.get(url, headers={"Host": f"127.0.0.2:{served.port}"}).status_code == 401
            assert client.get(url, headers={"Host": f"127.0.0.3:{served.port}"}).status_code == 421

    def test_a_tunnel_from_another_port_is_allowed_by_name(self, serve_with):
        served = serve_with(allowed_host=["localhost:9000"])
        assert served.client.get("/api/me", headers={"Host": "localhost:9000"}).status_code == 200
        assert served.client.get("/api/me", headers={"Host": "localhost:9001"}).status_code == 421

    @pytest.mark.parametrize("name", ["http://lab.example", "*", "a b", "lab.example:port", ""])
    def test_what_is_no_name_is_an_error(self, name, tmp_path):
        with pytest.raises(UsageError, match="not a name"):
            serving.Dashboard(DashboardConfig(port=0, allowed_host=[name]), output_dir=tmp_path)


class TestToken:
    def test_without_a_file_each_process_has_its_own(self, serve_with):
        first, second = serve_with(), serve_with()
        assert first.token_url.partition("=")[2] != second.token_url.partition("=")[2]
        name = f"rpent_dashboard_{second.port}"
        old = f"{name}={first.cookie.partition('=')[2]}"
        answer = httpx.get(f"{second.url}/api/me", headers={"Cookie": old}, trust_env=False)
        assert answer.status_code == 401

    def test_with_a_file_an_open_page_goes_on_after_a_restart(self, serve_with, tmp_path):
        first = serve_with(token_file=tmp_path / "token")
        assert stopped(first.dashboard)
        second = serve_with(token_file=tmp_path / "token", port=first.port)
        answer = first.client.get("/api/me")
        assert answer.status_code == 200
        assert answer.json()["csrf"] == first.csrf
        assert second.token_url == first.token_url
        assert (tmp_path / "token").stat().st_mode & 0o077 == 0

    def test_a_token_of_ones_own_opens_the_printed_address(self, serve_with, tmp_path):
        (tmp_path / "token").write_text("a+b/c=d&e#f%20g h?i\n")
        served = serve_with(token_file=tmp_path / "token")  # its client comes in by the printed address
        assert served.client.get("/api/me").status_code == 200

    def test_a_file_that_others_can_read_is_said(self, serve_with, tmp_path):
        served = serve_with(token_file=tmp_path / "token")
        assert served.dashboard.cautions == []
        (tmp_path / "token").chmod(0o644)
        assert "chmod 600" in served.dashboard.cautions[0]

    def test_one_that_can_be_guessed_is_refused(self, tmp_path):
        (tmp_path / "token").write_text("secret\n")
        with pytest.raises(UsageError, match="shorter than 16"):
            serving.Dashboard(DashboardConfig(port=0, token_file=tmp_path / "token"), output_dir=tmp_path)


class TestEnd:
    def test_it_ends_while_streams_are_open(self, sabotage, served):
        with served.client.stream("GET", "/api/test/ticks") as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith("event: tick")
            assert stopped(served.dashboard)
            assert list(lines)  # what was sent before, and the end in order
        assert sabotage.ended == 1

    def test_it_ends_while_its_own_streams_are_open(self, serve_with, tmp_path):
        run = tmp_path / "runs" / "one"
        (run / "logs").mkdir(parents=True)
        (run / "run.json").write_text("{}")
        (run / "events.jsonl").write_text('{"type": "run_started"}\n')
        (run / "logs" / "env.log").write_text("ready\n")
        served = serve_with(hosted=Host(tmp_path / "runs", registry=FakeRegistry()))
        addresses = ["runs/one/stream", "runs/one/logs/env/stream", "library/stream", "session/stream"]
        with RunLock(run), contextlib.ExitStack() as open_streams:
            for address in addresses:
                stream = open_streams.enter_context(served.client.stream("GET", f"/api/{address}"))
                assert stream.status_code == 200, address
                next(stream.iter_raw())
            assert stopped(served.dashboard)

    def test_it_ends_while_a_client_does_not_read(self, sabotage, served, connect):
        with connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            head = f"GET /api/test/flood HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {served.cookie}\r\n\r\n"
            connection.sendall(head.encode())
            assert connection.recv(100)
            assert stopped(served.dashboard)

    def test_it_ends_while_requests_are_half_sent(self, served, connect):
        with connect() as silent, connect() as slow, connect() as body:
            slow.sendall(b"GET /api/me HT")
            head = f"POST /api/x HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {served.cookie}\r\n"
            head += (
                f"X-RPent-CSRF: {served.csrf}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
            )
            body.sendall(head.encode())
            assert served.client.get("/api/me").status_code == 200
            assert stopped(served.dashboard)
            assert silent.recv(1) == b""

    def test_the_port_is_free_afterwards_and_stopping_again_does_nothing(self, served):
        assert stopped(served.dashboard)
        assert stopped(served.dashboard)
        listen(DashboardConfig(port=served.port)).socket.close()

    def test_another_one_after_it_streams(self, sabotage, serve_with):
        for _ in range(2):
            served = serve_with()
            with served.client.stream("GET", "/api/test/ticks") as stream:
                assert next(stream.iter_lines()).startswith("event: tick")
                assert stopped(served.dashboard)

    def test_a_stream_whose_client_leaves_ends(self, sabotage, served):
        with served.client.stream("GET", "/api/test/ticks") as stream:
            next(stream.iter_lines())
        with served.client.stream("GET", "/api/test/ticks") as stream:
            lines = stream.iter_lines()
            for _ in range(200):  # at most ten seconds of ticks
                next(lines)
                if sabotage.ended:
                    break
        assert sabotage.ended >= 1

    def test_a_server_that_ends_by_itself_is_an_error(self, served):
        served.dashboard._uvicorn.should_exit = True
        with pytest.raises(ServiceError, match="ended by itself"):
            served.dashboard.wait()


class TestIdle:
    def test_many_silent_connections_leave_room_for_a_request(self, served, connect):
        connections = [connect() for _ in range(200)]
        try:
            assert served.client.get("/api/me").status_code == 200
        finally:
            for connection in connections:
                connection.close()

    def test_those_beyond_the_bound_are_closed(self, monkeypatch, served, connect, answer_on):
        monkeypatch.setattr(protocol, "MAX_CONNECTIONS", 3)
        connections = [connect() for _ in range(3)]
        with connect() as late:
            assert answer_on(late).status == 0
        for connection in connections:
            connection.close()
        assert served.client.get("/api/me").status_code == 200

    @pytest.mark.parametrize("sent", [b"", b"GET /api/me HTTP/1.1\r\nHost: x\r\nX: "])
    def test_one_that_sends_no_request_is_closed(self, monkeypatch, served, connect, answer_on, sent):
        monkeypatch.setattr(protocol, "HEAD_S", 0.2)
        with connect() as connection:
            connection.sendall(sent)
            assert answer_on(connection).status == 0

    def test_the_wait_between_two_requests_may_be_longer(self, monkeypatch, served, connect):
        monkeypatch.setattr(protocol, "HEAD_S", 0.2)
        with connect() as connection:
            for _ in range(2):
                connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
                answer = HTTPResponse(connection)
                answer.begin()
                assert (answer.status, answer.read()[-8:]) == (401, b"</html>\n")
                time.sleep(0.5)
            connection.sendall(b"GET / HT")
            assert connection.recv(65536) == b"", "part of a head is waited for as ever"

    def test_a_stream_is_no_silence(self, monkeypatch, sabotage, served):
        monkeypatch.setattr(protocol, "HEAD_S", 0.2)
        with served.client.stream("GET", "/api/test/ticks") as stream:
            lines = stream.iter_lines()
            for _ in range(30):  # longer than the patience
                next(lines)


def test_the_folder_of_runs_may_have_a_name_that_is_no_text(serve_with, tmp_path):
    served = serve_with(output_dir=Path(os.fsdecode(bytes(tmp_path) + b"/l\xe4ufe")))
    assert served.client.get("/api/me").json()["output_dir"] == "l\N{REPLACEMENT CHARACTER}ufe"
    assert served.client.get("/api/runs").json()["total"] == 0
