"""Claude Code and Codex start `rpent mcp` by themselves, as their users configure it, and solve the fake task."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rpent.testing.fake_robot.robot import solution
from rpent.testing.models import Call, GuardProxy, ModelServer, Reply

pytestmark = pytest.mark.sdk
STRIPPED = ("CODEX", "OPENAI", "ANTHROPIC", "CLAUDE", "MCP_", "AWS_", "GOOGLE_", "OTEL_", "RPENT_")
CODEX = """
model = "test-model"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[model_providers.local]
name = "local"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
supports_websockets = false
[mcp_servers.fake]
command = "{python}"
args = {arguments}
env = {environment}
required = true
startup_timeout_sec = 60
tool_timeout_sec = 600
default_tools_approval_mode = "approve"
[features]
plugins = false
shell_tool = false
unified_exec = false
[analytics]
enabled = false
[otel]
metrics_exporter = "none"
"""


@pytest.fixture
def arguments(plugin_site, tmp_path):
    """How a client starts the server; the fake robot is installed for it."""
    plugin_site.add_fake_robot()
    return ["-m", "rpent", "mcp", "--robot", "fake", "--output-dir", str(tmp_path / "runs"), "--no-video"]


@pytest.fixture
def model():
    calls = [("briefing", {}), *solution()]
    script = [Reply(calls=[Call(name, arguments)]) for name, arguments in calls]
    with ModelServer([*script, Reply(text="Done.")]) as server:
        yield server


@pytest.fixture
def environment(tmp_path):
    """A home of its own, and no way out."""
    home = tmp_path / "home"
    home.mkdir()
    with GuardProxy() as guard:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(STRIPPED)}
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), guard.url)
        yield {**kept, **proxies, "HOME": str(home), "NO_PROXY": "127.0.0.1,localhost"}
        assert guard.log == []


def run(command, environment, folder):
    done = subprocess.run(
        command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=150, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def check(model, runs):
    (run_dir,) = [path for path in runs.iterdir() if path.is_dir()]
    recorded = json.loads((run_dir / "run.json").read_text())
    assert recorded["outcome"]["benchmark_success"] is True
    assert recorded["outcome"]["planner_status"] == "success"
    assert recorded["counts"]["turns"] == len(solution())
    assert model.problems == []
    # What the model was shown: the server's instructions, the briefing with its picture, a picture of each action.
    assert {"briefing", "move_to", "finish"} <= set(model.last.tools)
    assert "You drive a robot through the tools of this server" in json.dumps(model.last.body)
    assert "Task: put the red cube on the pad" in model.last.text
    assert len(model.last.results) == len(solution()) + 1
    assert len(model.last.pictures) >= len(solution())


def test_claude_code(model, arguments, environment, tmp_path):
    binary = Path(pytest.importorskip("claude_agent_sdk").__file__).parent / "_bundled" / "claude"
    settings = tmp_path / "mcp.json"
    server = {"command": sys.executable, "args": arguments, "env": {"PYTHONPATH": os.environ["PYTHONPATH"]}}
    settings.write_text(json.dumps({"mcpServers": {"fake": server}}))
    environment |= {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": model.key,
        "CLAUDE_CONFIG_DIR": str(tmp_path / "home" / "claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "DISABLE_AUTOUPDATER": "1",
    }
    options = ["--strict-mcp-config", "--mcp-config", str(settings), "--allowed-tools", "mcp__fake"]
    run([str(binary), "-p", "Drive the robot.", "--model", "test-model", *options], environment, tmp_path)
    check(model, tmp_path / "runs")


def test_codex(model, arguments, environment, tmp_path):
    binary = pytest.importorskip("codex_cli_bin").bundled_codex_path()
    home = tmp_path / "home" / "codex"
    home.mkdir()
    (home / "config.toml").write_text(
        CODEX.format(
            url=model.url,
            python=sys.executable,
            arguments=json.dumps(arguments),
            environment=f'{{ PYTHONPATH = "{os.environ["PYTHONPATH"]}" }}',
        )
    )
    environment |= {"CODEX_HOME": str(home), "LOCAL_KEY": model.key}
    run(
        [
            str(binary),
            "exec",
            "--skip-git-repo-check",
            "--ephemeral",
            "-C",
            str(tmp_path),
            "Drive the robot.",
        ],
        environment,
        tmp_path,
    )
    check(model, tmp_path / "runs")
