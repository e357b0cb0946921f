"""A LeRobot policy of somebody else, installed with pip, is loaded and asked like LeRobot's own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from rpent.environments.uv import find_uv
from rpent.testing.environments import override_variable, python_for, run_tests

HERE = Path(__file__).parent


@pytest.fixture
def with_plugin(tmp_path: Path) -> str:
    """An interpreter with what the environment has, and the plugin installed into it."""
    base = python_for("lerobot")
    where = tmp_path / "venv"
    run(find_uv(), "venv", "--quiet", "--python", base, str(where))
    python = str(where / "bin" / "python")
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    (Path(run(python, "-c", purelib)) / "base.pth").write_text(run(base, "-c", purelib) + "\n")
    run(find_uv(), "pip", "install", "--quiet", "--no-deps", "--python", python, str(HERE / "third_party"))
    return python


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.models
@pytest.mark.timeout(600)
def test_an_installed_plugin(with_plugin, tmp_path, monkeypatch):
    monkeypatch.setenv(override_variable("lerobot"), with_plugin)
    run_tests("lerobot", HERE / "inside" / "third_party.py", tmp_path, distribution="rpent-policy-lerobot")
