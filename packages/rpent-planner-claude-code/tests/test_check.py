"""What keeps Claude Code from working is one sentence, before anything starts."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import pytest
from rpent.planners.faults import ModelError
from rpent.session.limits import Limits
from rpent_planner_claude_code import binary
from rpent_planner_claude_code.config import ClaudeCodeConfig
from rpent_planner_claude_code.planner import ClaudeCodePlanner

from .stage import FINISH, Stage, config


def fault(options: ClaudeCodeConfig, **limits: Any) -> ModelError:
    """Return what a check raises."""
    with pytest.raises(ModelError) as caught:
        ClaudeCodePlanner(options).check(Limits(**limits))
    assert caught.value.message.endswith((".", "?"))
    assert caught.value.hint
    return caught.value


def test_all_is_well(stage: Stage) -> None:
    server = stage.serve([FINISH])
    ClaudeCodePlanner(config(server)).check(Limits())
    assert server.requests == []


def test_a_missing_key(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert fault(ClaudeCodeConfig()).fault == "key"


def test_a_wrong_key(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-wrong")
    error = fault(config(stage.serve([])))
    assert error.fault == "key"
    assert "sk-wrong" not in f"{error.message} {error.hint}"


def test_a_bearer_token(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "test-key")
    ClaudeCodePlanner(config(stage.serve([]))).check(Limits())


def test_a_name_of_claude_codes_own(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    options = config(stage.serve([]), model="opus[1m]")
    ClaudeCodePlanner(options).check(Limits())
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-wrong")
    assert fault(options).fault == "key"


def test_a_model_that_is_not_there(stage: Stage) -> None:
    error = fault(config(stage.serve([]), model="test-modle"))
    assert error.fault == "model"
    assert "test-model" in error.message


def test_a_server_that_is_not_there() -> None:
    assert fault(ClaudeCodeConfig(base_url="http://127.0.0.1:9", model="m")).fault == "unreachable"


def test_an_address_that_is_none(stage: Stage) -> None:
    assert fault(config(stage.serve([]), base_url=f"{stage.serve([]).url}/v1")).fault == "address"


def test_no_questions_asked(stage: Stage) -> None:
    ClaudeCodePlanner(config(stage.serve([]), model="unlisted", check=False)).check(Limits())


def test_a_cost_limit_needs_a_price(stage: Stage) -> None:
    server = stage.serve([])
    assert fault(config(server), cost_limit_usd=1.0).fault == "price"
    ClaudeCodePlanner(config(server, input_usd_per_mtok=1.0)).check(Limits(cost_limit_usd=1.0))


def test_an_outdated_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: "0.1.0" if name == "claude-agent-sdk" else real(name)
    )
    error = fault(ClaudeCodeConfig())
    assert error.fault == "sdk"
    assert "pip install -U" in str(error.hint)


def test_an_sdk_without_a_binary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(binary, "find_spec", lambda _: Spec)
    assert "no Claude Code for this platform" in fault(ClaudeCodeConfig()).message


@pytest.mark.parametrize(
    ("content", "why"),
    [("#!/no/such/loader\n", "glibc"), ("#!/bin/sh\nexit 4\n", "exit code 4")],
)
def test_a_binary_that_does_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str, why: str
) -> None:
    script = tmp_path / "_bundled" / "claude"
    script.parent.mkdir()
    script.write_text(content)
    script.chmod(0o755)

    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(binary, "find_spec", lambda _: Spec)
    error = fault(ClaudeCodeConfig())
    assert why in error.message
    assert str(tmp_path) not in error.message
