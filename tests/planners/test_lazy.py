"""Nobody imports an SDK before a planner is used: not the help, not the options of a planner, not the list."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = (
    "pydantic_ai",
    "pydantic_ai_harness",
    "openai",
    "anthropic",
    "claude_agent_sdk",
    "openai_codex",
    "codex_cli_bin",
    "litellm",
    "mcp",
    "uvicorn",
    "prompt_toolkit",
    "genai_prices",
)

RUN = """
import io, json, sys
from contextlib import redirect_stdout
from rpent.cli import main
text = io.StringIO()
with redirect_stdout(text):
    try:
        main(sys.argv[1:])
    except SystemExit as ended:
        code = ended.code
print(json.dumps({"code": code, "text": text.getvalue(), "modules": sorted(sys.modules)}))
"""


def measured(*arguments: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("planner", ["api", "claude_code", "codex"])
@pytest.mark.parametrize("command", [["run", "--robot", "libero"], ["check", "planner"]])
def test_a_planners_options_need_no_sdk(planner: str, command: list[str]) -> None:
    chosen = ["--planner", planner] if command[0] == "run" else [planner]
    found = measured(*command, *chosen, "--help")
    assert found["code"] == 0
    assert "--model" in found["text"]
    assert not set(HEAVY) & set(found["modules"])


def test_the_help_of_run_stays_in_its_budget_with_all_planners_installed() -> None:
    found = measured("run", "--help")
    assert {"api", "claude_code", "codex", "flash", "replay"} <= set(
        found["text"].replace("|", " ").replace("[", " ").replace("]", " ").split()
    )
    assert len(found["modules"]) <= 180, found["modules"]
    assert not set(HEAVY) & set(found["modules"])


def test_the_list_of_plugins_needs_none_in_this_process() -> None:
    found = measured("plugins", "list", "--json")
    listed = {plugin["name"]: plugin for plugin in json.loads(found["text"])["plugins"]}
    assert {"api", "claude_code", "codex"} <= set(listed)
    assert not set(HEAVY) & set(found["modules"])
