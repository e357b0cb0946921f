"""Exploration on the real benchmark, decided by a model behind a real client: the model's server plays a script.

A failed attempt, a reset, a success, a published recipe; then `flash` and a fresh run with a model use it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from rpent.memory.layout import parse_path
from rpent.memory.view import MemoryView
from rpent.run import Explore, RunRequest, execute, explore
from rpent.runs.events import read_events
from rpent.runs.outcome import Outcome
from rpent.testing.models import Call, ModelServer, Reply, Request

pytestmark = pytest.mark.sim

KEY = "test-key"
TASK, FAMILY = "libero_object_swap_t2", "libero_object"
NOTE = """\
---
title: Things that stand beside the basket
summary: A thing counts only inside the basket; beside it the benchmark says no.
---

Name the relation: `place(on="basket", relation="in")`.
"""
LESSON = "It was put down beside the basket; it has to go in."
SCRIPT = [
    Reply(text="The memory may help.", calls=[Call("list_memory", {})]),
    Reply(calls=[Call("grasp", {"target": "salad dressing"})]),
    Reply(calls=[Call("place", {"on": "basket", "relation": "left_of"})]),
    Reply(
        text="Not solved: I try again.",
        calls=[Call("next_attempt", {"status": "failure", "lesson": LESSON})],
    ),
    Reply(calls=[Call("grasp", {"target": "salad dressing"})]),
    Reply(calls=[Call("place", {"on": "basket", "relation": "in"})]),
    Reply(calls=[Call("write_memory_draft", {"path": f"task-family/{FAMILY}/basket.md", "content": NOTE})]),
    Reply(calls=[Call("finish", {"status": "success", "summary": "The salad dressing is in the basket."})]),
]


def request(
    tmp_path: Path, planner: str, config: dict[str, Any], seed: int = 0, **options: Any
) -> RunRequest:
    return RunRequest(
        robot="libero",
        robot_config={"suite": "libero_object_swap", "task": 2, "seed": seed},
        planner=planner,
        planner_config=config,
        output_dir=tmp_path / "runs",
        memory_dir=tmp_path / "memory",
        progress="quiet",
        record_video=False,
        **options,
    )


def client(server: ModelServer) -> dict[str, Any]:
    return {"model": "openai-chat:test-model", "base_url": f"{server.url}/v1"}


def called(outcome: Outcome) -> list[str]:
    assert outcome.run_dir is not None
    return [
        event.name for event in read_events(outcome.run_dir / "events.jsonl") if event.type == "tool_called"
    ]


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Nothing of the developer's shell reaches the client."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("OPENAI", "ANTHROPIC"))]:
            patch.delenv(name)
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="module")
def explored(
    tmp_path_factory: pytest.TempPathFactory, surroundings: None
) -> tuple[Path, Outcome, ModelServer]:
    """The exploration, once for the module."""
    folder = tmp_path_factory.mktemp("exploration")
    server = ModelServer(SCRIPT, models=("test-model",), key=KEY)
    with server:
        done = explore(request(folder, "api", client(server), explore=Explore(attempts=3)))
    return folder, done.outcomes[0], server


def test_a_failed_attempt_a_reset_and_a_success(explored: tuple[Path, Outcome, ModelServer]) -> None:
    _, outcome, server = explored
    assert outcome.benchmark_success is True, outcome
    assert outcome.problems == ()
    assert outcome.run_dir is not None
    run = json.loads((outcome.run_dir / "run.json").read_text())
    first, second = run["attempts"]
    assert (first["benchmark_success"], first["lesson"]) == (False, LESSON)
    assert second["benchmark_success"] is True
    assert run["explored"] == {
        "merged": [f"task-family/{FAMILY}/basket.md"],
        "confirmed": 2,
        "published": True,
        "refuted": [],
        "problems": [],
    }
    # What the client told the model of the reset: the verdict, the fresh state, and a picture of it.
    assert {"next_attempt", "write_memory_draft", "list_memory"} <= set(server.requests[0].tools)
    assert "3 attempts" in server.requests[0].system
    told = json.loads(server.requests[4].results[-1].text)
    assert told["last_attempt"]["benchmark_success"] is False
    assert (told["attempts_left"], told["observation"]["step"], told["observation"]["holding"]) == (
        1,
        0,
        None,
    )


def test_the_recipe_is_published_with_its_audit(explored: tuple[Path, Outcome, ModelServer]) -> None:
    folder, outcome, _ = explored
    view = MemoryView(folder / "memory", "libero", FAMILY, TASK)
    assert view.problems == ()
    assert {str(parse_path(path)) for path in view.files} == {
        f"task-family/{FAMILY}/basket.md",
        f"task-specific/{TASK}/audit.json",
        f"task-specific/{TASK}/recipe.jsonl",
    }
    published = view.recipe()
    assert published is not None
    assert [call.name for call in published.calls] == ["grasp", "place", "finish"]
    audit = published.audit
    assert outcome.run_dir is not None
    assert (audit.run, audit.attempt, audit.repeated) == (outcome.run_dir.name, 2, True)
    assert (audit.planner, audit.model, audit.privileged) == ("api", "test-model", ("libero-sim",))


def test_flash_uses_it_where_things_stand_elsewhere(explored: tuple[Path, Outcome, ModelServer]) -> None:
    folder, exploration, _ = explored
    outcome = execute(request(folder, "flash", {}, seed=7, memory=True))
    assert outcome.benchmark_success is True, outcome
    assert outcome.run_dir is not None
    assert exploration.run_dir is not None
    text = (outcome.run_dir / "events.jsonl").read_text()
    assert f"Repeating the recipe of run `{exploration.run_dir.name}`" in text


def test_a_fresh_run_with_a_model_uses_it(explored: tuple[Path, Outcome, ModelServer]) -> None:
    """The model knows nothing but what the tools of the memory tell it: it lists, reads, does as the recipe says."""
    folder, _, _ = explored
    before = sorted(path.read_bytes() for path in (folder / "memory").rglob("*") if path.is_file())
    server = ModelServer(Reader(), models=("test-model",), key=KEY)
    with server:
        outcome = execute(request(folder, "api", client(server), seed=3, memory=True))
    assert outcome.benchmark_success is True, outcome
    assert called(outcome) == ["list_memory", "read_memory", "grasp", "place", "finish"]
    assert "write_memory_draft" not in server.requests[0].tools
    after = sorted(path.read_bytes() for path in (folder / "memory").rglob("*") if path.is_file())
    assert before == after


class Reader:
    """Answers as a model would that trusts the recipe of its memory."""

    def __init__(self) -> None:
        self.recipe: list[dict[str, Any]] | None = None

    def __call__(self, request: Request) -> Reply:
        if not request.results:
            return Reply(text="First what is known.", calls=[Call("list_memory", {})])
        last = json.loads(request.results[-1].text)
        if "files" in last:
            path = next(file["path"] for file in last["files"] if file["path"].endswith("recipe.jsonl"))
            return Reply(calls=[Call("read_memory", {"path": path})])
        if "content" in last:
            self.recipe = [json.loads(line) for line in last["content"].splitlines()]
        assert self.recipe
        step = self.recipe.pop(0)
        return Reply(calls=[Call(step["name"], step["arguments"])])
