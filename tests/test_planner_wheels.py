"""Planners come and go with their distributions, each with its SDK, into environments that have nothing else."""

from __future__ import annotations

import json

import pytest
from rpent.errors import ExitCode
from rpent.testing.models import Call, ModelServer, Reply

pytestmark = pytest.mark.wheels

SDKS = {
    "api": ("rpent-planner-api", "pydantic-ai-slim"),
    "claude_code": ("rpent-planner-claude-code", "claude-agent-sdk"),
    "codex": ("rpent-planner-codex", "openai-codex"),
}
KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "test-key")


def planners(env):
    listed = env.run("rpent", "plugins", "list", "--json", "--kind", "planners")
    assert listed.returncode == 0, listed.stderr
    return {row["name"]: row["status"] for row in json.loads(listed.stdout)["plugins"]}


def test_the_usual_set_has_no_vendors_runtime(fresh_environment):
    env = fresh_environment
    env.install("rpent", "rpent-robot-libero")
    assert set(planners(env)) == {"api", "flash", "manual", "replay"}
    shown = env.run("rpent", "run", "--robot", "libero", "--help")
    assert "Options of the planner `api`" in shown.stdout
    missing = env.run("rpent", "run", "--robot", "libero", "--planner", "codex")
    assert missing.returncode == ExitCode.USAGE
    assert "rpent-planner-codex" in missing.stderr


def test_an_api_planner_alone_talks_to_a_model(fresh_environment):
    """`rpent check` drives the planner over a picture, with nothing but the wheel and what it declares."""
    env = fresh_environment
    env.install("rpent-planner-api")
    seen = []

    def model(request):
        seen.append(request)
        if len(seen) == 1:
            return Reply(calls=[Call("look", {})])
        return Reply(calls=[Call("finish", {"status": "success", "summary": "A shape."})])

    with ModelServer(model, models=("test-model",), key="test-key") as server:
        chosen = ("--model", "openai-chat:test-model", "--base-url", f"{server.url}/v1")
        done = env.run("rpent", "check", "planner", "api", *chosen, "--json", **KEYS)
    found = json.loads(done.stdout)
    assert len(seen) == 2, done.stdout + done.stderr
    assert "look" in seen[0].tools
    assert len(server.pictures_seen) == 1
    assert found["planner"] == "api"


@pytest.mark.parametrize("planner", sorted(SDKS))
def test_a_planner_without_its_sdk_says_what_is_missing(fresh_environment, planner):
    env = fresh_environment
    distribution, sdk = SDKS[planner]
    env.install("rpent-core")
    env.install(distribution, "rpent-mcp", deps=False)
    assert planners(env)[planner] == "available"
    model = ("--model", "openai:test-model" if planner == "api" else "test-model")
    done = env.run("rpent", "check", "planner", planner, *model, **KEYS)
    assert done.returncode == ExitCode.INFRASTRUCTURE, done.stdout + done.stderr
    assert f"`{sdk}`" in done.stderr
    assert "install" in done.stderr
    assert "Traceback" not in done.stderr
