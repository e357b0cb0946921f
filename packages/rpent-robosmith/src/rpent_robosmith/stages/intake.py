"""From the sentence to a complete task spec. What the user stated stays; what nobody could measure is refused here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_robosmith.agents.describing import environment_line
from rpent_robosmith.agents.factory import spent
from rpent_robosmith.catalog.load import entries, find
from rpent_robosmith.evaluation.verdict import check_metrics
from rpent_robosmith.stages.environment import Usable

if TYPE_CHECKING:
    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.task import TaskSpec
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop


def run(state: RunState, workshop: Workshop) -> RunState:
    """Complete the task spec.

    Raises:
        UsageError: It names an environment that there is not, or a metric that no evaluation of it knows.
        RpentError: The model cannot be asked.
    """
    before = state.task
    task = restored(before, workshop.intake.read(before, described(before, state.options.get("python"))))
    if task.environment is not None:
        check_metrics(task, find(task.environment))
    for note in task.notes[len(before.notes) :]:
        workshop.listener.say(note)
    return state.model_copy(update={"task": task, "usage": spent(workshop)})


def described(task: TaskSpec, python: str | None = None) -> dict[str, str]:
    """Return catalog id → one line on every environment.

    Those that do not run here, are of another robot or framework than the user stated, or cannot be learned with what
    comes along are marked: they are taken where the sentence names them, and not otherwise.

    Args:
        task: What the user stated.
        python: The interpreter that the user chose for workers.
    """
    usable = Usable(task, python)
    return {
        name: environment_line(entry, choosable=_fits(entry, task) and usable.lack(entry) is None)
        for name, entry in entries().items()
    }


def _fits(entry: EnvEntry, task: TaskSpec) -> bool:
    return (
        task.robot in {None, entry.robot, entry.robot_model}
        and task.framework in {None, entry.adapter}
        and (entry.training is not None or task.dataset is not None)
    )


def restored(before: TaskSpec, after: TaskSpec) -> TaskSpec:
    """Return the completed spec with everything that the user stated as it was, whatever an agent made of it."""
    kept: dict[str, Any] = {"sentence": before.sentence, "stated": before.stated}
    for stated in before.stated:
        name, _, part = stated.partition(".")
        given = getattr(before, name)
        if part:
            record = kept.get(name, getattr(after, name))
            given = record.model_copy(update={part: getattr(given, part)})
        kept[name] = given
    return after.model_copy(update=kept)
