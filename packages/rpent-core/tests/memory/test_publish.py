"""Recipes: only confirmed ones, the shorter stays, and a pair that does not belong together is none."""

from __future__ import annotations

import pytest
from rpent.errors import UsageError
from rpent.memory.publish import publish_recipe
from rpent.memory.recipe import audit_bytes
from rpent.memory.view import MemoryView
from rpent.runs.recipe import RecipeCall
from rpent.testing.memory import recipe_calls, solved_audit, write_files

FOLDER = "task-specific/fake_t0"


def view(store):
    return MemoryView(store.root, store.robot, "fake", "fake_t0")


def test_a_confirmed_recipe_is_found_by_its_task(store):
    calls = recipe_calls()
    assert publish_recipe(store, "fake_t0", calls, solved_audit()).published
    found = view(store).recipe()
    assert list(found.calls) == calls
    assert found.audit.run == "fake_t0_s0_x"
    assert MemoryView(store.root, store.robot, "fake", "fake_t1").recipe() is None
    assert "2 calls, 100 control steps, seed 0" in (store.path / "MEMORY.md").read_text()


@pytest.mark.parametrize("verdict", [False, None, 1, "true"])
def test_what_the_benchmark_did_not_confirm_is_refused(store, verdict):
    with pytest.raises(UsageError, match="did not confirm"):
        publish_recipe(store, "fake_t0", recipe_calls(), solved_audit(benchmark_success=verdict))
    assert not store.path.exists()


def test_a_recipe_in_which_nothing_succeeded_is_refused(store):
    with pytest.raises(UsageError, match="no call that succeeded"):
        publish_recipe(store, "fake_t0", [RecipeCall(n=0, name="look", ok=False)], solved_audit())


@pytest.mark.parametrize(("steps", "wins"), [(99, True), (100, False), (101, False)])
def test_the_shorter_recipe_stays(store, steps, wins):
    publish_recipe(store, "fake_t0", recipe_calls(), solved_audit(run="old"))
    done = publish_recipe(store, "fake_t0", recipe_calls(3), solved_audit(run="new", env_steps=steps))
    assert done.published is wins
    assert view(store).recipe().audit.run == ("new" if wins else "old")


@pytest.mark.parametrize("name", ["recipe.jsonl", "audit.json"])
@pytest.mark.parametrize("damage", [b"", b"{}\n", b"\xff"])
def test_a_damaged_pair_is_left_out_and_replaced(store, name, damage):
    publish_recipe(store, "fake_t0", recipe_calls(), solved_audit())
    (store.path / FOLDER / name).write_bytes(damage)
    seen = view(store)
    assert seen.recipe() is None
    assert seen.files == ()
    assert len(seen.problems) == 1
    assert publish_recipe(store, "fake_t0", recipe_calls(), solved_audit(env_steps=500)).published
    assert view(store).recipe().audit.env_steps == 500


@pytest.mark.parametrize(
    "recipe",
    [
        '{"name": "a", "arguments": {}}'.encode("utf-16"),
        b"[]",
        b'{"name": 1, "arguments": {}}',
        b"[" * 100_000,
    ],
)
def test_a_sealed_file_that_is_no_recipe_is_left_out(store, recipe):
    audit = audit_bytes(solved_audit().sealed(recipe))
    write_files(store.path, {f"{FOLDER}/recipe.jsonl": recipe, f"{FOLDER}/audit.json": audit})
    assert view(store).files == ()
    assert "is not a recipe" in view(store).problems[0].text


def test_a_recipe_without_its_audit_is_left_out(store):
    publish_recipe(store, "fake_t0", recipe_calls(), solved_audit())
    (store.path / FOLDER / "audit.json").unlink()
    seen = view(store)
    assert seen.recipe() is None
    assert "missing" in seen.problems[0].text


def test_a_recipe_says_why_its_result_is_not_the_benchmarks(store):
    publish_recipe(store, "fake_t0", recipe_calls(), solved_audit(caveats=("Of paper.",)))
    found = view(store)
    assert found.recipe().audit.caveats == ("Of paper.",)
    assert any("Of paper." in entry.line for entry in found.entries())
