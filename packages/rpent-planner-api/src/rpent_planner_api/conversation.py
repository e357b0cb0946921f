"""The conversation of one session: a turn is one reply of the model and the calls in it."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import TextPart
from rpent.encodable import encodable
from rpent.planners.parts import INTERRUPTED, opening_parts
from rpent.session.call_ids import CallIds
from rpent.session.reply import not_made

from rpent_planner_api.history import History
from rpent_planner_api.models import build_model, model_name
from rpent_planner_api.remarks import warnings_as_notices
from rpent_planner_api.requests import Requests
from rpent_planner_api.resume import restore
from rpent_planner_api.toolset import SessionToolset
from rpent_planner_api.usage import usage_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from rpent.session.reply import ToolReply
    from rpent.session.session import Session

    from rpent_planner_api.config import ApiConfig
    from rpent_planner_api.requests import Answer

_CUT_OFF = (
    "Your reply was cut off at {limit} tokens, before a tool call. Be brief, and make the next tool call."
)
_PICTURES_IN_RESULTS = ("anthropic", "openai", "openai-responses", "google", "google-cloud", "bedrock")
"""Providers whose tool results hold pictures; for others they follow in a message of their own."""


def work(session: Session, config: ApiConfig) -> None:
    """Work on the session's task until it ends.

    Raises:
        SessionEndedError: The session is over.
        ModelError: The model cannot be asked any more.
    """
    with warnings_as_notices(session):
        asyncio.run(_converse(session, config))


async def _converse(session: Session, config: ApiConfig) -> None:
    model = build_model(config)
    async with model:
        conversation = Conversation(session, config, model)
        with conversation.abortable():
            await conversation.run()


class Conversation:
    """Carries what the model says to the session, and back."""

    def __init__(self, session: Session, config: ApiConfig, model: Any) -> None:
        self._session = session
        self._config = config
        provider = model_name(config).provider
        self._history = History(
            max_messages=config.history_messages,
            max_pictures=config.max_pictures,
            max_tokens=config.history_tokens,
            pictures_in_results=provider in _PICTURES_IN_RESULTS,
            marks_errors=provider == "anthropic",
        )
        self._toolset = SessionToolset(session, images=config.images)
        self._requests = Requests(session, config, model, self._history, self._toolset)
        self._interrupts = 0
        self._call_ids = CallIds(session.history)

    @contextmanager
    def abortable(self) -> Iterator[None]:
        """Stop the reply under way when the user interrupts or the session ends, from whatever thread."""
        loop = asyncio.get_running_loop()

        def abort() -> None:
            with suppress(RuntimeError):  # the loop is closed: nothing is under way
                loop.call_soon_threadsafe(self._requests.abort)

        with ExitStack() as stack:
            stack.callback(self._session.cancel.on_cancel(abort))
            stack.callback(self._session.on_interrupt(abort))
            yield

    async def run(self) -> None:
        """Turn after turn."""
        if self._session.history:
            restore(self._history, self._session, images=self._config.images)
        else:
            self._history.tell(opening_parts(self._session, self._config.images))
        while await self._turn():
            pass

    async def _turn(self) -> bool:
        """One reply and its calls; returns whether the conversation goes on."""
        session = self._session
        session.begin_turn()
        self._interrupts = session.interrupts
        answer = _encodable(await self._requests.answer(self._hear))
        if answer.response is not None:
            self._record(answer.response)
        if session.ended is not None:
            return False
        if answer.aborted or answer.response is None:
            return await self._interrupted_reply(answer.response)
        if answer.response.finish_reason == "content_filter":
            words = _refusal(answer.response)
            if not answer.response.text:  # OpenAI's wires have a field of its own for it
                session.say(words)
            session.refused(words)
            return False
        response = self._with_unique_ids(answer.response)
        self._history.answered(response)
        if not response.tool_calls:
            return await self._without_call(response)
        return await self._carry_out(response.tool_calls)

    def _hear(self) -> None:
        """Pass on what the user said meanwhile."""
        for text in self._session.user_messages():
            self._history.tell([text])

    def _record(self, response: ModelResponse) -> None:
        session = self._session
        session.think(response.thinking or "")
        session.say(response.text or "")
        if response.usage.has_values():
            session.report_usage(usage_of(response, self._config))

    @property
    def _interrupted(self) -> bool:
        """Whether the user interrupted since the turn began."""
        return self._session.interrupts != self._interrupts

    async def _interrupted_reply(self, response: ModelResponse | None) -> bool:
        """Keep the text of an aborted reply (of its calls none was whole), and listen to the user."""
        if response is not None and response.text:
            self._history.answered(
                replace(response, parts=[TextPart(content=response.text)], state="complete")
            )
        self._history.tell([INTERRUPTED])
        return await self._wait_for_user()

    async def _wait_for_user(self) -> bool:
        """After an interrupt, a user who is there has the word; returns whether the conversation goes on."""
        if not self._session.interactive:
            return True
        return self._told(await self._session.anudge())

    def _told(self, message: str | None) -> bool:
        if message is not None:
            self._history.tell([message])
        return message is not None

    def _with_unique_ids(self, response: ModelResponse) -> ModelResponse:
        """Some servers number the calls of each reply anew; the record needs names that hold for the run."""
        for call in response.tool_calls:
            call.tool_call_id = self._call_ids.new(call.tool_call_id)
        return response

    async def _without_call(self, response: ModelResponse) -> bool:
        if response.finish_reason == "length":
            self._session.notice("The model's reply was cut off before a tool call.", level="warning")
            self._history.tell([_CUT_OFF.format(limit=self._config.max_tokens)])
        return self._told(await self._session.anudge())

    async def _carry_out(self, calls: list[ToolCallPart]) -> bool:
        """Carry out the calls of one reply, in their order."""
        context = self._requests.context
        tools = await self._toolset.get_tools(context)
        for call in calls:
            if self._interrupted:
                self._history.returned(call, not_made(call.tool_name).text, failed=True)
                continue
            result = await self._toolset.call_tool(
                call.tool_name,
                call.args,
                replace(context, tool_call_id=call.tool_call_id),
                tools.get(call.tool_name),
            )
            reply: ToolReply = result.metadata
            self._history.returned(call, result.return_value, failed=not reply.ok)
            if reply.ended:
                return False
        return await self._wait_for_user() if self._interrupted else True


def _refusal(response: ModelResponse) -> str:
    details = response.provider_details or {}
    return str(details.get("refusal") or response.text or "")


def _encodable(answer: Answer) -> Answer:
    """The next request repeats what the model said, and has no bytes for half of a surrogate pair."""
    for part in answer.response.parts if answer.response is not None else ():
        for field in fields(part):
            setattr(part, field.name, encodable(getattr(part, field.name)))
    return answer
