"""From the sentence to a complete task spec. What the user stated stays; what nobody could measure is refused here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.agents.factory import spent
from rpent_robosmith.catalog.load import entries, find
from rpent_robosmith.evaluation.verdict import check_metrics

if TYPE_CHECKING:
    from rpent_robosmith.task import TaskSpec
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop


def intake(state: RunState, workshop: Workshop) -> RunState:
    """Complete the task spec.

    Raises:
        UsageError: It names an environment that there is not, or a metric that no evaluation of it knows.
        RpentError: The model cannot be asked.
    """
    before = state.task
    task = restored(before, workshop.intake.read(before, described()))
    if task.environment is not None:
        check_metrics(task, find(task.environment))
    for note in task.notes[len(before.notes) :]:
        workshop.listener.say(note)
    return state.model_copy(update={"task": task, "usage": spent(workshop)})


def described() -> dict[str, str]:
    """Return catalog id → one line on the environment."""
    return {
        name: f"{entry.name}: {entry.description} Robot: {entry.robot}. Framework: {entry.adapter}."
        for name, entry in entries().items()
    }


def restored(before: TaskSpec, after: TaskSpec) -> TaskSpec:
    """Return the completed spec with everything that the user stated as it was, whatever an agent made of it."""
    fixed = {
        "sentence",
        "stated",
        "seed",
        *(name for name in before.stated if name in type(before).model_fields),
    }
    if "seed" not in before.stated:
        fixed.discard("seed")
    return after.model_copy(update={name: getattr(before, name) for name in sorted(fixed)})
