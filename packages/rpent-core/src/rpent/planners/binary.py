"""Asks a vendor's binary about itself: does it run here at all?"""

from __future__ import annotations

import subprocess
import tempfile
from typing import TYPE_CHECKING

from rpent.planners.faults import ModelError

if TYPE_CHECKING:
    from pathlib import Path

ASK_S = 30.0


def ask_binary(binary: Path, *arguments: str, home: str, planner: str, sdk: str, hint: str) -> bytes:
    """Run a vendor's binary in a home of its own, with an empty environment; returns what it prints.

    Args:
        binary: What to run.
        *arguments: A question that it answers by itself, such as `--version`.
        home: The variable that tells it where its own files are (`CODEX_HOME`).
        planner: For the error's sentence.
        sdk: The distribution that brings the binary.
        hint: What to do where it does not run.

    Raises:
        ModelError: It does not run here.
    """
    with tempfile.TemporaryDirectory(prefix="rpent-ask-", ignore_cleanup_errors=True) as folder:
        try:
            done = subprocess.run(
                [binary, *arguments],
                env={"HOME": folder, home: folder, "PATH": "/usr/bin:/bin"},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=ASK_S,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            why = f"its binary does not run here: {_why(error)}"
            raise unusable(planner, sdk, why, hint) from error
    return done.stdout


def unusable(planner: str, sdk: str, why: str, hint: str) -> ModelError:
    """Return the error for an SDK that is installed and of no use."""
    return ModelError(
        f"The planner `{planner}` cannot use the installed `{sdk}`: {why}.", fault="sdk", hint=hint
    )


def _why(error: Exception) -> str:
    match error:
        case subprocess.CalledProcessError():
            return f"exit code {error.returncode}"
        case subprocess.TimeoutExpired():
            return f"no answer within {ASK_S:g} s"
        case FileNotFoundError():  # the file is there: its loader is not
            return "it needs glibc"
        case OSError():
            return error.strerror or type(error).__name__
        case _:
            return type(error).__name__
