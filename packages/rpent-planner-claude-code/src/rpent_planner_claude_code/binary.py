"""The Claude Code that the SDK brings: where it is, and whether it runs here."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.planners.binary import ask_binary, unusable
from rpent.planners.sdk import require_sdk

from rpent_planner_claude_code.endpoint import PLANNER, PLUGIN, SDK

if TYPE_CHECKING:
    from rpent.planners.faults import ModelError

_HINT = (
    "The SDK's wheels bring it for Linux with glibc 2.17 or newer, and for macOS: "
    f"pip install --force-reinstall --only-binary :all: {SDK}"
)


def bundled_binary() -> Path:
    """Return the bundled Claude Code, without importing the SDK.

    Raises:
        ModelError: The SDK is missing, of another version, or without a binary.
    """
    require_sdk(SDK, planner=PLANNER, plugin=PLUGIN)
    spec = find_spec("claude_agent_sdk")
    if spec is None or spec.origin is None:
        raise _unusable("`claude_agent_sdk` cannot be imported")
    path = Path(spec.origin).parent / "_bundled" / "claude"
    if not path.is_file():
        raise _unusable("it has no Claude Code for this platform")
    return path


def require_binary() -> Path:
    """Return the bundled Claude Code after asking it for its version.

    Raises:
        ModelError: It is missing, or does not run here.
    """
    path = bundled_binary()
    ask_binary(path, "--version", home="CLAUDE_CONFIG_DIR", planner=PLANNER, sdk=SDK, hint=_HINT)
    return path


def _unusable(why: str) -> ModelError:
    return unusable(PLANNER, SDK, why, _HINT)
