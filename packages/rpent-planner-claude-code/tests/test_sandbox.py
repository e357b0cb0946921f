"""Claude Code has the robot's tools and nothing else: no shell, no files, no network, no settings of the user's."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from rpent.planners.private import folder_prefix
from rpent.testing.models import Call, GuardProxy, Reply
from rpent_planner_claude_code.endpoint import PLANNER
from rpent_planner_claude_code.options import BY_THE_SDK, PLAIN, PUBLISHED_API, QUIET

from .processes import claude_processes
from .stage import FAR, FINISH, LOOK, Played, Stage

pytestmark = pytest.mark.sdk

SECRET = "the content of the secret file"
MARK = "the mark of a file that nobody should read"
ALLOWED = {
    *QUIET,
    *PLAIN,
    *PUBLISHED_API,
    *BY_THE_SDK,
    *("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "NO_PROXY", "no_proxy", "OLDPWD", "_", "SHLVL"),
    *("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_DEFAULT_HAIKU_MODEL"),
    *("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_TMPDIR", "CLAUDE_CODE_MAX_RETRIES", "NODE_EXTRA_CA_CERTS"),
}


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home and working directory with settings, hooks, servers and secrets."""
    project, home = tmp_path / "project", tmp_path / "home"
    (home / ".claude").mkdir()
    (project / ".claude").mkdir(parents=True)
    hook = {"hooks": [{"type": "command", "command": f"touch {tmp_path}/hooked"}]}
    hooks = {name: [hook] for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop")}
    settings = {"hooks": hooks, "env": {"MARKED": MARK}, "permissions": {"allow": ["Bash", "Read", "Write"]}}
    server = {"mcpServers": {"mine": {"command": "touch", "args": [f"{tmp_path}/served"]}}}
    for folder in (home, project):
        (folder / ".claude" / "settings.json").write_text(json.dumps(settings))
        (folder / ".mcp.json").write_text(json.dumps(server))
        (folder / "CLAUDE.md").write_text(MARK)
        (folder / "AGENTS.md").write_text(MARK)
    (home / ".claude" / "CLAUDE.md").write_text(MARK)
    (home / ".claude.json").write_text(json.dumps(server))
    (project / "secret.txt").write_text(SECRET)
    monkeypatch.chdir(project)
    return project


def attempts(project: Path) -> list[Call]:
    """Return calls of what a coding assistant has, and a robot's planner has not."""
    secret, canary = str(project / "secret.txt"), str(project / "canary.txt")
    return [
        Call("Bash", {"command": f"cat {secret}; touch {canary}", "description": "x"}),
        Call("Read", {"file_path": secret}),
        Call("Write", {"file_path": canary, "content": "x"}),
        Call("Edit", {"file_path": secret, "old_string": "the", "new_string": "x"}),
        Call("NotebookEdit", {"notebook_path": canary, "new_source": "x"}),
        Call("Glob", {"pattern": "**/*", "path": str(project)}),
        Call("Grep", {"pattern": "secret", "path": str(project), "output_mode": "content"}),
        Call("WebFetch", {"url": "http://example.org/", "prompt": "x"}),
        Call("WebSearch", {"query": "x"}),
        Call("Task", {"description": "x", "prompt": "x", "subagent_type": "general-purpose"}),
        Call("Agent", {"description": "x", "prompt": "x", "subagent_type": "general-purpose"}),
        Call("Skill", {"skill": "run", "args": "x"}),
        Call("ToolSearch", {"query": "Bash"}),
        Call("ListMcpResourcesTool", {}),
        Call("ReadMcpResourceTool", {"server": "robot", "uri": f"file://{secret}"}),
        Call("mcp__mine__touch", {}),
    ]


def test_nothing_but_the_robot_can_be_reached(
    stage: Stage, surroundings: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wanted = attempts(surroundings)
    with GuardProxy() as guard:
        for name, value in guard.environment.items():
            monkeypatch.setenv(name, value)
        played = stage.play([Reply(calls=wanted), Reply(calls=[LOOK]), FINISH])
    assert played.errors == []
    assert guard.log == []
    results = played.server.last.results
    assert len(results) == len(wanted) + 1
    assert all(result.is_error for result in results[:-1])
    assert not results[-1].is_error
    assert played.called == [*(call.name for call in wanted), "look", "finish"]
    assert not any(event.executed for event in played.returned[:-2])
    assert (surroundings / "secret.txt").read_text() == SECRET
    assert not (surroundings / "canary.txt").exists()
    assert not (tmp_path / "hooked").exists()
    assert not (tmp_path / "served").exists()
    assert untouched(played)


def untouched(played: Played) -> bool:
    """Whether no request holds the secret or a file's mark."""
    bodies = json.dumps([request.body for request in played.server.all_requests])
    return SECRET not in bodies and MARK not in bodies


def test_the_model_is_offered_the_robots_tools_only(stage: Stage, surroundings: Path) -> None:
    played = stage.play([FINISH])
    (request,) = played.server.all_requests
    assert set(request.tools) == {tool.name for tool in played.session.tools}
    assert {tool["name"].split("__")[0] for tool in request.body["tools"]} == {"mcp"}
    for tool in played.session.tools:
        assert request.tools[tool.name]["properties"] == tool.schema["properties"]
    assert played.session.prompts.system in request.system
    assert str(surroundings) not in json.dumps(request.body)
    assert untouched(played)


def test_a_file_that_the_user_mentions_is_not_read(stage: Stage, surroundings: Path) -> None:
    secret = surroundings / "secret.txt"
    played = stage.begin([Reply(calls=[FAR]), Reply(text="Hm."), FINISH], step_time_s=0.05)
    played.wait_for(lambda: played.called)
    played.session.send(f"See @{secret} and @robot:file://{secret}")
    played.session.send("/init")
    played.join()
    assert f"@{secret}" in played.server.last.text
    assert untouched(played)


def test_the_environment_holds_a_few_names(
    stage: Stage, surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "AWS_SECRET_ACCESS_KEY": "aws",
        "GITHUB_TOKEN": "gh",
        "OPENAI_API_KEY": "oa",
        "ANTHROPIC_AUTH_TOKEN": "other",
        "CLAUDE_CODE_OAUTH_TOKEN": "other",
        "CLAUDE_CODE_USE_BEDROCK": "yes",
        "RPENT_RPC_TOKEN": "rpc",
        "MY-ODD.NAME": "odd",
        "NODE_OPTIONS": "--inspect",
        "LD_LIBRARY_PATH": "/nowhere",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    seen: list[dict[str, str]] = []
    note = Reply(calls=[LOOK], during=lambda _: seen.extend(claude_processes().values()))
    played = stage.play([note, FINISH])
    assert played.errors == []
    (environment,) = seen
    assert {name for name in environment if not name.startswith("LC_")} <= ALLOWED
    assert environment["ANTHROPIC_API_KEY"] == "test-key"
    assert environment["HOME"] != os.environ["HOME"]
    assert not set(secrets.values()) & set(environment.values())


def test_its_folder_is_gone_afterwards_with_the_pictures(stage: Stage, surroundings: Path) -> None:
    pictures: list[Path] = []
    folders: list[Path] = []

    def look_around(_: Any) -> None:
        folders.extend(Path(tempfile.gettempdir()).glob(f"{folder_prefix(PLANNER)}*"))
        pictures.extend(
            path for folder in folders for path in folder.rglob("*") if path.suffix in {".jpg", ".png"}
        )

    played = stage.play([Reply(calls=[LOOK]), Reply(calls=[FINISH.calls[0]], during=look_around)])
    assert played.errors == []
    assert len(folders) == 1
    assert pictures
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert claude_processes() == {}
    assert {path.name for path in surroundings.iterdir()} == {
        ".claude",
        ".mcp.json",
        "CLAUDE.md",
        "AGENTS.md",
        "secret.txt",
    }
