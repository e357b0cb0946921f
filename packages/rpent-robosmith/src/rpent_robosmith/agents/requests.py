"""One question to the model over the network: with a time limit, tried again where the fault passes."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import (
    InstructionPart,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from rpent.encodable import encodable
from rpent.planners.faults import ModelError
from rpent.planners.retries import pause_s
from rpent.session.usage import Usage
from rpent_planner_api.errors import as_model_error, asked_s, understood
from rpent_planner_api.models import build_model, facts
from rpent_planner_api.settings import model_settings
from rpent_planner_api.usage import usage_of

from rpent_robosmith.agents.budget import BudgetSpentError
from rpent_robosmith.agents.exchanges import Said, SaidCall
from rpent_robosmith.agents.model import remedied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from pydantic_ai.models import Model

    from rpent_robosmith.agents.model import Form, ModelClient

MAX_TIMEOUTS = 2
"""Requests without an answer in time; a third would only wait as long again."""
_LETTERS_IN_A_TOKEN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A conversation whose last part is a question."""

    system: str
    told: Sequence[str | Said]
    form: Form


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What came back, and what it cost."""

    said: Said
    input_tokens: int
    output_tokens: int
    estimated: bool
    cost_usd: float | None


def request(client: ModelClient, question: Request) -> Reply:
    """Ask, and wait for the reply.

    A key or an address that is refused ends it at once; limits of the rate are waited for, as long as the provider
    says; a server that is overloaded or out of reach is tried again a few times.

    Raises:
        BudgetSpentError: The run's time is over.
        ModelError: The model cannot be asked.
    """
    retries = timeouts = 0
    while True:
        try:
            return asyncio.run(_attempt(client, question))
        except Exception as error:
            fault = as_model_error(error, facts(client.config))
            if fault is None:
                raise
            if isinstance(error, TimeoutError):
                timeouts, fault = timeouts + 1, _no_answer(client)
                _require_time(client, fault, 1.0)
            if not fault.retryable or retries >= client.config.max_retries or timeouts >= MAX_TIMEOUTS:
                raise remedied(fault) from error
            retries += 1
            _pause(client, fault, max(pause_s(retries), asked_s(error, fault)), retries)


async def _attempt(client: ModelClient, question: Request) -> Reply:
    model = build_model(client.config)
    usual = client.config.max_tokens
    tokens = client.budget.reply_tokens(client.log.usage(), usual)
    settings: Any = {**model_settings(client.config, model), "max_tokens": tokens}
    parameters = ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=question.form.name,
                description=question.form.summary,
                parameters_json_schema=question.form.schema,
            )
        ],
        instruction_parts=[InstructionPart(content=question.system)],
    )
    async with asyncio.timeout(_time_limit_s(client)), model:
        with understood(model):
            response = await model_request(
                model, _messages(question), model_settings=settings, model_request_parameters=parameters
            )
    return _reply(client, question, response, model)


def _messages(question: Request) -> list[ModelMessage]:
    messages: list[ModelMessage] = []
    open_calls: tuple[SaidCall, ...] = ()
    for one in question.told:
        if isinstance(one, Said):
            calls = [ToolCallPart(call.name, call.arguments, call.id) for call in one.calls]
            messages.append(ModelResponse(parts=[*([TextPart(one.text)] if one.text else []), *calls]))
            open_calls = one.calls
        else:
            messages.append(ModelRequest(parts=_parts(one, open_calls)))
    return messages


def _parts(text: str, calls: Sequence[SaidCall]) -> list[ModelRequestPart]:
    """Return a question; after a call it is the call's result."""
    if not calls:
        return [UserPromptPart(text)]
    return [ToolReturnPart(call.name, text, call.id) for call in calls]


def _reply(client: ModelClient, question: Request, response: ModelResponse, model: Model) -> Reply:
    said = Said(
        text=encodable(response.text or ""),
        calls=tuple(
            SaidCall(id=call.tool_call_id, name=call.tool_name, arguments=encodable(_arguments(call.args)))
            for call in response.tool_calls
        ),
        finish=response.finish_reason,
    )
    if not said.text and not said.calls and said.finish is None:
        raise ModelAPIError(model.model_name, "the reply is empty")
    usage = usage_of(response, client.config)
    estimated = not response.usage.has_values()
    if estimated:
        usage = _estimated(question, said)
    return Reply(
        said=said,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        estimated=estimated,
        cost_usd=usage.cost_usd,
    )


def _arguments(given: str | dict[str, Any] | None) -> str:
    """Return a call's arguments as they were written, JSON or not."""
    return given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)


def _estimated(question: Request, said: Said) -> Usage:
    """Return a guess of the tokens, for servers that count none: a budget of tokens holds there too."""
    asked = sum(len(one if isinstance(one, str) else one.model_dump_json()) for one in question.told)
    return Usage(
        input_tokens=1 + (len(question.system) + asked) // _LETTERS_IN_A_TOKEN,
        output_tokens=1 + len(said.model_dump_json()) // _LETTERS_IN_A_TOKEN,
    )


def _time_limit_s(client: ModelClient) -> float:
    left = client.seconds_left()
    limit = client.config.reply_timeout_s
    return limit if left is None else max(1.0, min(limit, left))


def _no_answer(client: ModelClient) -> ModelError:
    return ModelError(
        f"The model `{client.name}` gave no answer within {_time_limit_s(client):.0f} s.",
        fault="unreachable",
        hint="Take a faster `--model`, or look at the server.",
    )


def _pause(client: ModelClient, fault: ModelError, delay_s: float, attempt: int) -> None:
    """Wait before another attempt.

    Raises:
        BudgetSpentError: The run's time would be over before.
    """
    _require_time(client, fault, delay_s)
    limit = client.config.max_retries
    client.say(f"{fault.message} Trying again in {delay_s:.1f} s ({attempt} of {limit}).")
    time.sleep(delay_s)


def _require_time(client: ModelClient, fault: ModelError, seconds: float) -> None:
    left = client.seconds_left()
    if left is not None and left <= seconds:
        raise BudgetSpentError(
            f"{fault.message} The run has no time left to ask again.", hint="Give more with `--minutes`."
        ) from fault
