"""What keeps the model from answering is found before anything starts: one sentence, exit code 3."""

from __future__ import annotations

import importlib.metadata

import pytest
from rpent.errors import ExitCode, UsageError
from rpent.planners.faults import ModelError
from rpent.session.limits import Limits
from rpent.testing.models import ModelServer
from rpent_planner_api import checking
from rpent_planner_api.config import ApiConfig
from rpent_planner_api.planner import ApiPlanner

from .stage import WIRES, Stage, config

ONE_WORD = "moonshotai"
"""A provider that is asked for a word, since nothing is known of its list of models."""


def check(options: ApiConfig, **limits: float) -> None:
    """Check a planner."""
    ApiPlanner(options).check(Limits(**limits))  # type: ignore[arg-type]


def refused(options: ApiConfig, **limits: float) -> ModelError:
    """Return what a check raises."""
    with pytest.raises(ModelError) as caught:
        check(options, **limits)
    assert caught.value.exit_code == ExitCode.INFRASTRUCTURE
    assert caught.value.hint
    assert "test-key" not in f"{caught.value.message} {caught.value.hint}"
    return caught.value


@pytest.fixture
def server(stage: Stage) -> ModelServer:
    """A server with one model and a key."""
    return stage.serve([])


def test_all_is_well(server: ModelServer, provider: str) -> None:
    check(config(server, provider))
    assert server.all_requests == []


def test_a_missing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider, variable in {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}.items():
        monkeypatch.delenv(variable)
        error = refused(ApiConfig(model=f"{provider}:some-model"))
        assert error.fault == "key"
        assert error.message == f"The planner `api` has no key: `{variable}` is not set."
        assert error.hint == f"export {variable}=..."


@pytest.mark.parametrize(
    ("provider", "client"),
    [
        ("google", "google.genai"),
        ("groq", "groq"),
        ("mistral", "mistralai"),
        ("openrouter", ""),
        ("deepseek", ""),
    ],
)
def test_a_missing_key_of_another_provider(provider: str, client: str) -> None:
    if client:  # comes with the extra of that name
        pytest.importorskip(client, exc_type=ImportError)
    error = refused(ApiConfig(model=f"{provider}:some-model"))
    assert error.fault == "key"
    assert f"{provider.upper()}_API_KEY" in error.message


def test_a_key_in_a_variable_of_the_users_own(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(variable, "another")
    for provider in WIRES:
        assert refused(config(server, provider, key_variable="MY_KEY")).message.endswith(
            "`MY_KEY` is not set."
        )
    monkeypatch.setenv("MY_KEY", "test-key")
    for provider in WIRES:
        check(config(server, provider, key_variable="MY_KEY"))


def test_a_local_server_needs_no_key(stage: Stage, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.delenv("OPENAI_API_KEY")
    check(config(stage.serve([], key=None), provider))


def test_a_wrong_key(server: ModelServer, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    assert refused(config(server, provider)).fault == "key"


def test_a_wrong_model(server: ModelServer, provider: str) -> None:
    error = refused(config(server, provider, model=f"{provider}:tst-model"))
    assert error.fault == "model"
    assert "did you mean `test-model`?" in error.message


def test_a_wrong_address(server: ModelServer, provider: str) -> None:
    assert refused(config(server, provider, base_url=f"{server.url}/elsewhere")).fault == "address"


def test_a_server_without_the_responses_api(monkeypatch: pytest.MonkeyPatch) -> None:
    """`openai:` is the Responses API, which many local servers do not have."""
    asked: dict[str, str] = {}
    monkeypatch.setattr(checking, "probe_model", lambda **facts: asked.update(facts))
    check(ApiConfig(model="openai:tiny", base_url="http://127.0.0.1:9/v1"))
    assert (asked["route"], asked["otherwise"]) == ("/responses", "Give `--model openai-chat:tiny`.")
    check(ApiConfig(model="openai-chat:tiny", base_url="http://127.0.0.1:9/v1"))
    assert asked["route"] == ""


def test_a_server_that_is_down(provider: str) -> None:
    options = ApiConfig(model=f"{provider}:test-model", base_url="http://127.0.0.1:9/v1")
    assert refused(options).fault == "unreachable"


def test_a_cost_limit_wants_a_price(server: ModelServer) -> None:
    assert refused(config(server), cost_limit_usd=1.0).fault == "price"
    check(config(server, input_usd_per_mtok=1.0, output_usd_per_mtok=2.0), cost_limit_usd=1.0)


def test_the_server_is_not_asked_when_the_user_says_so(server: ModelServer) -> None:
    check(config(server, model="anthropic:unlisted", check=False))
    assert server.log == []


@pytest.mark.parametrize("distribution", ["pydantic-ai-slim", "pydantic-ai-harness"])
def test_an_outdated_sdk(server: ModelServer, monkeypatch: pytest.MonkeyPatch, distribution: str) -> None:
    real = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: "0.1" if name == distribution else real(name)
    )
    error = refused(config(server))
    assert error.fault == "sdk"
    assert "0.1 is installed" in error.message
    assert f'install -U "{distribution}' in (error.hint or "")


def test_a_missing_sdk(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def missing(name: str) -> str:
        if name == "pydantic-ai-slim":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    error = refused(config(server))
    assert error.fault == "sdk"
    assert "is not installed" in error.message


def test_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_class(name: str) -> type:
        raise ImportError(f'Please install the SDK: `pip install "pydantic-ai-slim[{name}]"`')

    monkeypatch.setattr("pydantic_ai.providers.infer_provider_class", no_class)
    error = refused(ApiConfig(model="google:some-model"))
    assert error.message == "The SDK of the provider `google` is not installed."
    assert 'install "rpent-planner-api[google]"' in (error.hint or "")
    error = refused(ApiConfig(model="cohere:some-model"))
    assert 'install "pydantic-ai-slim[cohere]==' in (error.hint or "")


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (None, "The planner `api` needs a model."),
        ("some-model", "`some-model` names no provider."),
        ("anthropic:", "`anthropic:` names no provider."),
        ("antropic:some-model", "There is no provider `antropic`; did you mean `anthropic`?"),
        ("deepseek:some-model", "The provider `deepseek` takes no `--base-url`."),
        ("vllm:some-model", "The provider `vllm` needs the address of a server."),
    ],
)
def test_what_the_user_got_wrong(model: str | None, sentence: str) -> None:
    address = "http://127.0.0.1:9/v1" if model and model.startswith("deepseek") else None
    with pytest.raises(UsageError) as caught:
        check(ApiConfig(model=model, base_url=address))
    assert caught.value.message == sentence
    assert caught.value.exit_code == ExitCode.USAGE


class TestAProviderWithoutAList:
    """It is asked for one word."""

    def options(self, server: ModelServer, **changes: str) -> ApiConfig:
        return ApiConfig(**({"model": f"{ONE_WORD}:test-model", "base_url": f"{server.url}/v1"} | changes))

    def test_one_word_is_asked_for(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MOONSHOTAI_API_KEY", "test-key")
        check(self.options(server))
        assert len(server.all_requests) == 1

    def test_faults_are_the_same(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MOONSHOTAI_API_KEY", "test-key")
        assert refused(self.options(server, model=f"{ONE_WORD}:nope")).fault == "model"
        assert refused(self.options(server, base_url="http://127.0.0.1:9/v1")).fault == "unreachable"
        monkeypatch.setenv("MOONSHOTAI_API_KEY", "wrong")
        assert refused(self.options(server)).fault == "key"
