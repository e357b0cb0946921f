"""A run's language model: conversations with it, recorded, within the run's budgets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import ValidationError
from rpent.encodable import encodable
from rpent.errors import RpentError, UsageError
from rpent.planners.faults import ModelError
from rpent_planner_api.config import ApiConfig
from rpent_planner_api.models import model_name

from rpent_robosmith.agents.budget import ModelBudget
from rpent_robosmith.agents.exchanges import Exchange, ExchangeLog, Said, question_key

if TYPE_CHECKING:
    from pydantic import BaseModel

    from rpent_robosmith.agents.api import AgentContext
    from rpent_robosmith.reports import Usage

_HINTS = {
    "sdk": 'pip install "rpent-robosmith[model]"',
    "model": "Give `--model` a name that the provider serves.",
    "context": "Take a `--model` with a larger context window, or fewer `--candidates` and `--iterations`.",
    "request": "Another `--model` may accept it; `model.jsonl` in the run directory has the question.",
    "price": "Leave out `--model-cost` and give `--model-tokens`.",
}
"""Where the planners' remedies name options that `rpent smith` has not."""


class SmithModelConfig(ApiConfig):
    """How RoboSmith asks a model: the options of the planner `api`, without a planner."""

    planner: ClassVar[str] = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """What the model fills in: offered as a tool; a model that writes the same as JSON is understood as well."""

    name: str
    summary: str
    answer: type[BaseModel]

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of its fields."""
        return self.answer.model_json_schema()


class ModelClient:
    """The model of a run, shared by its agents.

    Raises:
        UsageError: The model's name names no provider, or the address is none.
    """

    def __init__(self, context: AgentContext) -> None:
        self.config = _config(context)
        self.name = f"{model_name(self.config).provider}:{model_name(self.config).name}"
        self.log = ExchangeLog(context.log)
        self.budget = ModelBudget(tokens=context.max_tokens, cost_usd=context.max_cost_usd)
        self._context = context

    def check(self) -> None:
        """Find out whether the model can be asked: SDK, key, address, name, price.

        Raises:
            ModelError: Something is missing or wrong.
        """
        from rpent.session.limits import Limits  # noqa: PLC0415  (seconds, with the SDK)
        from rpent_planner_api.checking import check_model  # noqa: PLC0415

        try:
            check_model(self.config, Limits(cost_limit_usd=self.budget.cost_usd))
        except ModelError as error:
            raise remedied(error) from error

    def dialogue(self, *, node: str, iteration: int, system: str, form: Form) -> Dialogue:
        """Begin a conversation.

        Args:
            node: The graph's node that asks.
            iteration: In which iteration.
            system: The instructions.
            form: What is to be filled in.
        """
        return Dialogue(client=self, node=node, iteration=iteration, system=system, form=form)

    def usage(self, node: str) -> Usage:
        """Return what a node's questions have cost, of earlier processes too."""
        return self.log.usage(node)

    def abandon(self, node: str, iteration: int, reason: str) -> None:
        """Note that a node's answers are of no use: when it is tried again, the model is asked anew."""
        self.log.add(Exchange(kind="abandoned", node=node, iteration=iteration, detail=reason))

    def say(self, line: str) -> None:
        """Tell people."""
        if self._context.say is not None:
            self._context.say(line)

    def seconds_left(self) -> float | None:
        """Return what is left of the run's wall clock."""
        return None if self._context.seconds_left is None else self._context.seconds_left()


@dataclass(kw_only=True, slots=True)
class Dialogue:
    """One conversation: a question, and what is asked after an answer that could not be used."""

    client: ModelClient
    node: str
    iteration: int
    system: str
    form: Form
    told: list[str | Said] = field(default_factory=list)
    """In turn: what was asked, what was said."""

    def ask(self, text: str) -> Said:
        """Ask, and return the reply; the same question of an earlier process is answered from the record.

        Raises:
            BudgetSpentError: There is no budget left.
            ModelError: The model cannot be asked.
        """
        client, text = self.client, encodable(text)
        key = question_key(client.name, self.system, self._plain(), text, self.form.name, self.form.schema)
        known = client.log.replayed(self.node, self.iteration, key)
        said = known.said if known is not None else self._asked(text, key)
        self.told += [text, said]
        return said

    def _plain(self) -> list[Any]:
        """Return the conversation so far without the ids that servers give to calls."""
        return [
            one if isinstance(one, str) else [one.text, [[call.name, call.arguments] for call in one.calls]]
            for one in self.told
        ]

    def _asked(self, text: str, key: str) -> Said:
        from rpent_robosmith.agents.requests import Request, request  # noqa: PLC0415  (the SDK takes seconds)

        client = self.client
        client.budget.require(client.log.usage())
        about = {"node": self.node, "iteration": self.iteration, "key": key, "model": client.name}
        opening = {} if self.told else {"system": self.system}
        try:
            reply = request(client, Request(system=self.system, told=(*self.told, text), form=self.form))
        except RpentError as error:
            client.log.add(Exchange(kind="fault", **about, asked=text, **opening, detail=error.message))
            raise
        exchange = Exchange(
            kind="exchange",
            **about,
            **opening,
            asked=text,
            said=reply.said,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            estimated=reply.estimated,
            cost_usd=reply.cost_usd,
        )
        client.log.add(exchange)
        return reply.said


def client_of(context: AgentContext) -> ModelClient:
    """Return the run's model, or one of its own for an agent that is made alone."""
    return context.client or ModelClient(context)


def remedied(error: ModelError) -> ModelError:
    """Return a fault of the model with a remedy that `rpent smith` has."""
    error.hint = _HINTS.get(error.fault, error.hint)
    return error


def _config(context: AgentContext) -> SmithModelConfig:
    try:
        return SmithModelConfig(
            model=context.model,
            base_url=context.base_url,
            key_variable=context.key_variable,
            reply_timeout_s=context.request_timeout_s,
        )
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        option = "--" + str(fault["loc"][0] if fault["loc"] else "model").replace("_", "-")
        raise UsageError(f"`{option}`: {str(fault['msg']).removeprefix('Value error, ')}.") from None
