"""The Claude Code that the SDK brings: where it is, and whether it runs here."""

from __future__ import annotations

import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from rpent.planners.faults import ModelError
from rpent.planners.sdk import require_sdk

from rpent_planner_claude_code.endpoint import PLANNER, PLUGIN, SDK

_ASK_S = 30.0
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
    with tempfile.TemporaryDirectory(prefix="rpent-claude-code-") as home:
        try:
            subprocess.run(
                [path, "--version"],
                env={"HOME": home, "CLAUDE_CONFIG_DIR": home, "PATH": "/usr/bin:/bin"},
                cwd=home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_ASK_S,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise _unusable(f"its Claude Code does not run here: {_why(error)}") from error
    return path


def _why(error: Exception) -> str:
    match error:
        case subprocess.CalledProcessError():
            return f"exit code {error.returncode}"
        case subprocess.TimeoutExpired():
            return f"no answer within {_ASK_S:g} s"
        case FileNotFoundError():  # the file is there: its loader is not
            return "it needs glibc"
        case OSError():
            return error.strerror or type(error).__name__
        case _:
            return type(error).__name__


def _unusable(why: str) -> ModelError:
    message = f"The planner `{PLANNER}` cannot use the installed `{SDK}`: {why}."
    return ModelError(message, fault="sdk", hint=_HINT)
