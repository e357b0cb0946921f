"""What a user gets wrong before a run: one sentence, a remedy, exit code 3, and nothing was started."""

from __future__ import annotations

from importlib import metadata

import pytest
from rpent.services.supervisor import Supervisor
from rpent.testing.models import ModelServer

from .cases import CASES, KEY

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CODEX_API_KEY")
SDKS = {"api": "pydantic-ai-slim", "claude_code": "claude-agent-sdk", "codex": "openai-codex"}
PARAMS = [pytest.param(case, id=case.id) for case in CASES]
"""No vendor's binary is started here: what is checked comes before it."""


@pytest.fixture
def refused(run_cli, tmp_path, monkeypatch):
    """Run LIBERO with a planner; returns the error and the hint after checking that nothing was started."""

    def started(*_):
        raise AssertionError("a service was started")

    monkeypatch.setattr(Supervisor, "start", started)

    def run(case, *extra, **changes):
        with ModelServer([], key=KEY) as server:
            options = case.options(server) | changes
            words = [
                word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)
            ]
            robot = ["--robot", "libero", "--suite", "libero_object", "--task", "0"]
            place = ["--output-dir", str(tmp_path / "runs")]
            result = run_cli("run", *robot, *place, "--planner", case.planner, *words, *extra)
            assert server.requests == []
        assert result.exit_code == 3, result.stderr
        assert "Traceback" not in result.stderr
        assert not (tmp_path / "runs").exists()
        error, hint = result.stderr.strip().split("\n", 1)
        assert error.startswith("Error: ")
        assert hint.startswith("Hint: ")
        return error, hint

    return run


@pytest.mark.parametrize("case", PARAMS)
def test_no_key(case, refused, monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    error, hint = refused(case)
    assert "_API_KEY` is not set" in error
    assert "export " in hint


@pytest.mark.parametrize("case", PARAMS)
def test_a_key_that_is_refused(case, refused, monkeypatch):
    for name in KEYS:
        monkeypatch.setenv(name, "not-the-key")
    error, _ = refused(case)
    assert "is refused by the server" in error
    assert "not-the-key" not in error


@pytest.mark.parametrize("case", PARAMS)
def test_a_model_that_is_not_served(case, refused):
    with ModelServer([]) as server:
        wrong = str(case.options(server)["model"]).replace("test-model", "test-modle")
    error, _ = refused(case, model=wrong)
    assert "did you mean `test-model`?" in error


@pytest.mark.parametrize("case", PARAMS)
def test_an_address_where_nobody_is(case, refused):
    error, hint = refused(case, base_url="http://127.0.0.1:9/v1")
    assert "cannot be reached" in error
    assert "--base-url" in hint


@pytest.mark.parametrize("case", PARAMS)
def test_an_sdk_that_is_not_installed(case, refused, monkeypatch):
    real = metadata.version

    def version(name):
        if name == SDKS[case.planner]:
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", version)
    error, hint = refused(case)
    assert f"needs `{SDKS[case.planner]}`, which is not installed" in error
    assert "pip install -U" in hint


@pytest.mark.parametrize("case", PARAMS)
def test_an_outdated_sdk(case, refused, monkeypatch):
    real = metadata.version
    monkeypatch.setattr(
        metadata, "version", lambda name: "0.0.1" if name == SDKS[case.planner] else real(name)
    )
    error, hint = refused(case)
    assert "; 0.0.1 is installed." in error
    assert f"{SDKS[case.planner]}" in hint


@pytest.mark.parametrize("case", PARAMS)
def test_a_cost_limit_without_a_price(case, refused):
    error, hint = refused(case, "--cost-limit-usd", "1")
    assert "The price of `test-model` is not known" in error
    assert "--input-usd-per-mtok" in hint
