"""Decisions by a model: one of those allowed, never against the verdict; the rules decide where it is of no help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field
from rpent.masking import quoted

from rpent_robosmith.agents import prompts
from rpent_robosmith.agents.answers import UnusableAnswerError, answer_of
from rpent_robosmith.agents.budget import BudgetSpentError
from rpent_robosmith.agents.model import Form, client_of
from rpent_robosmith.agents.rules import RuleDecisions
from rpent_robosmith.reports import Decision, DecisionKind

if TYPE_CHECKING:
    from rpent_robosmith.agents.api import AgentContext, DecisionRequest
    from rpent_robosmith.reports import Usage

NODE = "decision"
MAX_WORDS = 2_000
"""Characters of a reason; what a model says is shown as one printable line."""


class DecisionAnswer(BaseModel):
    """What to do next."""

    model_config = ConfigDict(extra="ignore")

    decision: DecisionKind = Field(description="One of the decisions that are allowed.")
    reason: str = Field(description="Why, in a sentence or two.")
    feedback: str = Field(
        default="", description="For whoever writes the next rewards: what to do differently."
    )
    algorithm: str | None = Field(default=None, description="For `switch_algorithm`: one of those listed.")


FORM = Form(name="decide", summary="Say what to do next.", answer=DecisionAnswer)


class ModelDecisions:
    """A `DecisionAgent`."""

    def __init__(self, context: AgentContext) -> None:
        self._client = client_of(context)
        self._rules = RuleDecisions(context)

    def decide(self, request: DecisionRequest) -> Decision:
        """Return one of the allowed decisions.

        Nothing is asked where only one can be made. An answer that cannot be used goes back once with the reason; after
        that, and without a budget, the rules decide, and the reason says so.

        Raises:
            ModelError: The model cannot be asked.
        """
        if len(request.allowed) == 1:
            return self._rules.decide(request)
        try:
            answer = self._answer(request)
        except (UnusableAnswerError, BudgetSpentError) as error:
            return self._by_rules(request, error.message)
        return Decision(
            kind=answer.decision,
            by=f"model:{self._client.name}",
            reason=quoted(answer.reason, limit=MAX_WORDS),
            feedback=quoted(answer.feedback, limit=MAX_WORDS),
            algorithm=answer.algorithm if answer.decision == "switch_algorithm" else None,
        )

    def usage(self) -> Usage:
        """Return what it has cost so far."""
        return self._client.usage(NODE)

    def _answer(self, request: DecisionRequest) -> DecisionAnswer:
        dialogue = self._client.dialogue(
            node=NODE, iteration=request.iteration, system=prompts.DECISION, form=FORM
        )
        said = dialogue.ask(prompts.decision(request))
        try:
            return _checked(answer_of(said, FORM.name, DecisionAnswer), request)
        except UnusableAnswerError as error:
            said = dialogue.ask(prompts.again(error.message))
        return _checked(answer_of(said, FORM.name, DecisionAnswer), request)

    def _by_rules(self, request: DecisionRequest, why: str) -> Decision:
        decision = self._rules.decide(request)
        self._client.say(f"The rules decide instead of the model. {why}")
        return decision.model_copy(
            update={"reason": f"{decision.reason} (The rules decided instead of the model: {why})"}
        )


def _checked(answer: DecisionAnswer, request: DecisionRequest) -> DecisionAnswer:
    """Refuse what cannot be done.

    Raises:
        UnusableAnswerError: It is not allowed now, goes against the verdict, or names no algorithm that there is.
    """
    allowed = [kind for kind in request.allowed if kind != "accept" or request.verdict.accepted]
    if answer.decision not in allowed:
        against = " against the verdict" if answer.decision == "accept" else " now"
        raise UnusableAnswerError(
            f"`{answer.decision}` cannot be chosen{against}; allowed are {', '.join(f'`{kind}`' for kind in allowed)}."
        )
    if answer.decision == "switch_algorithm" and answer.algorithm not in request.algorithms:
        names = ", ".join(f"`{name}`" for name in request.algorithms)
        raise UnusableAnswerError(f"`algorithm` must be one of {names} for `switch_algorithm`.")
    return answer
