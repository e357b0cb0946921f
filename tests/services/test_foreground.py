import os
import signal
import subprocess
import sys

import pytest
from rpent.cli import main
from rpent.environments.interpreter import Interpreter
from rpent.errors import ExitCode, ServiceError
from rpent.rpc import connect
from rpent.services.foreground import serve_foreground
from rpent.services.targets import ServiceTarget, find_service
from rpent.services.tokens import read_or_make_token
from service_cases import HERE, counter_request, is_running, wait_until

SERVE = """
import sys
from rpent.cli import main
from rpent.services import targets
from rpent.services.targets import ServiceTarget
from service_cases import counter_request

targets.find_service = lambda text: ServiceTarget("test", counter_request().spec, "")
main(["serve", "test/counter", *sys.argv[1:]])
"""


def serve(*arguments, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", SERVE, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE), **environment},
    )


def endpoint_of(process):
    for line in process.stdout:
        if line.startswith("Serving"):
            return line.split(" at ")[1].split(" ")[0]
    raise AssertionError("it did not serve")


@pytest.fixture
def token_file(tmp_path):
    return tmp_path / "secrets" / "token"


def test_serves_until_ctrl_c_with_the_options_of_the_service(token_file):
    process = serve("--start", 40, "--token-file", token_file, "--endpoint", "zmq+tcp://127.0.0.1:0")
    try:
        channel = connect(endpoint_of(process), token=read_or_make_token(token_file))
        assert channel.call("count", by=2) == 42
        pid = channel.call("pid")
        channel.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == ExitCode.SUCCESS
        assert not is_running(pid)
    finally:
        process.kill()
        process.communicate()


def test_kill_9_of_serve_leaves_nothing(token_file):
    process = serve("--token-file", token_file, "--endpoint", "zmq+tcp://127.0.0.1:0")
    try:
        channel = connect(endpoint_of(process), token=read_or_make_token(token_file))
        pids = [channel.call(name) for name in ("pid", "spawn", "spawn_escaping")]
    finally:
        process.kill()
        process.communicate()
    wait_until(lambda: not any(is_running(pid) for pid in pids))


def test_a_port_in_use_is_one_sentence(token_file, supervisor, events):
    from dataclasses import replace

    supervisor.start([replace(counter_request(), transport="zmq+tcp")])
    (ready,) = [event for event in events if event["state"] == "ready"]
    for scheme in ("http", "zmq+tcp"):
        taken = ready["endpoint"].replace("zmq+tcp", scheme)
        process = serve("--token-file", token_file, "--endpoint", taken)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == ExitCode.INFRASTRUCTURE
        assert "Traceback" not in output
        (line,) = output.splitlines()
        assert "in use" in line


def test_a_wrong_value_is_a_usage_error_before_anything_starts(token_file):
    process = serve("--token-file", token_file, "--fault", "sulking")
    output, _ = process.communicate(timeout=60)
    assert process.returncode == ExitCode.USAGE
    assert "`sulking` is not accepted" in output
    assert not token_file.exists()


def test_an_expected_error_of_the_factory_is_its_sentence():
    target = ServiceTarget("test", counter_request().spec, "")
    with pytest.raises(ServiceError, match=r"`test/counter` failed: No GL: neither EGL nor OSMesa") as caught:
        serve_foreground(
            target,
            Interpreter(sys.executable),
            config={"fault": "expected"},
            endpoint="127.0.0.1:0",
            token="secret",
            on_ready=lambda _: None,
        )
    assert caught.value.hint == "apt-get install libegl1"


def test_a_token_file_is_made_once_and_only_for_its_owner(token_file):
    token = read_or_make_token(token_file)
    assert token_file.stat().st_mode & 0o077 == 0
    assert read_or_make_token(token_file) == token
    assert len(token) > 40


def test_an_unknown_owner_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["serve", "no-such-robot/env"])
    assert caught.value.code == ExitCode.USAGE
    assert "`no-such-robot`" in capsys.readouterr().err


def test_finds_a_service_by_its_owner_alone():
    assert str(find_service("libero")) == "libero/env"
