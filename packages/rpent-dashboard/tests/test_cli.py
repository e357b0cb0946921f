"""`rpent dashboard` as a process."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest


@pytest.fixture
def start(tmp_path):
    """Start the command; it is killed at the end of the test if it still runs."""
    started = []

    def popen(*args):
        process = subprocess.Popen(
            [sys.executable, "-m", "rpent", "dashboard", "--output-dir", str(tmp_path / "runs"), *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield popen
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_the_address_and_ends_in_order_while_a_page_is_open(start, number):
    process = start("--port", "0")
    url = re.fullmatch(r"Dashboard: (http://127\.0\.0\.1:\d+/\?token=\S{40,})\n", process.stdout.readline())[
        1
    ]
    with httpx.Client(trust_env=False) as client:
        assert client.get(url).status_code == 200
        assert client.get(url.partition("?")[0] + "api/me").json()["output_dir"] == "runs"
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


def test_a_token_file_that_does_not_come_can_be_interrupted(start, tmp_path):
    os.mkfifo(tmp_path / "token")
    process = start("--port", "0", "--token-file", str(tmp_path / "token"))
    # Once a writer gets through, the command is about to read.
    writer = os.open(tmp_path / "token", os.O_WRONLY)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    os.close(writer)
    assert (process.returncode, err.strip()) == (130, "Interrupted.")


def test_a_port_that_is_taken_is_one_sentence(start):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        process = start("--port", str(port))
        out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert err.startswith(f"Error: The port {port} is taken.\n")
    assert out == ""


def test_beyond_loopback_it_wants_a_token_file_and_says_what_that_means(start, tmp_path):
    process = start("--host", "0.0.0.0", "--port", "0")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "--token-file" in err

    process = start("--host", "0.0.0.0", "--port", "0", "--token-file", str(tmp_path / "token"))
    line = process.stdout.readline()
    assert (tmp_path / "token").read_text().strip() in line
    assert "no TLS" in process.stderr.readline()
    assert "--allowed-host" in process.stderr.readline()


def test_a_wrong_option_is_a_usage_error(start):
    process = start("--port", "99999")
    process.communicate(timeout=60)
    assert process.returncode == 2
