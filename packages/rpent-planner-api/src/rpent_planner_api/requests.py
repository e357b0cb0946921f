"""One reply of the model: streamed, so that it can be aborted; tried again where the fault passes."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic_ai import RunContext
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.usage import RunUsage, UsageLimits
from rpent.planners.retries import pause_s, say_retry

from rpent_planner_api.errors import as_model_error, asked_s, understood
from rpent_planner_api.models import facts
from rpent_planner_api.settings import model_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model, StreamedResponse
    from rpent.planners.faults import ModelError
    from rpent.session.session import Session

    from rpent_planner_api.config import ApiConfig
    from rpent_planner_api.history import History
    from rpent_planner_api.toolset import SessionToolset

LONGEST_REPLY = 8_000_000
"""Characters after which a reply is given up: some servers mind no limit of tokens, and it is kept in memory."""
MAX_SHRINKS = 3
"""How often a conversation that a model finds too long is halved before the run gives up."""
_ENDS_ARE_TOLD = ("anthropic", "openai")
"""Systems whose whole replies always end with a reason; one without broke off."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said."""

    response: ModelResponse | None
    """None when it was aborted before anything came."""
    aborted: bool = False


class Requests:
    """Sends a history to the model."""

    def __init__(
        self, session: Session, config: ApiConfig, model: Model, history: History, toolset: SessionToolset
    ) -> None:
        self._session = session
        self._config = config
        self._model = model
        self._history = history
        self._toolset = toolset
        self._settings = model_settings(config, model)
        self._stream: StreamedResponse | None = None
        self._aborted = asyncio.Event()

    @property
    def context(self) -> RunContext[None]:
        """What toolsets and compaction of pydantic-ai want to know of a run; limits are the session's."""
        return RunContext[None](
            deps=None,
            model=self._model,
            usage=RunUsage(),
            usage_limits=UsageLimits(request_limit=None),
            messages=self._history.messages,
        )

    def abort(self) -> None:
        """Stop the reply under way, or the pause before it. On the event loop's thread."""
        self._aborted.set()

    async def answer(self, news: Callable[[], None]) -> Answer:
        """Return the model's next reply.

        Args:
            news: Called before each attempt; adds to the history what the model should hear.

        Raises:
            ModelError: The provider cannot be made to answer.
        """
        self._aborted.clear()
        if self._session.ended is not None:
            return Answer(None, aborted=True)
        retries = shrinks = 0
        while True:
            news()
            try:
                return await self._attempt()
            except Exception as error:
                fault = as_model_error(error, facts(self._config))
                if fault is None:
                    raise
                if (
                    fault.fault == "context"
                    and shrinks < MAX_SHRINKS
                    and await self._history.shrink(self.context)
                ):
                    shrinks += 1
                    self._session.notice(
                        "The conversation is too long for the model: its older half was left out."
                    )
                elif fault.retryable and retries < self._config.max_retries:
                    retries += 1
                    await self._pause(fault, retries, asked_s(error, fault))
                else:
                    raise fault from error
            if self._aborted.is_set():
                return Answer(None, aborted=True)

    async def _attempt(self) -> Answer:
        self._history.request()
        if said := await self._history.trim(self.context):
            self._session.notice(said)
        self._stream = None
        receiving = asyncio.create_task(self._receive())
        aborting = asyncio.create_task(self._aborted.wait())
        try:
            await asyncio.wait({receiving, aborting}, return_when=asyncio.FIRST_COMPLETED)
            if receiving.done():
                return Answer(receiving.result())
            return Answer(self._stream.get() if self._stream is not None else None, aborted=True)
        finally:
            for task in (receiving, aborting):
                task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await receiving

    async def _receive(self) -> ModelResponse:
        tools = await self._toolset.get_tools(self.context)
        parameters = ModelRequestParameters(
            function_tools=[tool.tool_def for tool in tools.values()],
            instruction_parts=[InstructionPart(content=self._session.prompts.system)],
        )
        request = model_request_stream(
            self._model,
            self._history.messages,
            model_settings=self._settings,
            model_request_parameters=parameters,
        )
        with understood(self._model):
            async with request as self._stream:
                room = LONGEST_REPLY
                async for event in self._stream:
                    room -= _characters(event)
                    if room < 0:
                        raise ModelAPIError(self._model.model_name, "the reply does not end")
                response = self._stream.get()
        told = response.finish_reason is not None or self._model.system not in _ENDS_ARE_TOLD
        if not told or response.finish_reason == "error":
            raise ModelAPIError(self._model.model_name, "the reply broke off")
        return response

    async def _pause(self, fault: ModelError, attempt: int, asked_s: float) -> None:
        delay = max(pause_s(attempt), asked_s)
        limit = self._config.max_retries
        say_retry(self._session, fault.message, attempt=attempt, limit=limit, delay_s=delay)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._aborted.wait(), delay)


def _characters(event: ModelResponseStreamEvent) -> int:
    """Return how much an event adds to a reply; at least one, so that empty ones come to an end too."""
    delta = getattr(event, "delta", None)
    pieces = (getattr(delta, name, None) for name in ("content_delta", "args_delta", "tool_name_delta"))
    return 1 + sum(len(piece) for piece in pieces if isinstance(piece, str))
