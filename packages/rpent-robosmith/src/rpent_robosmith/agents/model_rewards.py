"""Rewards by a model: one question for each, the code checked before it goes anywhere, a refused one mended once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field
from rpent.masking import quoted

from rpent_robosmith.agents import prompts
from rpent_robosmith.agents.answers import UnusableAnswerError, code_of, form_values
from rpent_robosmith.agents.api import Proposal
from rpent_robosmith.agents.budget import BudgetSpentError
from rpent_robosmith.agents.model import Form, client_of
from rpent_robosmith.rewards.check import check_reward
from rpent_robosmith.rewards.contract import FUNCTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_robosmith.agents.api import AgentContext, RewardRequest
    from rpent_robosmith.agents.exchanges import Said
    from rpent_robosmith.reports import Usage

NODE = "reward"
_MAX_IDEA = 300


class RewardAnswer(BaseModel):
    """One reward function."""

    model_config = ConfigDict(extra="ignore")

    idea: str = Field(default="", description="What it rewards, in a sentence.")
    code: str = Field(description=f"Python source that defines `{FUNCTION}`.")


FORM = Form(name="submit_reward", summary="Hand in one reward function.", answer=RewardAnswer)


class ModelRewards:
    """A `RewardAgent`."""

    def __init__(self, context: AgentContext) -> None:
        self._client = client_of(context)

    def propose(self, request: RewardRequest) -> Sequence[Proposal]:
        """Return up to `request.count` rewards, none that is among the earlier ones.

        Where there are earlier ones to go on with, none at all is an answer too, and people are told why.

        Raises:
            UnusableAnswerError: The model wrote none that can be used; a resumed run asks it anew.
            BudgetSpentError: There is no budget for even one.
            ModelError: The model cannot be asked.
        """
        taken = {_shape(candidate.code) for candidate in request.earlier}
        opening = prompts.reward(request)
        proposals: list[Proposal] = []
        fault: UnusableAnswerError | BudgetSpentError | None = None
        for number in range(1, request.count + 1):
            wanted = prompts.one_of(number, request.count, [proposal.idea for proposal in proposals])
            try:
                proposal = self._proposal(request, f"{opening}\n\n{wanted}", taken)
            except UnusableAnswerError as error:
                fault = error
                self._client.say(f"Reward {number} of {request.count} is left out. {error.message}")
                continue
            except BudgetSpentError as error:
                fault = error
                self._client.say(f"Reward {number} of {request.count} is not asked for. {error.message}")
                break
            taken.add(_shape(proposal.code))
            proposals.append(proposal)
        if fault is not None and not proposals and not request.earlier:
            raise self._nothing(request, fault)
        return tuple(proposals)

    def usage(self) -> Usage:
        """Return what it has cost so far."""
        return self._client.usage(NODE)

    def _nothing(
        self, request: RewardRequest, fault: UnusableAnswerError | BudgetSpentError
    ) -> UnusableAnswerError | BudgetSpentError:
        """Return the error of a node without any reward; useless answers are not read again."""
        if isinstance(fault, BudgetSpentError):
            return fault
        self._client.abandon(NODE, request.iteration, fault.message)
        return UnusableAnswerError(
            f"The model `{self._client.name}` wrote no reward that can be used: {fault.message}",
            hint="Resume to ask it again, take another `--model`, or `--rewards templates`.",
        )

    def _proposal(self, request: RewardRequest, question: str, taken: set[str]) -> Proposal:
        dialogue = self._client.dialogue(
            node=NODE, iteration=request.iteration, system=prompts.REWARD, form=FORM
        )
        said = dialogue.ask(question)
        try:
            return self._checked(said, taken)
        except UnusableAnswerError as error:
            said = dialogue.ask(prompts.again(error.message))
        return self._checked(said, taken)

    def _checked(self, said: Said, taken: set[str]) -> Proposal:
        """Return the proposal in a reply.

        Raises:
            UnusableAnswerError: There is no code, the check refuses it, or it was tried already.
        """
        code, idea = _code_and_idea(said)
        problems = check_reward(code)
        if problems:
            raise UnusableAnswerError(" ".join(problems))
        if _shape(code) in taken:
            raise UnusableAnswerError("The same reward was tried already.")
        return Proposal(code=code, origin=f"model:{self._client.name}", idea=idea)


def _code_and_idea(said: Said) -> tuple[str, str]:
    """Return the code, wherever it stands in the reply, and the idea in a line.

    Raises:
        UnusableAnswerError: There is none.
    """
    values = form_values(said, FORM.name) or {}
    given = values.get("code")
    code = code_of(given, FUNCTION) if isinstance(given, str) else None
    if code is None:
        code = code_of(said.text, FUNCTION)
    if code is None and isinstance(given, str):
        code = given  # without the function: the check says so
    if code is None:
        cut = " It was cut off at the limit of its length." if said.finish == "length" else ""
        raise UnusableAnswerError(f"The reply holds no code that defines `{FUNCTION}`.{cut}")
    idea = values.get("idea")
    words = idea if isinstance(idea, str) and idea.strip() else _docstring(code)
    return code, quoted(words, limit=_MAX_IDEA)


def _docstring(code: str) -> str:
    """Return the first line of the function's docstring, or nothing."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == FUNCTION:
            return (ast.get_docstring(node) or "").partition("\n")[0].strip()
    return ""


def _shape(code: str) -> str:
    """Return what two codes have in common that differ in comments and layout alone."""
    try:
        return ast.dump(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
