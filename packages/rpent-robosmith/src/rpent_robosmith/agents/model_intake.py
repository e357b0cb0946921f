"""Intake by a model. What the user stated, in options or in plain words that the rules read, is never changed by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rpent.errors import UsageError
from rpent.masking import quoted

from rpent_robosmith.agents import prompts
from rpent_robosmith.agents.answers import UnusableAnswerError, answer_of
from rpent_robosmith.agents.budget import BudgetSpentError
from rpent_robosmith.agents.describing import choosable, robots_in
from rpent_robosmith.agents.intake_rules import UNMET, completed, merged, readings
from rpent_robosmith.agents.model import Form, client_of
from rpent_robosmith.catalog.load import find
from rpent_robosmith.evaluation.verdict import check_metrics
from rpent_robosmith.task import METRICS, Criterion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_robosmith.agents.api import AgentContext
    from rpent_robosmith.reports import Usage
    from rpent_robosmith.task import TaskSpec

NODE = "intake"
_ITERATION = 1
_MAX_TAGS = 12


class CriterionAnswer(BaseModel):
    """One thing that an evaluation must show, or must not exceed."""

    model_config = ConfigDict(extra="ignore")

    metric: str
    operator: Literal[">=", ">", "<=", "<"]
    threshold: float = Field(allow_inf_nan=False)


class TaskAnswer(BaseModel):
    """What the user wants; fields that the user says nothing of are left out."""

    model_config = ConfigDict(extra="ignore")

    environment: str | None = Field(default=None, description="An id that is offered.")
    robot: str | None = Field(
        default=None, description="Kind of robot, as in the list: arm, quadruped, hand, …"
    )
    algorithm: str | None = Field(
        default=None, description="ppo, sac, td3, tqc, crossq, bc, act; only if asked for."
    )
    tags: list[str] = Field(default=[], description="A few words that describe the task.")
    criteria: list[CriterionAnswer] = Field(default=[], description="What an evaluation must show.")
    safety: list[CriterionAnswer] = Field(default=[], description="Limits that must hold, on measures.")
    total_steps: int | None = Field(
        default=None, ge=1, le=10**12, description="Environment steps of the training."
    )
    minutes: float | None = Field(default=None, gt=0, description="Wall clock of the whole run.")
    training_minutes: float | None = Field(default=None, gt=0, description="Wall clock of one training.")
    episodes: int | None = Field(default=None, ge=1, le=10_000, description="Episodes of the evaluation.")


FORM = Form(name="fill_in_task", summary="Fill in the task specification.", answer=TaskAnswer)


class ModelIntake:
    """An `IntakeAgent`."""

    def __init__(self, context: AgentContext) -> None:
        self._client = client_of(context)

    def read(self, task: TaskSpec, environments: Mapping[str, str]) -> TaskSpec:
        """Complete a task spec.

        The rules read the sentence first; the model adds what they did not find. An answer that cannot be used goes
        back once with the reason; after that, and without a budget, the rules' reading stands, and a note says so.

        Raises:
            UsageError: The sentence states a number that is out of range.
            ModelError: The model cannot be asked.
        """
        found = readings(task, environments)
        by_rules = completed(task, found)
        try:
            return self._completed(task, by_rules, _offered(by_rules, environments), found)
        except (UnusableAnswerError, BudgetSpentError) as error:
            note = f"The rules read the sentence instead of the model. {error.message}"
            return by_rules.model_copy(update={"notes": (*by_rules.notes, note)})

    def usage(self) -> Usage:
        """Return what it has cost so far."""
        return self._client.usage(NODE)

    def _completed(
        self,
        task: TaskSpec,
        by_rules: TaskSpec,
        environments: Mapping[str, str],
        found: Mapping[str, Any],
    ) -> TaskSpec:
        dialogue = self._client.dialogue(node=NODE, iteration=_ITERATION, system=prompts.INTAKE, form=FORM)
        said = dialogue.ask(prompts.intake(task, environments, _told(found)))
        stated = {*task.stated, *(name for name in found if name not in {"tags", "notes", "avoid"})}
        try:
            answer = _checked(answer_of(said, FORM.name, TaskAnswer), environments)
            return _merged(by_rules, answer, stated, environments)
        except UnusableAnswerError as error:
            said = dialogue.ask(prompts.again(error.message))
        answer = _checked(answer_of(said, FORM.name, TaskAnswer), environments)
        return _merged(by_rules, answer, stated, environments)


def _offered(task: TaskSpec, environments: Mapping[str, str]) -> dict[str, str]:
    """Return the environments that may be chosen: of the robot that the user wants, and none that they refuse."""
    return {
        name: line
        for name, line in choosable(environments).items()
        if name not in task.avoid and task.robot in {None, *robots_in([line])}
    }


def _checked(answer: TaskAnswer, environments: Mapping[str, str]) -> TaskAnswer:
    """Refuse environments that are not offered.

    Raises:
        UnusableAnswerError: It names one.
    """
    if answer.environment is not None and answer.environment not in environments:
        name = quoted(answer.environment, limit=80)
        raise UnusableAnswerError(
            f"`environment` is `{name}`, which is not offered; take an id of the list, or none."
        )
    return answer


def _merged(
    task: TaskSpec, answer: TaskAnswer, stated: set[str], environments: Mapping[str, str]
) -> TaskSpec:
    """Return the task with what the model found, where nothing was stated.

    Raises:
        UnusableAnswerError: A value is out of range.
    """
    values = _named(task, answer, environments)
    for name in ("criteria", "safety"):
        given = tuple(Criterion(**item.model_dump()) for item in getattr(answer, name))
        if given:
            values[name] = given
    values["tags"] = tuple(quoted(tag.lower(), limit=40) for tag in answer.tags[:_MAX_TAGS] if tag.strip())
    budget = {name: getattr(answer, name) for name in ("total_steps", "minutes", "training_minutes")}
    values["budget"] = {name: value for name, value in budget.items() if value is not None}
    if answer.episodes is not None:
        values["evaluation"] = {"episodes": answer.episodes}
    free = {
        name: value
        for name, value in values.items()
        if name not in stated or name in {"budget", "evaluation"}
    }
    try:
        done = merged(task, free)
    except ValidationError as error:
        raise UnusableAnswerError(f"The answer is not valid: {error.errors()[0]['msg']}.") from None
    _require_measurable(task, done)
    chosen = tuple(name for name in ("environment",) if getattr(done, name) != getattr(task, name))
    limited = bool(values.get("safety"))
    notes = tuple(note for note in done.notes if not (limited and note.endswith(UNMET)))
    return done.model_copy(update={"chosen": chosen, "notes": notes})


def _require_measurable(before: TaskSpec, after: TaskSpec) -> None:
    """Refuse criteria of the model that no evaluation could decide; the user's own are the stage's to refuse.

    Raises:
        UnusableAnswerError: A metric is none of the environment's, or none that every environment has.
    """
    added = {
        name: tuple(item for item in getattr(after, name) if item not in getattr(before, name))
        for name in ("criteria", "safety")
    }
    if after.environment is None:
        unknown = [item for items in added.values() for item in items if item.metric not in METRICS]
        if unknown:
            name = quoted(unknown[0].metric, limit=80)
            raise UnusableAnswerError(
                f"`{name}` is no metric of every environment; name an `environment` that has it, or take one of "
                f"{', '.join(METRICS)}."
            )
        return
    try:
        check_metrics(after.model_copy(update=added), find(after.environment))
    except UsageError as error:
        raise UnusableAnswerError(quoted(f"{error.message} {error.hint or ''}", limit=1_000)) from None


def _named(task: TaskSpec, answer: TaskAnswer, environments: Mapping[str, str]) -> dict[str, Any]:
    """Return the names in an answer: robots that an offered environment has, an algorithm that the sentence names."""
    values: dict[str, Any] = {}
    if answer.robot and any(
        f"robot: {answer.robot.lower()}." in line.lower() for line in environments.values()
    ):
        values["robot"] = answer.robot.lower()
    if answer.algorithm and answer.algorithm.lower() in task.sentence.lower():
        values["algorithm"] = answer.algorithm.lower()
    if answer.environment:
        values["environment"] = answer.environment
        values.pop("robot", None)  # it could only contradict
    return {
        name: value
        for name, value in values.items()
        if getattr(task, name) is None and value not in task.avoid
    }


def _told(found: Mapping[str, Any]) -> dict[str, object]:
    """Return what the rules found, in words."""
    return {
        name: [str(item) for item in value] if name in {"criteria", "safety"} else value
        for name, value in found.items()
        if name not in {"tags", "notes"}
    }
