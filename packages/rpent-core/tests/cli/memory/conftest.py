"""A memory of the test's own, and runs to learn from."""

from __future__ import annotations

import json

import pytest
from rpent.memory.publish import publish_recipe
from rpent.memory.recipe import recipe_bytes
from rpent.memory.store import Store
from rpent.runs.directory import create
from rpent.testing.memory import note, recipe_calls, solved_audit, write_files


@pytest.fixture(autouse=True)
def memory_dir(tmp_path, monkeypatch):
    monkeypatch.setenv("RPENT_MEMORY_DIR", str(tmp_path / "memory"))
    monkeypatch.setenv("RPENT_OUTPUT_DIR", str(tmp_path / "runs"))
    return tmp_path / "memory"


@pytest.fixture
def memory(memory_dir):
    """A memory of one robot, with a note and a recipe."""
    store = Store(memory_dir, "fake")
    write_files(store.path, {"global/a.md": note("Anything."), "task-family/f/b.md": note()})
    publish_recipe(store, "fake_t0", recipe_calls(), solved_audit())
    return store


@pytest.fixture
def make_run(tmp_path):
    """Record a run as far as the memory looks at it."""

    def make(drafts=None, *, solved=True, **changes):
        directory = create(tmp_path / "runs", "fake_t0_s0", "scripted")
        directory.write_manifest(
            {
                "format": 1,
                "rpent": "0.1.0",
                "created": 1_700_000_000.0,
                "robot": {"name": "fake"},
                "planner": {"name": "scripted"},
                "privileged_perceptors": [],
                "task": {
                    "instruction": "do it",
                    "tag": "fake_t0_s0",
                    "seed": 0,
                    "scope": {"task": "fake_t0", "family": "fake"},
                },
                "request": {"robot": "fake", "planner": "scripted"},
                "services": {},
                "timings_s": {},
                "processes": [],
                "counts": {"env_steps": 42},
                "outcome": {
                    "reason": "finished",
                    "detail": "",
                    "benchmark_success": solved,
                    "planner_status": "success",
                },
                **changes,
            }
        )
        directory.recipe.write_bytes(recipe_bytes(recipe_calls()))
        write_files(directory.path / "memory-draft", drafts or {})
        return directory

    return make


@pytest.fixture
def loads():
    return lambda result: json.loads(result.stdout)
