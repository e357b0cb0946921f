"""A model that wants more than the robot gets nothing, whichever planner it speaks through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil
import pytest
from rpent.testing.models import ALWAYS, Call, Fault, Reply

from .cases import KEY, PARAMS, Case
from .scenario import FAR, FINISH, LOOK, SLOW

SECRET = "the content of the secret file"
MARK = "the mark of a file that is not for a robot's planner"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of the test's own."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def project(tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home and working directory, with a coding assistant's settings, hooks, servers and notes.

    They are also where everybody may put them: in the folder for temporary files, above the private ones.
    """
    home, project = tmp_path / "home", tmp_path / "project"
    touch = f"touch {tmp_path}/canary-"
    hook = {"hooks": [{"type": "command", "command": f"{touch}hook"}]}
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
    settings = {
        "hooks": {name: [hook] for name in events},
        "env": {"MARKED": MARK},
        "apiKeyHelper": f"{touch}key",
    }
    servers = {"mcpServers": {"mine": {"command": "touch", "args": [f"{tmp_path}/canary-server"]}}}
    codex = (
        f'notify = ["touch", "{tmp_path}/canary-notify"]\ndeveloper_instructions = "{MARK}"\n'
        f'[mcp_servers.mine]\ncommand = "touch"\nargs = ["{tmp_path}/canary-server"]\n'
    )
    for folder in (home, project, temporary):
        for name, text in {
            ".git/HEAD": "ref: refs/heads/main\n",
            ".claude/settings.json": json.dumps(settings),
            ".claude/settings.local.json": json.dumps(settings),
            ".claude/CLAUDE.md": MARK,
            ".claude/commands/look.md": MARK,
            ".claude.json": json.dumps(servers),
            ".mcp.json": json.dumps(servers),
            "CLAUDE.md": MARK,
            "AGENTS.md": MARK,
            ".codex/config.toml": codex,
            ".codex/AGENTS.md": MARK,
            ".env": f"ANTHROPIC_API_KEY={MARK}\nOPENAI_API_KEY={MARK}\n",
            "secret.txt": SECRET,
        }.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    monkeypatch.chdir(project)
    return project


def attempts(project: Path) -> list[Call]:
    """Return calls of what coding assistants have, and a robot's planner has not."""
    secret, canary = str(project / "secret.txt"), str(project.parent / "canary-call")
    command = f"cat {secret}; touch {canary}"
    return [
        Call("Bash", {"command": command, "description": "x"}),
        Call("Read", {"file_path": secret}),
        Call("Write", {"file_path": canary, "content": "x"}),
        Call("Task", {"description": "x", "prompt": command, "subagent_type": "general-purpose"}),
        Call("WebFetch", {"url": "http://127.0.0.1:9/", "prompt": "x"}),
        Call("Skill", {"skill": "look"}),
        Call("ReadMcpResourceTool", {"server": "robot", "uri": f"file://{secret}"}),
        Call("read_mcp_resource", {"server": "robot", "uri": f"file://{secret}"}),
        Call("mcp__mine__touch", {}),
        Call("exec_command", {"cmd": command}),
        Call("shell", {"command": ["sh", "-c", command]}),
        Call("local_shell", {"command": command}),
        Call("apply_patch", {"input": f"*** Begin Patch\n*** Add File: {canary}\n+x\n*** End Patch"}),
        Call("view_image", {"path": secret}),
        Call("write_stdin", {"session_id": 1, "chars": command}),
        Call("spawn_agent", {"message": command}),
        Call("look", {"size": 64, "path": secret}),
        Call("look", {"size": f"$(touch {canary})"}),
    ]


@pytest.mark.parametrize("case", PARAMS)
def test_shell_files_and_the_users_settings_are_out_of_reach(
    case: Case, drive_run: Any, project: Path
) -> None:
    wants_everything(case, drive_run, project)


@pytest.mark.parametrize("case", [param for param in PARAMS if param.id == "claude-code"])
def test_they_are_with_a_subscription_too(
    case: Case, drive_run: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", KEY)
    wants_everything(case, drive_run, project)


def wants_everything(case: Case, drive_run: Any, project: Path) -> None:
    """Run a model that tries to get at what is not the robot's, and find that it got nothing."""
    secret, wanted = project / "secret.txt", attempts(project)

    def mention(drive: Any, event: Any) -> None:
        if event.type == "tool_called" and event.name == "move_to" and drive.once("mention"):
            drive.send(f"/look @{secret} @robot:file://{secret} !cat {secret}")

    said = f"![{secret}](file://{secret}) @{secret}"
    script = [
        Reply(calls=[Call("move_to", FAR)]),
        Reply(text=said, calls=wanted),
        Reply(text=said),
        Reply(calls=[LOOK, FINISH]),
    ]
    before = contents(project.parent)
    ran = drive_run(case, script, mention, robot_config=SLOW)
    assert ran.outcome.reason == "finished", ran.outcome.detail
    assert ran.server.problems == []
    bodies = json.dumps([request.body for request in ran.server.all_requests])
    assert SECRET not in bodies
    assert MARK not in bodies
    assert str(Path.home()) not in bodies.replace(str(secret), "")
    made = {event.call_id for event in ran.of("tool_returned") if event.executed}
    names = {event.name for event in ran.of("tool_called") if event.call_id in made}
    assert names == {"move_to", "look", "finish"}
    assert len(made) == 3
    refused = len(ran.of("tool_returned")) - len(made)
    assert refused >= len(wanted) - len(case.own_tools)
    assert contents(project.parent) == before


@pytest.mark.parametrize("case", PARAMS)
def test_nothing_of_a_run_is_open_to_others(case: Case, drive_run: Any, temporary: Path) -> None:
    arguments: list[str] = []
    open_to_others: list[Path] = []

    def look_around(_: Any) -> None:
        for child in psutil.Process().children(recursive=True):
            arguments.extend(child.cmdline())
        new = (path for path in temporary.iterdir() if path.name.startswith("rpent-"))
        open_to_others.extend(path for path in new if path.stat().st_mode & 0o077)

    before = os.umask(0)
    try:
        script = [Reply(calls=[LOOK]), Reply(calls=[FINISH], during=look_around)]
        ran = drive_run(case, script)
    finally:
        os.umask(before)
    assert ran.outcome.reason == "finished", ran.outcome.detail
    assert open_to_others == []
    assert bool(arguments) == case.vendor
    assert not [word for word in arguments if KEY in word or "You move cubes" in word]
    assert list(temporary.iterdir()) == []
    record = [
        path.read_text()
        for path in ran.outcome.run_dir.rglob("*")
        if path.suffix in {".json", ".jsonl", ".log"}
    ]
    assert not [text for text in record if KEY in text or str(temporary) in text]


@pytest.mark.parametrize("status", [401, 400, 500])
@pytest.mark.parametrize("case", PARAMS)
def test_a_key_that_the_server_quotes_is_in_no_record(case: Case, drive_run: Any, status: int) -> None:
    quoted = Fault(status=status, message=f"What is {KEY}? Authorization: Bearer {KEY}", times=ALWAYS)
    ran = drive_run(case, [Reply(calls=[LOOK], fault=quoted)], planner_config={"max_retries": 1})
    assert ran.outcome.reason == "infrastructure"
    assert KEY not in ran.outcome.detail + ran.outcome.hint
    files = [path for path in ran.outcome.run_dir.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def contents(folder: Path) -> dict[str, str]:
    """Return all files of the test but the record of its runs."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in files
        if path.relative_to(folder).parts[0] != "runs"
    }


@lru_cache
def can_be_alone() -> bool:
    """Whether this is a Linux whose root may have a network of its own."""
    try:
        done = subprocess.run(
            ["unshare", "-n", "-m", "ip", "link", "add", "type", "veth"], capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0


@pytest.mark.sdk
@pytest.mark.parametrize("case", PARAMS)
def test_no_packet_leaves_the_machine(case: Case, tmp_path: Path) -> None:
    if not can_be_alone():
        pytest.skip("this needs root, `unshare` and `ip`")
    names = ("PATH", "LANG", "PYTHONPATH", "VIRTUAL_ENV", "TMPDIR")
    done = subprocess.run(
        ["unshare", "-n", "-m", sys.executable, "-m", "tests.planners.alone", case.id],
        cwd=ROOT,
        env={name: os.environ[name] for name in names if name in os.environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {"status": "failure", "packets": [], "awake": True}
