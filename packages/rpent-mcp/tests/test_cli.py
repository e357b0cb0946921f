"""The command line of `rpent mcp`, up to the run."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.fixture
def fake_robot(plugin_site):
    """The fake robot is installed."""
    plugin_site.add_fake_robot()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--json"], "Standard output belongs to the MCP client"),
        (["--progress", "json"], "Standard output belongs to the MCP client"),
        (["--stdio", "--http", "127.0.0.1:0"], "were both given"),
        (["--task", "9"], "9"),
        (["--planner", "flash"], "No such option"),
    ],
)
def test_wrong_usage_is_said_before_anything_starts(run_cli, fake_robot, tmp_path, options, sentence):
    result = run_cli("mcp", "--robot", "fake", "--output-dir", str(tmp_path / "runs"), *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert sentence in result.stderr
    assert not (tmp_path / "runs").exists()


def test_help_brings_in_no_sdk(fake_robot):
    code = (
        "import sys\nfrom rpent.cli import main\n"
        "try:\n    main(['mcp', '--robot', 'fake', '--help'])\n"
        "except SystemExit:\n    heavy = {'mcp', 'uvicorn', 'starlette', 'anyio'} & set(sys.modules)\n"
        "    print(sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "Options of the robot `fake`" in done.stdout
    assert "--http" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.parametrize("address", ["8765", "zmq+tcp://127.0.0.1:1", "ipc:///tmp/x", "127.0.0.1:70000"])
def test_an_address_that_is_none_is_wrong_usage(run_cli, fake_robot, tmp_path, address):
    result = run_cli("mcp", "--robot", "fake", "--output-dir", str(tmp_path / "runs"), "--http", address)
    assert result.exit_code == 2
    assert address in result.stderr
    assert not (tmp_path / "runs").exists()
