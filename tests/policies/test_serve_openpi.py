"""`rpent policy serve-openpi` as a command of its own, in front of a policy server over HTTP."""

import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager

import numpy as np
import pytest
from rpent.errors import ExitCode, PolicyError
from rpent.policies.api import CameraInput, Signature
from rpent.testing.policies.fake import SPEC, make_checkpoint
from rpent.testing.policies.serving import TOKEN, served_policy, server_config
from rpent_policy_openpi.client import OpenpiClient
from rpent_robot_libero.embodiment import LIBERO

SIGNATURE = Signature(
    family="fake",
    cameras={f"observation.images.{name}": CameraInput(height=64, width=64) for name in ("image2", "image")},
    state={"observation.state": 8},
    action={"action": 7},
    chunk_length=5,
)
OBSERVATION = {
    "observation/image": np.zeros((224, 224, 3), np.uint8),
    "observation/wrist_image": np.zeros((224, 224, 3), np.uint8),
    "observation/state": np.zeros(8),
    "prompt": "pick up the cup",
}


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "token"
    path.write_text(TOKEN)
    return path


@contextmanager
def policy(tmp_path, *, embodiment=None, **values):
    checkpoint = make_checkpoint(tmp_path / "checkpoint", SIGNATURE)
    config = server_config(SPEC, {"checkpoint": str(checkpoint), **values}, embodiment=embodiment)
    with served_policy(config, endpoint="http://127.0.0.1:0") as channel:
        yield channel.endpoint


@contextmanager
def command(*arguments):
    """Yield the process, its lines until it serves, and a client."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "rpent",
            "policy",
            "serve-openpi",
            "--listen",
            "127.0.0.1:0",
            *map(str, arguments),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines, found = [], None
    try:
        while found is None and (line := process.stdout.readline()):
            lines.append(line.rstrip())
            found = re.search(r"ws://127\.0\.0\.1:\d+", line)
        assert found, process.communicate()
        client = OpenpiClient(found.group())
        yield process, lines, client
        client.close()
    finally:
        process.kill()
        process.communicate()


def interrupt(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert "Stopped." in err
    assert "Traceback" not in out + err
    return err


def test_it_serves_until_it_is_interrupted(tmp_path, token_file):
    with (
        policy(tmp_path) as endpoint,
        command("--vla-endpoint", endpoint, "--token-file", token_file) as (process, lines, client),
    ):
        assert "  observation/image → observation.images.image" in lines
        assert "  observation/wrist_image → observation.images.image2" in lines
        assert client.infer(OBSERVATION, timeout_s=10)["actions"].shape == (5, 7)
        with urllib.request.urlopen(client.uri.replace("ws:", "http:") + "/healthz", timeout=5) as answer:
            assert answer.read() == b"OK\n"
        interrupt(process)


def test_it_ends_while_a_question_waits(tmp_path, token_file):
    with (
        policy(tmp_path, slow_s=3.0) as endpoint,
        command("--vla-endpoint", endpoint, "--token-file", token_file) as (process, _, client),
    ):
        failed = []

        def ask():
            try:
                client.infer(OBSERVATION, timeout_s=20)
            except PolicyError as error:
                failed.append(error.message)

        asking = threading.Thread(target=ask)
        asking.start()
        time.sleep(0.8)
        interrupt(process)
        asking.join(20)
        assert failed


def test_the_keys_come_from_the_robots_layout(tmp_path, token_file):
    with policy(tmp_path, embodiment=LIBERO) as endpoint:
        options = ("--vla-endpoint", endpoint, "--token-file", token_file)
        with command(*options) as (_, lines, client):
            assert "  observation/state → observation.state" in lines
            client.connect()
            assert client.metadata["robot"] == "libero"
        with command(*options, "--key", "top=observation.images.image") as (_, lines, client):
            assert "  top → observation.images.image" in lines
            assert "  observation/wrist_image → observation.images.image2" in lines


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--vla-endpoint", "127.0.0.1:1"], ExitCode.INFRASTRUCTURE, "No server answers"),
        (["--vla-endpoint", "127.0.0.1:1", "--listen", "0.0.0.0:0"], ExitCode.USAGE, "--api-key-file"),
        (["--vla-endpoint", "127.0.0.1:1", "--listen", "/tmp/x"], ExitCode.USAGE, "is not an endpoint"),
        (["--vla-endpoint", "127.0.0.1:1", "--key", "a"], ExitCode.USAGE, "is not accepted by `--key`"),
        ([], ExitCode.USAGE, "--vla-endpoint"),
    ],
)
def test_refusals(token_file, arguments, code, words):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "rpent",
            "policy",
            "serve-openpi",
            "--token-file",
            str(token_file),
            *arguments,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken(tmp_path, token_file):
    with policy(tmp_path) as endpoint:
        options = ("--vla-endpoint", str(endpoint), "--token-file", str(token_file))
        with command(*options) as (_, _, client):
            listen = client.uri.removeprefix("ws://")
            done = subprocess.run(
                [sys.executable, "-m", "rpent", "policy", "serve-openpi", *options, "--listen", listen],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
    assert done.returncode == ExitCode.INFRASTRUCTURE
    assert f"`{listen}` cannot be listened on" in done.stderr
