"""What a recorded run offers the memory: its drafts, and the recipe of a solution that the benchmark confirmed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rpent.memory.layout import DRAFTS
from rpent.memory.merge import Evidence, MergeReport, merge
from rpent.memory.publish import Publication, publish_recipe
from rpent.memory.recipe import Audit
from rpent.runs.processes import planner_names
from rpent.runs.recipe import RecipeCall, read_recipe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from rpent.memory.store import Store
    from rpent.runs.directory import RunDirectory

FINISH = "finish"
"""The session's tool that ends a recipe."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """What a run offers."""

    robot: str
    task: str
    evidence: Evidence
    drafts: Path
    recipe: tuple[RecipeCall, ...] = ()
    """Calls from the reset to the success."""
    audit: Audit | None = None
    """None where the benchmark confirmed nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Learned:
    """What came of it."""

    report: MergeReport
    publication: Publication | None
    """None where the benchmark confirmed nothing."""


def offer_of(run: RunDirectory) -> Offer:
    """Read what a run that has ended offers.

    Raises:
        RunDirectoryError: It is not a run directory, or is damaged.
    """
    manifest = run.read_manifest()
    task, name = manifest["task"], run.path.resolve().name
    scope = task.get("scope") or {"task": task["tag"].removesuffix(f"_s{task.get('seed')}"), "family": None}
    outcome = manifest["outcome"] or {}
    evidence = Evidence(
        run=name,
        benchmark_success=outcome.get("benchmark_success"),
        created=manifest["created"],
        family=scope["family"],
        task=scope["task"],
    )
    offered = {
        "robot": manifest["robot"]["name"],
        "task": scope["task"],
        "evidence": evidence,
        "drafts": run.path / DRAFTS,
    }
    best = _confirmed(manifest, outcome)
    if best is None:
        return Offer(**offered)
    number, env_steps = best
    repeated = (
        True if number is not None and number == manifest.get("explored", {}).get("confirmed") else None
    )
    audit = audit_of(manifest, name, env_steps=env_steps, attempt=number or 1, repeated=repeated)
    file = run.recipe if number is None else run.recipe_of(number)
    return Offer(**offered, recipe=solution_of(read_recipe(file)), audit=audit)


def audit_of(
    manifest: Mapping[str, Any],
    run: str,
    *,
    env_steps: int,
    attempt: int = 1,
    repeated: bool | None = None,
) -> Audit:
    """Return the audit of a solution that the benchmark confirmed, from the run's run.json.

    Args:
        manifest: run.json.
        run: Name of the run directory.
        env_steps: Control steps of the solution.
        attempt: Which attempt of the run it is.
        repeated: Whether it was replayed from a reset, and solved the task again.
    """
    task = manifest["task"]
    plugins = [manifest[kind] for kind in ("robot", "planner", "perceptor") if manifest.get(kind)]
    versions = {plugin["distribution"]: plugin["version"] for plugin in plugins if plugin.get("distribution")}
    return Audit(
        run=run,
        attempt=attempt,
        benchmark_success=True,
        repeated=repeated,
        env_steps=env_steps,
        seed=task.get("seed", 0),
        planner=", ".join(planner_names(manifest)),
        model=manifest.get("usage", {}).get("model", ""),
        instruction=task["instruction"],
        created=manifest["created"],
        privileged=tuple(manifest.get("privileged_perceptors", ())),
        caveats=tuple(manifest.get("caveats", ())),
        versions={"rpent-core": manifest["rpent"]} | versions,
    )


def solution_of(calls: Iterable[RecipeCall], summary: str = "") -> tuple[RecipeCall, ...]:
    """Return the calls of a confirmed attempt with the ending that the benchmark's verdict allows.

    Only a session's last attempt ends with `finish`, and what it claims there is the planner's own opinion.
    """
    actions = [call for call in calls if call.name != FINISH]
    claim = {"status": "success", "summary": summary}
    end = RecipeCall(n=0, name=FINISH, arguments=claim, env_steps=actions[-1].env_steps if actions else 0)
    return tuple(replace(call, n=number) for number, call in enumerate([*actions, end]))


def learn(store: Store, offer: Offer) -> Learned:
    """Merge the drafts and publish the recipe of a run.

    Raises:
        UsageError: The run's names or its recipe cannot be taken.
        MemoryStoreError: The memory cannot be written.
    """
    report = merge(store, offer.drafts, offer.evidence)
    if offer.audit is None:
        return Learned(report=report, publication=None)
    return Learned(report=report, publication=publish_recipe(store, offer.task, offer.recipe, offer.audit))


def _confirmed(manifest: Mapping[str, Any], outcome: Mapping[str, Any]) -> tuple[int | None, int] | None:
    """Return which attempt was confirmed (None: there was one only) and its control steps.

    Of an exploring run it is the one that the run itself saw to solve the task again, or, where it did not come to
    that, the shortest one; never one whose replay failed.
    """
    attempts = manifest.get("attempts")
    if attempts is None:
        if outcome.get("benchmark_success") is not True:
            return None
        return None, int(manifest.get("counts", {}).get("env_steps", 0))
    explored = manifest.get("explored", {})
    confirmed, refuted = explored.get("confirmed"), explored.get("refuted", ())
    solved = {
        attempt["attempt"]: attempt["env_steps"]
        for attempt in attempts
        if attempt["benchmark_success"] and attempt["attempt"] not in refuted
    }
    if not solved:
        return None
    best = confirmed if confirmed in solved else min(solved, key=lambda number: (solved[number], number))
    return best, solved[best]
