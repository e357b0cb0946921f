"""From `provider:model` to the model object of pydantic-ai; what is missing for it is one sentence."""

from __future__ import annotations

import inspect
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError
from rpent.planners.faults import ModelError, model_error, require_usable_key
from rpent.planners.sdk import importing_sdk
from rpent.suggest import did_you_mean, typeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider

    from rpent_planner_api.config import ApiConfig

PLANNER = "api"
PLUGIN = "rpent-planner-api"
SDK = "pydantic-ai-slim"

KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openai-chat": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
    "google": "GOOGLE_API_KEY",
    "xai": "XAI_API_KEY",
}
"""Where the key is; for other providers `<PROVIDER>_API_KEY`."""
SUGGESTED = (
    "anthropic",
    "openai",
    "openai-chat",
    "google",
    "groq",
    "mistral",
    "openrouter",
    "ollama",
    "vllm",
)
_LOCAL_KEY = "none"
"""What a local server gets that asks for no key; the clients send no empty one."""
_EXAMPLES = "`--model anthropic:NAME`, `openai:NAME`, or `openai-chat:NAME --base-url URL` for a local server"


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model and whose it is."""

    provider: str
    name: str

    @property
    def key_variable(self) -> str:
        """The environment variable that usually holds the key."""
        return KEYS.get(self.provider, f"{self.provider.upper().replace('-', '_')}_API_KEY")

    @property
    def price_provider(self) -> str | None:
        """The provider's id in the list of prices, or None to find it by the model's name."""
        return {"openai-chat": "openai", "openai-responses": "openai"}.get(self.provider, self.provider)


def model_name(config: ApiConfig) -> ModelName:
    """Read the option `--model`.

    Raises:
        UsageError: It is missing, or does not name a provider.
    """
    if not config.model:
        raise UsageError(f"The planner `{PLANNER}` needs a model.", hint=f"Give {_EXAMPLES}.")
    provider, colon, name = config.model.partition(":")
    if not colon or not provider or not name:
        raise UsageError(f"`{config.model}` names no provider.", hint=f"Give {_EXAMPLES}.")
    return ModelName(provider, name)


def key_variable(config: ApiConfig) -> str:
    """Return the environment variable that the key is read from."""
    return config.key_variable or model_name(config).key_variable


def facts(config: ApiConfig) -> dict[str, str]:
    """Return what the sentence of a `ModelError` mentions."""
    return {
        "planner": config.planner,
        "model": model_name(config).name,
        "base_url": config.base_url or "",
        "key_variable": key_variable(config),
    }


def build_model(config: ApiConfig) -> Model:
    """Return the model, ready for requests.

    Raises:
        UsageError: There is no such provider, or it takes no address.
        ModelError: Its SDK or its key is missing.
    """
    wanted = model_name(config)
    with importing_sdk(SDK, planner=PLANNER, plugin=PLUGIN):
        from pydantic_ai.exceptions import UserError  # noqa: PLC0415  (seconds; only check and run need it)
        from pydantic_ai.models import infer_model  # noqa: PLC0415
        from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415
    try:
        provider_class = infer_provider_class(wanted.provider)
        provider = _provider(provider_class, config)
        if wanted.provider == "openai-chat":
            return _chat_model(wanted, provider, own_server=config.base_url is not None)
        return infer_model(f"{wanted.provider}:{wanted.name}", lambda _: provider)
    except ImportError as error:
        raise _extra_missing(wanted, error) from error
    except ValueError:
        raise _unknown_provider(wanted) from None
    except UserError as error:
        raise _user_error(config, error) from error


def _provider(provider_class: type[Provider[Any]], config: ApiConfig) -> Provider[Any]:
    return provider_class(**dict(_arguments(provider_class, config)))


def _arguments(provider_class: type[Provider[Any]], config: ApiConfig) -> Iterator[tuple[str, str]]:
    accepted = inspect.signature(provider_class).parameters
    if config.base_url:
        name = next((name for name in ("base_url", "api_base") if name in accepted), None)
        if name is None:
            raise UsageError(
                f"The provider `{model_name(config).provider}` takes no `--base-url`.",
                hint="For a server of your own use `openai-chat:NAME`.",
            )
        yield name, config.base_url
    key = os.environ.get(key_variable(config))
    require_usable_key(key, key_variable(config))
    if config.key_variable and not key:
        raise model_error("key", **facts(config))
    if key and config.key_variable:
        yield "api_key", key
    elif config.base_url and not key and "api_key" in accepted:
        yield "api_key", _LOCAL_KEY


def _chat_model(wanted: ModelName, provider: Provider[Any], *, own_server: bool) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415

    # A stream without a finish reason broke off. Servers other than OpenAI's know the limit as `max_tokens` only.
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    if own_server:
        profile["openai_chat_supports_max_completion_tokens"] = False
    return OpenAIChatModel(wanted.name, provider=provider, profile=profile)


def _extra_missing(wanted: ModelName, error: ImportError) -> ModelError:
    found = re.search(r"pydantic-ai-slim\[([\w-]+)\]", str(error))
    if found is None and "proxy" in str(error).lower():
        return model_error(
            "sdk", planner=PLANNER, detail=str(error)
        )  # a SOCKS proxy is set in the environment
    extra = found.group(1) if found else wanted.provider
    from importlib.metadata import metadata  # noqa: PLC0415

    ours = extra in (metadata(PLUGIN).get_all("Provides-Extra") or ())
    what = f"{PLUGIN}[{extra}]" if ours else f"{SDK}[{extra}]=={_pinned()}"
    return ModelError(
        f"The SDK of the provider `{wanted.provider}` is not installed.",
        fault="sdk",
        hint=typeable(f'pip install "{what}"'),
    )


def _pinned() -> str:
    from importlib.metadata import version  # noqa: PLC0415

    return version(SDK)


def _unknown_provider(wanted: ModelName) -> UsageError:
    return UsageError(
        f"There is no provider `{wanted.provider}`{did_you_mean(wanted.provider, SUGGESTED)}",
        hint=f"For a local server, write `openai-chat:{wanted.provider}:{wanted.name}` with `--base-url`. "
        f"Providers: {', '.join(f'`{name}`' for name in SUGGESTED)} and others of pydantic-ai.",
    )


def _user_error(config: ApiConfig, error: Exception) -> ModelError | UsageError:
    """Say which variable a provider's client misses."""
    text = str(error)
    variables: list[str] = re.findall(r"`([A-Z][A-Z0-9_]{3,})`", text)
    keys = [name for name in variables if "KEY" in name or "TOKEN" in name]
    if keys:
        return model_error("key", **(facts(config) | {"key_variable": keys[0]}))
    if any("URL" in name for name in variables):
        return UsageError(
            f"The provider `{model_name(config).provider}` needs the address of a server.",
            hint="Give `--base-url`.",
        )
    return UsageError(f"The model `{config.model}` cannot be used: {text.splitlines()[0].rstrip('.')}.")
