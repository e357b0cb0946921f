"""Models that do not speak Responses: the real Codex, the real LiteLLM proxy, a local model server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from rpent.errors import ServiceError
from rpent.planners.faults import ModelError
from rpent.planners.launcher import ALWAYS as EVERY_PROGRAMS
from rpent.runs.events import AssistantText, ToolCalled, UsageReported, read_events
from rpent.services import prctl
from rpent.testing import fake_session
from rpent.testing.fake_robot.robot import solution
from rpent.testing.models import ALWAYS, Call, Fault, GuardProxy, Reply
from rpent_planner_codex import proxy
from rpent_planner_codex.config import CodexConfig
from rpent_planner_codex.endpoint import Endpoint
from rpent_planner_codex.planner import CodexPlanner


def planner(server, upstream, **options):
    base = server.url if upstream == "anthropic" else f"{server.url}/v1"
    return CodexPlanner(CodexConfig(base_url=base, model="test-model", upstream=upstream, **options))


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")


@pytest.mark.sdk
@pytest.mark.parametrize("upstream", ["chat", "anthropic"])
def test_an_episode_with_pictures(upstream, serve, key, tmp_path, monkeypatch):
    script = [Reply(text=f"Next: {name}.", calls=[Call(name, arguments)]) for name, arguments in solution()]
    script.insert(0, Reply(text="First I look.", calls=[Call("look", {}), Call("nope", {})]))
    server = serve(script)
    with GuardProxy() as guard:
        for name, value in guard.environment.items():
            monkeypatch.setenv(name, value)
        with fake_session(tmp_path / "run") as session:
            planner(server, upstream).run(session)
            assert (session.ended.reason, session.ended.planner_status) == ("finished", "success")
            events = list(read_events(session.recorder.directory.events))
            opening = [picture.data for picture in session.opening.images]
        assert guard.log == []
    called = [event.name for event in events if isinstance(event, ToolCalled)]
    assert called == ["look", "nope", *(name for name, _ in solution())]
    assert next(event.text for event in events if isinstance(event, AssistantText)) == "First I look."
    assert all(event.input_tokens for event in events if isinstance(event, UsageReported))
    assert {request.wire for request in server.requests} == {upstream}
    assert server.requests[0].pictures == opening
    assert len(server.requests[1].pictures) == len(opening) + 1
    assert len(server.requests) == len(script)
    assert server.problems == []
    assert not _litellm_processes()


@pytest.mark.sdk
def test_a_wrong_key_upstream_is_said(serve, key, tmp_path, monkeypatch):
    server = serve([Reply(fault=Fault(status=401, times=ALWAYS))])
    with fake_session(tmp_path / "run") as session, pytest.raises(ModelError) as caught:
        planner(server, "chat").run(session)
    assert caught.value.fault == "key"
    assert len(server.requests) == 1
    assert server.url in caught.value.message  # the user's address, not the proxy's


def test_settings_hold_no_key():
    endpoint = Endpoint("https://m.example/v1", "OPENAI_API_KEY", "secret")
    for upstream in ("chat", "anthropic"):
        settings = proxy.proxy_settings(upstream, endpoint, "m")
        assert "secret" not in str(settings)
        assert settings["model_list"][0]["model_name"] == "m"
    assert settings["model_list"][0]["litellm_params"]["model"] == "anthropic/m"


def test_a_proxy_that_does_not_start_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(proxy, "_RUN", "import sys; print('no such thing'); sys.exit(4)")
    with fake_session(tmp_path / "run") as session:
        endpoint = Endpoint("http://127.0.0.1:9/v1", "OPENAI_API_KEY", "k")
        with pytest.raises(ServiceError, match="did not start") as caught, _running(endpoint, session):
            pass
    assert "no such thing" in caught.value.hint


def test_the_end_of_the_session_ends_the_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(proxy, "_RUN", "import time; time.sleep(600)")
    with fake_session(tmp_path / "run") as session:
        threading.Timer(0.5, session.fail, args=("over",)).start()
        endpoint = Endpoint("http://127.0.0.1:9/v1", "OPENAI_API_KEY", "k")
        with pytest.raises(Exception, match="over"), _running(endpoint, session):
            pass
    assert not _children_of(os.getpid())


def _running(endpoint, session):
    return proxy.running_proxy("chat", endpoint, "m", session)


KEPT = (
    "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], \
start_new_session=True); print('up', flush=True); time.sleep(600)"
)


def test_the_keeper_leaves_nothing_when_its_starter_is_gone(tmp_path):
    folder = tmp_path / "used"
    folder.mkdir()
    keeper = subprocess.Popen(
        [sys.executable, "-m", "rpent_planner_codex.keeper", str(folder), sys.executable, "-c", KEPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert keeper.stdout.readline() == b"up\n"
    below = _children_of(keeper.pid)
    assert len(below) == 2
    keeper.stdin.close()
    keeper.wait(20)
    keeper.stdout.close()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in below) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]
    assert not folder.exists()


def _children_of(pid):
    found = prctl.children(pid)
    return found + [below for child in found for below in _children_of(child)]


def _litellm_processes():
    return [
        pid for pid in _children_of(os.getpid()) if b"litellm" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


@pytest.mark.sdk
def test_a_file_with_settings_in_a_folder_above_is_not_read(tmp_path):
    """`/tmp` is above the proxy's folder, and everybody may write there."""
    (tmp_path / ".env").write_text("HTTPS_PROXY=http://127.0.0.1:9\n")
    home = tmp_path / "home"
    home.mkdir()
    code = "import litellm.proxy.proxy_cli, os; print(os.environ.get('HTTPS_PROXY'))"
    environment = proxy.proxy_environment(home, key="k", upstream_key="u")
    environment.pop("HTTPS_PROXY", None)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"


@pytest.mark.sdk
def test_a_key_that_the_server_quotes_is_in_no_record(serve, tmp_path):
    quoted = Fault(status=401, message="Incorrect API key provided: test-words-7.", times=ALWAYS)
    server = serve([Reply(fault=quoted)], key="test-words-7")
    with fake_session(tmp_path / "run") as session:
        with pytest.raises(ModelError) as raised:
            planner(server, "chat").run(session)
        assert "$OPENAI_API_KEY" in raised.value.message
        record = [
            path.read_text(errors="replace")
            for path in session.recorder.directory.path.rglob("*.*")
            if path.is_file()
        ]
    assert not [text for text in record if "test-words-7" in text]
    assert [text for text in record if "$OPENAI_API_KEY" in text]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose a port is")
def test_a_port_that_another_user_took_is_refused(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert not proxy._is_ours(port)
        taken.listen()
        assert proxy._is_ours(port)
        monkeypatch.setattr(os, "getuid", lambda: 4711)
        assert not proxy._is_ours(port)


def test_the_proxy_gets_no_secret_of_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_TOKEN", "not-for-the-proxy")
    monkeypatch.setenv("OPENAI_API_KEY", "nor-this")
    found = proxy.proxy_environment(tmp_path, key="the-runs", upstream_key="the-models")
    usual = {name for name in found if name in EVERY_PROGRAMS or name.startswith("LC_")}
    own = {name: value for name, value in found.items() if name not in usual | {"HOME"}}
    assert not {"not-for-the-proxy", "nor-this"} & set(found.values())
    assert found["HOME"] == str(tmp_path)
    assert {value for name, value in own.items() if "KEY" in name} == {"the-runs", "the-models"}
    assert all(name.startswith(("LITELLM_", "NO_DOCS", "RPENT_")) for name in own), own


@pytest.mark.sdk
def test_nor_does_its_process(serve, key, tmp_path, monkeypatch):
    import psutil

    monkeypatch.setenv("GITHUB_TOKEN", "not-for-the-proxy")
    environments = []

    def look(_request):
        me = psutil.Process()
        environments.extend(child.environ() for child in me.children(recursive=True))
        return Reply(calls=[Call("finish", {"status": "stuck", "summary": "Seen."})])

    server = serve(look)
    with fake_session(tmp_path / "run") as session:
        planner(server, "chat").run(session)
    assert any("LITELLM_MODE" in environment for environment in environments)
    assert not any("not-for-the-proxy" in environment.values() for environment in environments)
