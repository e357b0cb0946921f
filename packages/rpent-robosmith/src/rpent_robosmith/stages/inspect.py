"""Inspect: makes the chosen environment in a worker, steps it, and refuses what cannot be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError

from rpent_robosmith.facts import EnvFacts
from rpent_robosmith.inspect.environments import INSPECT_JOB, run_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.work.api import Bench
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Listener, Workshop


def run(state: RunState, workshop: Workshop) -> RunState:
    """Inspect the environment.

    Raises:
        UsageError: It cannot be made, or its success cannot be judged.
        WorkError: It crashed or hung.
    """
    if state.entry is None:
        raise UsageError("There is no environment to inspect.")
    facts, problem, rate = inspect_environment(
        state.entry, workshop.bench, listener=workshop.listener, seed=state.task.seed
    )
    if problem:
        raise UsageError(
            f"Success in `{state.entry.env_id}` cannot be judged: {problem}",
            hint="Declare it with a criterion, such as `--criterion mean_return>=200`.",
        )
    workshop.listener.say(described(facts, rate))
    return state.model_copy(update={"facts": facts})


def inspect_environment(
    entry: EnvEntry, bench: Bench, *, listener: Listener | None = None, seed: int = 0
) -> tuple[EnvFacts, str, float]:
    """Return what is known of an environment, why its success cannot be judged (or nothing), and steps a second.

    Raises:
        UsageError: It cannot be made.
        WorkError: It crashed or hung.
    """

    def heard(kind: str, data: Mapping[str, Any]) -> None:
        if kind == "progress" and listener is not None:
            listener.progress(f"inspect {entry.id}", float(data["done"]), float(data["total"]))

    result = run_in(INSPECT_JOB, entry.model_dump(mode="json"), bench, {"seed": seed}, heard=heard)
    return EnvFacts.model_validate(result["facts"]), str(result["problem"]), float(result["steps_per_s"])


def described(facts: EnvFacts, rate: float) -> str:
    """Return one line for people."""
    numbers = "1 number" if facts.action.size == 1 else f"{facts.action.size} numbers"
    action = f"{facts.action.n} choices" if facts.action.kind == "discrete" else numbers
    repeatable = "repeatable" if facts.deterministic else "not repeatable"
    return (
        f"`{facts.env_id}`: {facts.observation.size} numbers seen, {action} to act, episodes of at most "
        f"{facts.max_episode_steps} steps, {repeatable}, about {rate:.0f} steps/s."
    )
