"""What is wrong is said before anything starts, in one sentence with the remedy."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from rpent.errors import ExitCode
from rpent.planners.faults import ModelError
from rpent.session.limits import Limits
from rpent.testing.models import Reply
from rpent_planner_codex import endpoint
from rpent_planner_codex.config import CodexConfig
from rpent_planner_codex.endpoint import find_endpoint
from rpent_planner_codex.planner import CodexPlanner


def fault(planner, limits=None):
    with pytest.raises(ModelError) as caught:
        planner.check(limits or Limits())
    assert caught.value.exit_code is ExitCode.INFRASTRUCTURE
    assert caught.value.hint
    return caught.value


def test_a_server_that_serves_the_model_passes(serve, planner_for):
    planner_for(serve([])).check(Limits())


def test_no_key():
    error = fault(CodexPlanner(CodexConfig(model="gpt-5.5")))
    assert error.fault == "key"
    assert "OPENAI_API_KEY" in error.hint


def test_a_wrong_key(serve, planner_for, monkeypatch):
    planner = planner_for(serve([]))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-key-of-somebody")
    error = fault(planner)
    assert error.fault == "key"
    assert "sk-wrong" not in f"{error.message} {error.hint}"


def test_a_wrong_model(serve, planner_for):
    error = fault(planner_for(serve([], models=("gpt-5.5",)), model="gpt-5.6"))
    assert error.fault == "model"
    assert "gpt-5.5" in f"{error.message} {error.hint}"


def test_a_wrong_address():
    error = fault(CodexPlanner(CodexConfig(model="m", base_url="http://127.0.0.1:9/v1")))
    assert error.fault == "unreachable"


def test_a_server_of_chat_completions_alone(monkeypatch):
    asked = {}
    monkeypatch.setattr(endpoint, "probe_model", lambda **facts: asked.update(facts))
    CodexPlanner(CodexConfig(model="m", base_url="http://127.0.0.1:9/v1")).check(Limits())
    assert (asked["route"], asked["otherwise"]) == ("/responses", "Add `--upstream chat`.")


def test_the_check_can_be_left_out(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    CodexPlanner(CodexConfig(model="m", base_url="http://127.0.0.1:9/v1", check=False)).check(Limits())


def test_a_cost_limit_needs_a_price(serve, planner_for):
    server = serve([Reply()])
    limits = Limits(cost_limit_usd=1.0)
    assert fault(planner_for(server), limits).fault == "price"
    planner_for(server, input_usd_per_mtok=1.0, output_usd_per_mtok=2.0).check(limits)


def test_the_sdk_is_missing(monkeypatch):
    monkeypatch.setattr("rpent_planner_codex.binary.require_sdk", _missing)
    assert fault(CodexPlanner(CodexConfig(model="m"))).fault == "sdk"


def test_the_proxy_is_missing(monkeypatch, serve, planner_for):
    monkeypatch.setattr("rpent_planner_codex.proxy.require_sdk", _missing)
    error = fault(planner_for(serve([]), upstream="chat"))
    assert error.fault == "sdk"
    assert "rpent-planner-codex[proxy]" in error.hint


def _missing(*_, **__):
    raise ModelError("`it` is not installed.", fault="sdk", hint="pip install it")


def test_the_codex_key_counts_first(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    monkeypatch.setenv("CODEX_API_KEY", "b")
    endpoint = find_endpoint(CodexConfig())
    assert (endpoint.key, endpoint.key_variable, endpoint.provider) == ("b", "CODEX_API_KEY", "openai")
    assert "b'" not in repr(endpoint)


def test_an_anthropic_upstream_has_its_own_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    with pytest.raises(ModelError, match="ANTHROPIC_API_KEY"):
        find_endpoint(CodexConfig(upstream="anthropic", model="claude"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "c")
    endpoint = find_endpoint(CodexConfig(upstream="anthropic", model="claude"))
    assert (endpoint.base_url, endpoint.key) == ("https://api.anthropic.com", "c")


def test_a_server_of_ones_own_needs_no_key():
    assert find_endpoint(CodexConfig(base_url="http://localhost:1/v1/")).key is None


def test_the_model_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("CODEX_MODEL", "gpt-5.5")
    assert CodexConfig().model == "gpt-5.5"
    assert CodexConfig(model="m").model == "m"


def test_a_login_that_is_not_there(monkeypatch, tmp_path):
    error = fault(CodexPlanner(CodexConfig(model="m", login=True)))
    assert "codex login" in error.hint


def test_a_login_is_openais():
    with pytest.raises(ValidationError, match="--login"):
        CodexConfig(login=True, base_url="http://x/v1")
