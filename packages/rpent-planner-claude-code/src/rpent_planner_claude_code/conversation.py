"""The conversation of one session: Claude Code asks the model, the session carries out its calls."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
from claude_agent_sdk import (
    AssistantMessage,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    UserMessage,
)
from rpent.planners.faults import ModelError
from rpent.planners.parts import BROKE_OFF, history_parts, opening_parts
from rpent.planners.prices import priced
from rpent.planners.retries import pause_s, say_retry
from rpent.runs.events import UserMessage as UserSaid
from rpent.runs.outcome import Ending
from rpent.session.session import SessionEndedError

from rpent_planner_claude_code.calls import Calls
from rpent_planner_claude_code.errors import CUT, Trouble, retry_of
from rpent_planner_claude_code.line import Line
from rpent_planner_claude_code.options import build_options
from rpent_planner_claude_code.prompts import as_prompt, continuation, shortened
from rpent_planner_claude_code.response import Response
from rpent_planner_claude_code.tools import Desk, serve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claude_agent_sdk import ClaudeSDKClient
    from rpent.planners.parts import Part
    from rpent.session.session import Session

    from rpent_planner_claude_code.config import ClaudeCodeConfig
    from rpent_planner_claude_code.endpoint import Endpoint
    from rpent_planner_claude_code.private import PrivateFolder

SHORTER = (40_000, 10_000)
"""Characters of the conversation with which it is begun anew where the model finds it too long."""
_ABORTED = frozenset({"aborted_streaming", "aborted_tools"})
_STREAM_RETRY = re.compile(r"Mid-stream (\d+).*retrying")


class Conversation:
    """Carries what the model says to the session, and back."""

    def __init__(
        self, session: Session, config: ClaudeCodeConfig, endpoint: Endpoint, folder: PrivateFolder
    ) -> None:
        self._session = session
        self._config = config
        self._endpoint = endpoint
        self._folder = folder
        self._desk = Desk()
        self._calls = Calls(session, self._desk, images=config.images)
        self._line = Line(session, speaks=lambda: not self._calls.at_work)
        self._response: Response | None = None
        self._in_turn = False
        """Whether a turn has begun whose reply is not whole yet; one that broke off is asked for again in it."""
        self._replies = 0
        self._retries = 0
        """How often the request under way was tried again."""
        self._cut = False
        """Whether the last reply broke off."""
        self._at_limit = False
        """Whether the last reply ended at the limit of its tokens."""
        self._trouble = Trouble()

    async def run(self) -> None:
        """Work on the session's task until it ends.

        Raises:
            SessionEndedError: The session is over.
            ModelError: The model cannot be asked any more.
        """
        session, images = self._session, self._config.images
        parts = history_parts(session, images) if session.history else opening_parts(session, images)
        sizes = iter(SHORTER)
        while True:
            replies = self._replies
            try:
                return await self._converse(parts)
            except ModelError as error:
                if error.fault != "context":
                    raise
                if self._replies > replies:
                    sizes = iter(SHORTER)
                size = next(sizes, None)
                if size is None:
                    raise
            session.notice(
                "The conversation is too long for the model: it is begun anew with a shorter record."
            )
            parts = shortened(session, size)

    async def _converse(self, parts: Sequence[Part]) -> None:
        """Lead one conversation of Claude Code's."""
        server = serve(self._session.tools, self._desk)
        options = build_options(
            self._session, self._config, self._endpoint, self._folder, server, self._on_stderr
        )
        async with self._line.opened(options) as client:
            await self._say(as_prompt(parts))
            while True:
                await self._hear(client)

    async def _hear(self, client: ClaudeSDKClient) -> None:
        """Deal with the next message."""
        match await self._line.hear():
            case StreamEvent(parent_tool_use_id=None, event=event):
                await self._on_event(event, client)
            case SystemMessage(subtype=subtype, data=data):
                self._on_system(subtype, data)
            case AssistantMessage(error=str(name), content=content):
                said = " ".join(block.text for block in content if isinstance(block, TextBlock))
                self._trouble = Trouble(name, text=said)
            case UserMessage(content=[TextBlock(text=text)]) if self._at_limit:
                self._note_reminder(text)
            case ResultMessage() as result:
                answer = await self._answer(result)
                self._allow_turn()
                await self._say(answer)

    # What Claude Code tells.

    async def _on_event(self, event: Mapping[str, Any], client: ClaudeSDKClient) -> None:
        match event.get("type"):
            case "message_start":
                if self._cut:
                    self._say_retry(Trouble(text=CUT))
                self._desk.clear()
                self._response = Response.begun(event["message"])
                if not self._in_turn:
                    self._session.begin_turn()
                    self._in_turn = True
            case "message_stop" if self._response is not None:
                response, self._response = self._response, None
                await self._on_response(response, client)
            case _ if self._response is not None:
                self._response.add(event)

    async def _on_response(self, response: Response, client: ClaudeSDKClient) -> None:
        """Record a response that has arrived, or as much of it as will, and carry out its calls."""
        whole = response.stop_reason is not None
        if not whole and not self._calls.interrupted:
            self._cut = True
            self._calls.refuse(response.calls, "the connection broke before your reply was complete")
            return
        self._in_turn = False
        self._record(response)
        if response.stop_reason == "refusal":
            self._session.refused(response.text)
            self._session.check()
        self._replies += 1
        self._retries = 0
        if whole and response.calls:
            await self._calls.carry_out(response.calls, client, self._allow_turn)

    def _record(self, response: Response) -> None:
        session, usage = self._session, response.usage
        session.think(response.thinking)
        session.say(response.text)
        provider = None if self._endpoint.base_url else "anthropic"
        session.report_usage(priced(usage, usage.model or self._endpoint.model, self._config, provider))
        self._at_limit = response.stop_reason == "max_tokens"
        session.check()

    def _on_system(self, subtype: str, data: Mapping[str, Any]) -> None:
        match subtype:
            case "api_retry":
                trouble = retry_of(data, cut=self._cut)
                error = trouble.error(self._endpoint)
                if not error.retryable:
                    raise error
                self._say_retry(trouble, float(data.get("retry_delay_ms") or 0) / 1000)
            case "compact_boundary":
                self._session.notice("The conversation was too long: Claude Code summarised its older part.")

    def _on_stderr(self, line: str) -> None:
        """Claude Code reports a retry in the middle of a stream to its developers only."""
        self._line.note(line)
        if match := _STREAM_RETRY.search(line):
            name = "overloaded" if match[1] in {"429", "529"} else "server_error"
            self._say_retry(Trouble(name, text="in the middle of a reply"))

    def _note_reminder(self, text: str) -> None:
        """Record what Claude Code tells the model by itself after a reply that was cut off at its limit."""
        self._at_limit = False
        self._session.notice("The model's reply was cut off before a tool call.", level="warning")
        self._session.recorder.event(UserSaid(text=text, origin="nudge"))

    def _say_retry(self, trouble: Trouble, delay_s: float | None = None) -> None:
        self._cut = False
        self._retries += 1
        said = trouble.error(self._endpoint).message
        limit = self._config.max_retries
        say_retry(self._session, said, attempt=self._retries, limit=limit, delay_s=delay_s)

    # What it is told.

    async def _answer(self, result: ResultMessage) -> str:
        """Return what Claude Code hears after the end of its turn."""
        aborted = result.terminal_reason in _ABORTED
        if aborted and not self._calls.interrupted and self._calls.passed_on:
            # The interrupt came too late for the reply: the user's word is on its way.
            return continuation([])
        if aborted or self._calls.interrupted:
            return await self._word_of_user()
        if result.subtype == "error_max_turns":
            self._allow_turn()
        elif result.subtype == "error_max_budget_usd":
            self._end_for_budget()
        elif result.is_error:
            return await self._after_error(result)
        self._cut = False
        message = await self._session.anudge()
        if message is None:
            raise SessionEndedError("The session is over.")
        return message

    async def _word_of_user(self) -> str:
        """After an interrupt: what the user says, and when nobody is there to say anything, go on."""
        self._cut = self._in_turn = False
        if not self._session.interactive:
            return continuation(self._session.user_messages())
        message = await self._session.anudge()
        self._session.check()
        return continuation([message] if message else [])

    async def _after_error(self, result: ResultMessage) -> str:
        """Ask once more where Claude Code gave up at once although the fault may pass; else raise it."""
        text = self._trouble.text or result.result or "; ".join(result.errors or [])
        trouble = replace(self._trouble, status=result.api_error_status, text=text)
        self._trouble = Trouble()
        error = trouble.error(self._endpoint)
        if not error.retryable or self._retries >= self._config.max_retries:
            raise error
        delay_s = pause_s(self._retries + 1)
        self._say_retry(trouble, delay_s)
        await self._line.wait(anyio.sleep(delay_s))
        return "\n\n".join([BROKE_OFF, *self._session.user_messages()])

    def _end_for_budget(self) -> None:
        limit = self._session.budget.limits.cost_limit_usd or 0.0
        self._session.end(Ending(reason="cost_limit", detail=f"The budget of {limit:g} USD is used up."))

    async def _say(self, prompt: Any) -> None:
        self._calls.begin()
        await self._line.say(prompt)

    def _allow_turn(self) -> None:
        """End the session where another reply of the model would be one too many."""
        limit = self._session.budget.limits.max_turns
        if limit is not None and self._session.budget.turns >= limit:
            self._session.begin_turn()
