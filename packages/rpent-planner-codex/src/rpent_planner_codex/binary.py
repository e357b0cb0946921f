"""The bundled Codex: where it is, and what it says about itself."""

from __future__ import annotations

import json
import subprocess
import tempfile
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rpent.planners.sdk import importing_sdk, require_sdk

from rpent_planner_codex.endpoint import PLANNER

if TYPE_CHECKING:
    from pathlib import Path

SDK = "openai-codex"
PLUGIN = "rpent-planner-codex"
_ASK_S = 20.0


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


@lru_cache(maxsize=1)
def bundled_models(binary: Path) -> tuple[dict[str, Any], ...]:
    """Return the entries of the model catalogue in the binary; empty where it does not tell."""
    with tempfile.TemporaryDirectory(prefix="rpent-models-") as home:
        try:
            done = subprocess.run(
                [binary, "debug", "models", "--bundled"],
                env={"HOME": home, "CODEX_HOME": home, "PATH": "/usr/bin:/bin"},
                cwd=home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_ASK_S,
                check=True,
            )
            models = json.loads(done.stdout)["models"]
        except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
            return ()
    return tuple(model for model in models if isinstance(model, dict) and "slug" in model)


def default_model(binary: Path) -> str:
    """Return the model that the bundled Codex would take by itself: the first of those that it lists."""
    listed = [model for model in bundled_models(binary) if model.get("visibility") == "list"]
    first = min(listed, key=lambda model: model.get("priority", 1000), default=None)
    return str(first["slug"]) if first else "gpt-5.5"
