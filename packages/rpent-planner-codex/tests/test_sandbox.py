"""A model that wants more than the robot: it gets nothing, and nothing of the run stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from rpent.planners.launcher import ALWAYS, launched_group
from rpent.services import prctl
from rpent.testing import fake_session
from rpent.testing.models import Call, GuardProxy, Reply
from rpent_planner_codex import home as homes
from rpent_planner_codex.calls import CODEX_OWN
from rpent_planner_codex.home import CHILD_ENVIRONMENT

pytestmark = pytest.mark.sdk

FINISH = Reply(calls=[Call("finish", {"status": "failure", "summary": "No."})])
SET_BY_SHELLS = {"PWD", "OLDPWD", "SHLVL", "_"}
PATCH = "*** Begin Patch\n*** Add File: {0}\n+x\n*** End Patch"


def attempts(canary: Path, url: str) -> list[Call]:
    touch = f"touch {canary}"
    script = f"const r = await tools.exec_command({{cmd: {json.dumps(touch)}}}); text(r);"
    return [
        Call("exec_command", {"cmd": touch}),
        Call("exec_command", {"cmd": touch}, namespace="functions"),
        Call("shell", {"command": ["sh", "-c", touch]}),
        Call("shell_command", {"command": touch}),
        Call("local_shell", {"command": touch}),
        Call("write_stdin", {"session_id": 1, "chars": touch}),
        Call("apply_patch", {"input": PATCH.format(canary)}),
        Call("apply_patch", PATCH.format(canary), custom=True),
        Call("apply_patch", PATCH.format(canary), custom=True, namespace="functions"),
        Call("exec", script, custom=True, namespace="functions"),
        Call("exec", script, custom=True),
        Call("view_image", {"path": "/etc/hostname"}),
        Call("web_search", {"query": "robots"}),
        Call("run", {"search_query": [{"q": "robots"}]}, namespace="web"),
        Call("read_mcp_resource", {"server": "robot", "uri": "file:///etc/passwd"}),
        Call("request_user_input", {"questions": []}),
        Call("spawn_agent", {"message": touch}),
        Call("update_plan", {"plan": []}),
        Call("tool_search", {"query": "shell"}),
        Call("open", {"url": url}),
    ]


@pytest.fixture
def guard(monkeypatch):
    with GuardProxy() as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
        yield proxy


@pytest.fixture
def folders(monkeypatch):
    """The private folders that are made."""
    made = []
    original = homes.private_folder

    @contextmanager
    def noted(planner):
        with original(planner) as folder:
            made.append(folder)
            yield folder

    monkeypatch.setattr(homes, "private_folder", noted)
    return made


@pytest.mark.parametrize("model", ["gpt-6.1-sol", "gpt-5.5", "test-model"])
def test_nothing_but_the_robot_can_be_reached(  # noqa: PLR0917  (fixtures)
    model, guard, folders, serve, planner_for, tmp_path
):
    canary = tmp_path / "canary"
    calls = attempts(canary, guard.url)
    server = serve([Reply(calls=calls), FINISH], models=(model,))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "user").rglob("*")}
    with fake_session(tmp_path / "run") as session:
        offered = {tool.name for tool in session.tools}
        planner_for(server).run(session)
        assert session.ended.planner_status == "failure"
        events = session.recorder.directory.events.read_text()
    assert not canary.exists()
    assert guard.log == []
    for request in server.requests:
        assert set(request.tools) - CODEX_OWN == offered
    answers = [result.text for result in server.requests[1].results]
    assert len(answers) == len(calls)
    assert "root:" not in "".join(answers)
    assert events.count('"executed": false') + events.count('"executed":false') >= len(calls) - 1
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "user").rglob("*")} == before
    assert folders
    assert not [folder for folder in folders if folder.exists()]


def test_the_childs_environment_is_small(serve, planner_for, tmp_path, monkeypatch, folders):
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    seen = {}

    def look(_request):
        group = next(pid for folder in folders if (pid := launched_group(folder)))
        for pid in [group, *descendants(group)]:
            entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
            seen[pid] = dict(entry.split("=", 1) for entry in entries if entry)
        seen["cwd"] = list(Path(f"/proc/{group}/cwd").iterdir())
        seen["group"] = os.getpgid(group)

    server = serve([Reply(calls=[Call("look", {})], expect=look), FINISH])
    with fake_session(tmp_path / "run") as session:
        planner_for(server).run(session)
    assert server.problems == []
    assert seen.pop("cwd") == []
    assert seen.pop("group") != os.getpgrp()
    assert seen
    for variables in seen.values():
        names = {name for name in variables if not name.startswith("LC_")}
        assert names <= ALWAYS | CHILD_ENVIRONMENT | SET_BY_SHELLS
        assert variables["HOME"] == variables["CODEX_HOME"] != os.environ["HOME"]
        assert variables["RPENT_MODEL_KEY"] == "test-key"
        assert "secret" not in str(variables)


def test_no_process_is_left(serve, planner_for, tmp_path, folders):
    found = []

    def look(_request):
        group = next(pid for folder in folders if (pid := launched_group(folder)))
        found.extend([group, *descendants(group)])

    server = serve([Reply(calls=[Call("look", {})], expect=look), FINISH])
    with fake_session(tmp_path / "run") as session:
        planner_for(server).run(session)
    assert found
    assert not [pid for pid in found if alive(pid)]
    names = [thread.name for thread in threading.enumerate()]
    assert "rpent-mcp" not in names


AGENT = """
import sys
from pathlib import Path
from rpent.testing import fake_session
from rpent_planner_codex.config import CodexConfig
from rpent_planner_codex.planner import CodexPlanner
config = CodexConfig(base_url=sys.argv[1], model="test-model", **eval(sys.argv[3]))
with fake_session(Path(sys.argv[2])) as session:
    CodexPlanner(config).run(session)
"""


def test_codex_ends_with_a_killed_agent(serve, tmp_path):
    started = threading.Event()
    server = serve([Reply(text="a b c d e f g h", slow_s=3.0, during=lambda _: started.set())])
    command = [sys.executable, "-c", AGENT, f"{server.url}/v1", str(tmp_path / "run"), "{}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as agent:
        assert started.wait(60)
        below = descendants(agent.pid)
        assert below
        agent.send_signal(signal.SIGKILL)
    assert gone(below)


def descendants(pid: int) -> list[int]:
    found = prctl.children(pid)
    return found + [pid for child in found for pid in descendants(child)]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)
