"""Which server, whose key, which model."""

from __future__ import annotations

import pytest
from rpent.errors import UsageError
from rpent.planners.faults import ModelError
from rpent_planner_claude_code.config import ClaudeCodeConfig
from rpent_planner_claude_code.endpoint import find_endpoint
from rpent_planner_claude_code.planner import ClaudeCodePlanner


def test_anthropics_own_server() -> None:
    endpoint = find_endpoint(ClaudeCodeConfig(), {"ANTHROPIC_API_KEY": "k"})
    assert (endpoint.model, endpoint.base_url, endpoint.is_alias) == ("sonnet", "", True)
    assert endpoint.environment == {"ANTHROPIC_API_KEY": "k"}


def test_the_address_of_the_environment() -> None:
    values = {"ANTHROPIC_BASE_URL": "https://gateway.example/", "ANTHROPIC_AUTH_TOKEN": "t"}
    endpoint = find_endpoint(ClaudeCodeConfig(), values)
    assert endpoint.environment == {
        "ANTHROPIC_AUTH_TOKEN": "t",
        "ANTHROPIC_BASE_URL": "https://gateway.example",
    }


@pytest.mark.parametrize("url", ["https://api.anthropic.com", "https://api.anthropic.com/"])
def test_the_usual_address_is_no_other_server(url: str) -> None:
    values = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k"}
    assert find_endpoint(ClaudeCodeConfig(), values).base_url == ""


def test_one_key_is_passed_on() -> None:
    values = {"CLAUDE_CODE_OAUTH_TOKEN": "o", "ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_API_KEY": "k"}
    assert find_endpoint(ClaudeCodeConfig(), values).environment == {"ANTHROPIC_API_KEY": "k"}
    del values["ANTHROPIC_API_KEY"], values["ANTHROPIC_AUTH_TOKEN"]
    endpoint = find_endpoint(ClaudeCodeConfig(), values)
    assert endpoint.environment == {"CLAUDE_CODE_OAUTH_TOKEN": "o"}
    assert endpoint.with_login


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(find_endpoint(ClaudeCodeConfig(), {"ANTHROPIC_API_KEY": "secret"}))


def test_a_missing_key_is_one_sentence() -> None:
    with pytest.raises(ModelError) as caught:
        find_endpoint(ClaudeCodeConfig(), {})
    assert caught.value.fault == "key"
    assert "ANTHROPIC_API_KEY" in str(caught.value.hint)


def test_another_server_may_need_no_key() -> None:
    endpoint = find_endpoint(ClaudeCodeConfig(base_url="http://models.example:8080", model="m"), {})
    assert endpoint.environment["ANTHROPIC_API_KEY"] == "none"


def test_another_server_needs_a_model() -> None:
    with pytest.raises(UsageError, match="--base-url"):
        ClaudeCodePlanner(ClaudeCodeConfig(base_url="http://localhost:8080"))
