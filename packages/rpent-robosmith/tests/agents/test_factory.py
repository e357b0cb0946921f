"""A run's agents are made by name; what they miss is one sentence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from rpent.errors import PluginError, UsageError
from rpent.plugins import registry
from rpent_robosmith.agents import factory
from rpent_robosmith.agents.factory import AgentOptions, make_agents, spent
from rpent_robosmith.agents.intake_rules import RuleIntake
from rpent_robosmith.agents.rules import RuleDecisions
from rpent_robosmith.agents.templates import TemplateRewards
from rpent_robosmith.reports import Usage


@pytest.fixture(autouse=True)
def plugins(plugin_environment: None) -> None:
    """What is installed, and nothing of the developer's settings."""


def test_without_a_model_all_is_rules_and_templates() -> None:
    agents = make_agents(AgentOptions(), check=True)
    assert [type(agent) for agent in agents] == [RuleIntake, TemplateRewards, RuleDecisions]


def test_with_a_model_all_is_the_models(models: Any) -> None:
    server = models.serve([])
    options = AgentOptions(model="openai-chat:test-model", base_url=f"{server.url}/v1")
    intake, rewards, decisions = make_agents(options, check=True)
    names = [type(agent).__name__ for agent in (intake, rewards, decisions)]
    assert names == ["ModelIntake", "ModelRewards", "ModelDecisions"]
    assert intake._client is rewards._client is decisions._client
    assert server.requests == []


def test_a_named_agent_wins_over_the_model(models: Any) -> None:
    server = models.serve([])
    options = AgentOptions(model="openai-chat:m", base_url=f"{server.url}/v1", rewards="templates")
    _, rewards, decisions = make_agents(options)
    assert isinstance(rewards, TemplateRewards)
    assert type(decisions).__name__ == "ModelDecisions"


@pytest.mark.parametrize("kind", ["rewards", "decisions"])
def test_an_agent_that_needs_a_model_asks_for_one(kind: str) -> None:
    with pytest.raises(UsageError, match="needs a model, and none is named") as raised:
        make_agents(AgentOptions(**{kind: "model"}))
    assert "--model" in (raised.value.hint or "")


def test_an_unknown_agent_is_refused() -> None:
    with pytest.raises(PluginError, match="templats"):
        make_agents(AgentOptions(rewards="templats"))


def test_what_is_not_installed_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factory, "find_spec", lambda name: None)
    with pytest.raises(PluginError, match="needs `rpent-planner-api`, which is not installed") as raised:
        make_agents(AgentOptions(model="openai-chat:m"))
    assert 'pip install "rpent-robosmith[model]"' in (raised.value.hint or "")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "gpt"}, "`gpt` names no provider"),
        ({"model": "openai-chat:m", "base_url": "nowhere"}, "`--base-url`"),
        ({"model": "openai-chat:m", "key_variable": "sk-123"}, "`--key-variable`"),
    ],
)
def test_options_that_cannot_be_are_mistakes_of_usage(options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_agents(AgentOptions(**options))


def test_what_all_have_spent() -> None:
    def agent(**usage: Any) -> Any:
        return SimpleNamespace(usage=lambda: Usage(**usage))

    agents: Any = SimpleNamespace(
        intake=agent(requests=1, input_tokens=10, output_tokens=1, cost_usd=0.5),
        rewards=agent(requests=2, input_tokens=20, output_tokens=2),
        decisions=agent(requests=3, input_tokens=30, output_tokens=3, cost_usd=0.25),
    )
    assert spent(agents) == Usage(requests=6, input_tokens=60, output_tokens=6, cost_usd=0.75)
    registry.current.cache_clear()
