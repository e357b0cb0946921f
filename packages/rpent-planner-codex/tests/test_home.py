"""The private home: what is in it, who may read it, and that it goes."""

from __future__ import annotations

import json
import tomllib

import pytest
from rpent.testing import fake_session
from rpent.testing.models import Call, Reply
from rpent_planner_codex.config import CodexConfig
from rpent_planner_codex.endpoint import Endpoint
from rpent_planner_codex.home import KEY, codex_settings, private_home, write_settings
from rpent_planner_codex.planner import CodexPlanner
from rpent_planner_codex.toml import toml_text

ENDPOINT = Endpoint("http://127.0.0.1:1/v1", "OPENAI_API_KEY", "secret-key")


def settings(endpoint=ENDPOINT, **options):
    return codex_settings(CodexConfig(**options), endpoint, model="m", robot_url="http://127.0.0.1:2/mcp")


def test_it_is_private_and_goes():
    with private_home() as home:
        write_settings(home, settings(), {"models": [{"slug": "m"}]})
        assert home.path.stat().st_mode & 0o777 == 0o700
        assert home.path.parent.stat().st_mode & 0o777 == 0o700
        assert {file.stat().st_mode & 0o777 for file in home.path.iterdir()} == {0o600}
        assert list(home.work.iterdir()) == []
        text = (home.path / "config.toml").read_text()
        assert "secret-key" not in text
        written = tomllib.loads(text)
    assert written["model_catalog_json"] == str(home.path / "models.json")
    assert not home.path.parent.exists()


def test_what_acts_is_off():
    written = tomllib.loads(toml_text(settings(max_retries=2)))
    assert written["sandbox_mode"] == "read-only"
    assert written["approval_policy"] == "never"
    assert written["web_search"] == "disabled"
    for name in ("shell_tool", "unified_exec", "view_image", "plugins", "apps", "multi_agent"):
        assert written["features"][name] is False
    assert written["mcp_servers"].keys() == {"robot"}
    assert written["model_providers"]["rpent"]["stream_max_retries"] == 2
    assert written["model_providers"]["rpent"]["env_key"] == KEY
    assert "model_context_window" not in written


def test_options_reach_it():
    written = tomllib.loads(toml_text(settings(context_window=10_000, reasoning_effort="high")))
    assert written["model_auto_compact_token_limit"] == 9000
    assert written["model_reasoning_effort"] == "high"


def test_without_a_key_none_is_asked_for():
    written = tomllib.loads(toml_text(settings(Endpoint("http://127.0.0.1:1/v1", "OPENAI_API_KEY"))))
    assert "env_key" not in written["model_providers"]["rpent"]


@pytest.mark.parametrize("renewed", [True, False])
def test_a_login_is_copied_and_a_renewed_one_given_back(tmp_path, renewed):
    login = tmp_path / "auth.json"
    login.write_text("old")
    with private_home(login) as home:
        copy = home.path / "auth.json"
        assert copy.read_text() == "old"
        assert copy.stat().st_mode & 0o777 == 0o600
        if renewed:
            copy.write_text("new")
    assert login.read_text() == ("new" if renewed else "old")
    assert [file.name for file in tmp_path.iterdir() if "auth" in file.name] == ["auth.json"]


def test_a_login_that_the_user_renewed_is_kept(tmp_path):
    login = tmp_path / "auth.json"
    login.write_text("old")
    with private_home(login) as home:
        (home.path / "auth.json").write_text("ours")
        login.write_text("theirs")
    assert login.read_text() == "theirs"


@pytest.mark.parametrize("text", ["[mcp_servers.mine]\ncommand = 'x'\n", "not toml", "mcp_servers = 1", None])
def test_the_machines_servers_are_switched_off(tmp_path, monkeypatch, text):
    path = tmp_path / "config.toml"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr("rpent_planner_codex.home.MACHINES_SETTINGS", path)
    servers = settings()["mcp_servers"]
    assert servers.pop("robot")["required"]
    assert servers == ({"mine": {"enabled": False}} if text and "mine" in text else {})


@pytest.mark.sdk
def test_a_stored_login_pays(serve, tmp_path, monkeypatch):
    server = serve([Reply(calls=[Call("finish", {"status": "failure", "summary": "No."})])])
    monkeypatch.delenv("OPENAI_API_KEY")
    login = tmp_path / "user" / ".codex" / "auth.json"
    login.parent.mkdir()
    login.write_text(json.dumps({"OPENAI_API_KEY": server.key}))
    monkeypatch.setattr("rpent_planner_codex.endpoint.OPENAI", f"{server.url}/v1")
    with fake_session(tmp_path / "run") as session:
        CodexPlanner(CodexConfig(model="test-model", login=True)).run(session)
        assert session.ended.planner_status == "failure"
    assert server.problems == []
    assert [file.name for file in login.parent.iterdir()] == ["auth.json"]


def test_toml_survives_odd_values():
    table = {"a": 'x"\\\n\x7fé', "b": [1, "2"], "c": None, "d e": {"f": True, "g.h": {"i": 1.5}}, "k": {}}
    expected = {"a": 'x"\\\n\x7fé', "b": [1, "2"], "d e": {"f": True, "g.h": {"i": 1.5}}}
    assert tomllib.loads(toml_text(table)) == expected
