"""What a run would do, without doing it: the task as it is understood, the environment, the algorithm, the budget."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent_robosmith.assembly import agent_options, check_agents, first_state, load_stages, make_workshop

if TYPE_CHECKING:
    from rpent_robosmith.config import Effective
    from rpent_robosmith.workflow.state import RunState


class _Silence:
    """A listener that tells nobody."""

    def say(self, line: str) -> None:
        """Say nothing."""

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        """Show nothing."""


def plan_of(sentence: str, settings: Effective) -> dict[str, Any]:
    """Return what a run would do; a model is not asked, and nothing is kept.

    Raises:
        RpentError: The run would be refused: a value, the environment, an agent, a missing framework.
    """
    state = first_state(sentence, settings)
    check_agents(state)
    options = agent_options(state)
    names = {"rewards": options.name("reward_agents"), "decisions": options.name("decision_agents")}
    understood = _understood(state)
    return {
        "sentence": sentence,
        "intake": "rules"
        if options.model is None
        else "model (this plan is made by rules: it asks no model)",
        **names,
        "task": understood.task.plain(),
        "environment": understood.entry.plain() if understood.entry else None,
        "considered": [match.plain() for match in understood.matches],
        "runs_dir": settings.config.runs_dir,
        **_training(understood),
    }


def _understood(state: RunState) -> RunState:
    """Go through intake and the choice of the environment, in a folder that is thrown away."""
    asked = state.model_copy(
        update={"options": {**state.options, "model": None, "rewards": None, "decisions": None}}
    )
    stages = load_stages("intake", "environment")
    with tempfile.TemporaryDirectory() as folder:
        workshop = make_workshop(Path(folder), asked, _Silence(), note=lambda _caveat: None)
        for stage in stages.values():
            asked = stage(asked, workshop)
    return asked


def _training(state: RunState) -> dict[str, Any]:
    entry, task = state.entry, state.task
    usual = entry.training if entry else None
    return {
        "algorithm": task.algorithm or (usual.algorithm if usual else None),
        "total_steps": task.budget.total_steps or (usual.total_steps if usual else None),
    }


def lines_of(plan: dict[str, Any]) -> list[str]:
    """Return a plan as lines for people."""
    from rpent.printable import printable  # noqa: PLC0415

    task, environment = plan["task"], plan["environment"] or {}
    budget, evaluation = task["budget"], task["evaluation"]
    minutes = f", at most {budget['minutes']:g} min" if budget["minutes"] else ""
    rows = [
        ("task", plan["sentence"]),
        ("intake", plan["intake"]),
        ("environment", f"{environment.get('id')}: {environment.get('description')}"),
        (
            "considered",
            ", ".join(f"{one['entry']} ({one['score']:.2f})" for one in plan["considered"]) or "–",
        ),
        (
            "algorithm",
            f"{plan['algorithm'] or 'chosen by the action space'}, {plan['total_steps'] or '?'} steps{minutes}",
        ),
        (
            "rewards",
            f"{plan['rewards']}, {task['candidates']} candidates in each of {task['iterations']} iterations",
        ),
        (
            "evaluation",
            f"{evaluation['episodes']} episodes from seed {evaluation['first_seed']}, then {plan['decisions']}",
        ),
        ("criteria", ", ".join(_criterion(one) for one in task["criteria"]) + f"; margin {task['margin']:g}"),
        ("safety", ", ".join(_criterion(one) for one in task["safety"]) or "–"),
        ("seed", str(task["seed"])),
        ("runs", plan["runs_dir"]),
    ]
    rows += [("note", note) for note in task.get("notes", ())]
    return [f"{name:<12} {printable(str(value))}" for name, value in rows]


def _criterion(one: dict[str, Any]) -> str:
    return f"{one['metric']} {one['operator']} {one['threshold']:g}"
