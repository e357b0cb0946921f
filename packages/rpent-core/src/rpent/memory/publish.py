"""The recipe of a solved task goes into the memory; the better of two stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import UsageError
from rpent.memory.layout import AUDIT, MAX_RECIPE_BYTES, RECIPE, TASK, checked_name, checked_run
from rpent.memory.recipe import audit_bytes, read_published, recipe_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.memory.recipe import Audit
    from rpent.memory.store import Store
    from rpent.runs.recipe import RecipeCall


@dataclass(frozen=True, kw_only=True, slots=True)
class Publication:
    """What came of it."""

    published: bool
    detail: str
    """One sentence: why, or why not."""


def publish_recipe(store: Store, task: str, calls: Sequence[RecipeCall], audit: Audit) -> Publication:
    """Keep the recipe of a run that the benchmark confirmed, where there is none or a longer one.

    Args:
        store: The robot's memory.
        task: The task's name (`TaskSetup.task`).
        calls: The recipe, from the reset to the success.
        audit: Where it comes from; fewer `env_steps` are better.

    Raises:
        UsageError: The benchmark did not confirm it, or it is empty or too long.
        MemoryStoreError: The memory cannot be written.
    """
    folder = f"{TASK}/{checked_name(task, 'task')}"
    checked_run(audit.run)
    if audit.benchmark_success is not True:
        raise UsageError(
            f"The benchmark did not confirm that run `{audit.run}` solved `{task}`, so its recipe is not published."
        )
    if not any(call.ok for call in calls):
        raise UsageError(f"The recipe of run `{audit.run}` holds no call that succeeded.")
    recipe = recipe_bytes(calls)
    if len(recipe) > MAX_RECIPE_BYTES:
        raise UsageError(
            f"The recipe of run `{audit.run}` has {len(recipe)} bytes; at most {MAX_RECIPE_BYTES} are kept."
        )
    with store.changing() as change:
        old_recipe, old_audit = change.get(f"{folder}/{RECIPE}"), change.get(f"{folder}/{AUDIT}")
        if old_recipe is not None and old_audit is not None:
            old = read_published(old_recipe, old_audit).audit
            if old.env_steps <= audit.env_steps:
                return Publication(
                    published=False,
                    detail=f"The recipe of run `{old.run}` for `{task}` stays: it takes {old.env_steps} control "
                    f"steps, this one {audit.env_steps}.",
                )
        change.put(f"{folder}/{RECIPE}", recipe)
        change.put(f"{folder}/{AUDIT}", audit_bytes(audit.sealed(recipe)))
    return Publication(
        published=True, detail=f"The recipe for `{task}` takes {audit.env_steps} control steps."
    )
