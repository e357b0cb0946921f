"""The bundled Codex: where it is, and what it says about itself."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rpent.planners.binary import ask_binary
from rpent.planners.faults import ModelError
from rpent.planners.sdk import importing_sdk, require_sdk

from rpent_planner_codex.endpoint import PLANNER

if TYPE_CHECKING:
    from pathlib import Path

SDK = "openai-codex"
PLUGIN = "rpent-planner-codex"
_HINT = f"pip install --force-reinstall --only-binary :all: {SDK}"


def require_codex() -> Path:
    """Return the binary that the SDK brings.

    Raises:
        ModelError: The SDK is missing or of another version, or its binary is.
    """
    require_sdk(SDK, planner=PLANNER, plugin=PLUGIN)
    with importing_sdk("openai-codex-cli-bin", planner=PLANNER, plugin=PLUGIN):
        from codex_cli_bin import (  # type: ignore[import-untyped]  # noqa: PLC0415  (part of the SDK)
            bundled_codex_path,
        )

        try:
            path: Path = bundled_codex_path()
        except FileNotFoundError as error:
            raise ImportError(str(error)) from error
    return path


def require_running(binary: Path) -> None:
    """See whether the binary runs on this machine.

    Raises:
        ModelError: It does not.
    """
    _ask(binary, "--version")


@lru_cache(maxsize=1)
def bundled_models(binary: Path) -> tuple[dict[str, Any], ...]:
    """Return the entries of the model catalogue in the binary; empty where it does not tell."""
    try:
        models = json.loads(_ask(binary, "debug", "models", "--bundled"))["models"]
    except (ModelError, ValueError, KeyError, TypeError):
        return ()
    return tuple(model for model in models if isinstance(model, dict) and "slug" in model)


def _ask(binary: Path, *arguments: str) -> bytes:
    return ask_binary(binary, *arguments, home="CODEX_HOME", planner=PLANNER, sdk=SDK, hint=_HINT)


def default_model(binary: Path) -> str:
    """Return the model that the bundled Codex would take by itself: the first of those that it lists."""
    listed = [model for model in bundled_models(binary) if model.get("visibility") == "list"]
    first = min(listed, key=lambda model: model.get("priority", 1000), default=None)
    return str(first["slug"]) if first else "gpt-5.5"
