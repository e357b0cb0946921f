"""Where the model is and what is paid with: from options and environment to one answer."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.planners.faults import ModelError, model_error
from rpent.planners.probe import probe_model

if TYPE_CHECKING:
    from rpent_planner_codex.config import CodexConfig

PLANNER = "codex"
OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
OPENAI_KEYS = ("CODEX_API_KEY", "OPENAI_API_KEY")
"""The first that is set counts."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model server, as its user has it."""

    base_url: str
    key_variable: str
    key: str | None = field(default=None, repr=False)
    login: Path | None = None
    """The `auth.json` that `codex login` wrote, in place of a key."""

    @property
    def provider(self) -> str | None:
        """The provider's id in price lists; None where the name of the model has to say it."""
        return {OPENAI: "openai", ANTHROPIC: "anthropic"}.get(self.base_url)


def find_endpoint(config: CodexConfig) -> Endpoint:
    """Return where to go.

    Raises:
        ModelError: The provider's own server is meant and there is no key for it, or no login.
    """
    if config.login:
        return Endpoint(OPENAI, "OPENAI_API_KEY", login=_stored_login())
    names = ("ANTHROPIC_API_KEY",) if config.upstream == "anthropic" else OPENAI_KEYS
    variable = next((name for name in names if os.environ.get(name)), names[-1])
    key = os.environ.get(variable) or None
    default = ANTHROPIC if config.upstream == "anthropic" else OPENAI
    if key is None and config.base_url is None:
        raise model_error("key", planner=PLANNER, key_variable=variable)
    return Endpoint((config.base_url or default).rstrip("/"), variable, key)


def ask_endpoint(endpoint: Endpoint, config: CodexConfig, model: str) -> None:
    """Ask the model server for the model and the key; a login is left to Codex.

    Raises:
        ModelError: The address, the key or the model is wrong, or nobody answers.
    """
    if endpoint.login is not None or not config.check:
        return
    probe_model(
        wire="anthropic" if config.upstream == "anthropic" else "openai",
        base_url=endpoint.base_url,
        key=endpoint.key,
        model=model,
        planner=PLANNER,
        key_variable=endpoint.key_variable,
        route="/responses" if config.upstream == "responses" and endpoint.provider is None else "",
        otherwise="Add `--upstream chat`.",
    )


def _stored_login() -> Path:
    folder = os.environ.get("CODEX_HOME")
    path = (Path(folder) if folder else Path.home() / ".codex") / "auth.json"
    if not path.is_file():
        raise ModelError(
            "The planner `codex` was asked to use the stored login, but there is none.",
            fault="key",
            hint="Run `codex login`, or leave out `--login` and set `OPENAI_API_KEY`.",
        )
    return path
