"""`reproduce.sh`: the command line of the run with every option, and the versions that it was made with."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_robosmith.workflow.state import RunState

_REPEATED = ("criterion", "safety")


def script(state: RunState, versions: Mapping[str, str]) -> str:
    """Return the script.

    Args:
        state: Its `options["given"]` holds the settings that were no defaults, as `SmithConfig` names them.
        versions: Distribution → version.
    """
    lines = [
        "#!/bin/sh",
        "# Trains the policy of this run again; the same seed and versions give the same files.",
    ]
    if state.options.get("model"):
        lines.append(
            "# A language model took part: its answers are in `model.jsonl`, and may differ another time."
        )
    lines += [
        "# Made with:",
        *(f"#   {_line(name)} {_line(version)}" for name, version in sorted(versions.items())),
    ]
    lines += ["set -eu", " \\\n    ".join(command(state)), ""]
    return "\n".join(lines)


def command(state: RunState) -> list[str]:
    """Return the command, quoted for a shell: one option with its value in each item."""
    words = ["exec rpent smith run"]
    for name, value in state.options.get("given", {}).items():
        words += [f"--{name.replace('_', '-')}={shlex.quote(text)}" for text in _texts(name, value)]
    if "seed" not in state.options.get("given", {}):
        words.append(f"--seed={state.task.seed}")
    return [*words, '"$@"', f"-- {shlex.quote(state.task.sentence)}"]


def _texts(name: str, value: Any) -> list[str]:
    if name == "hyperparameter":
        return [f"{key}={item if isinstance(item, str) else json.dumps(item)}" for key, item in value.items()]
    if name in _REPEATED:
        return [str(item) for item in value]
    return [] if value is None else [str(value)]


def _line(text: str) -> str:
    """Return the text on one line, so that no comment ends early."""
    return " ".join(text.split())
