"""The conversation of one session: Claude Code asks the model, the session carries out its calls."""

from __future__ import annotations

import asyncio
import random
import re
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

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
from rpent.planners.parts import history_parts, opening_parts
from rpent.planners.prices import cost_usd
from rpent.runs.events import UserMessage as UserSaid
from rpent.runs.outcome import Ending
from rpent.session.session import SessionEndedError

from rpent_planner_claude_code.calls import Calls
from rpent_planner_claude_code.client import connected
from rpent_planner_claude_code.errors import BROKE_OFF, Trouble, retry_of
from rpent_planner_claude_code.options import build_options
from rpent_planner_claude_code.prompts import LOST, as_prompt, continuation, shortened
from rpent_planner_claude_code.response import Response
from rpent_planner_claude_code.tools import Desk, serve

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator, Mapping, Sequence

    from claude_agent_sdk import ClaudeSDKClient
    from rpent.planners.parts import Part
    from rpent.session.session import Session

    from rpent_planner_claude_code.config import ClaudeCodeConfig
    from rpent_planner_claude_code.endpoint import Endpoint
    from rpent_planner_claude_code.private import PrivateFolder

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
SHORTER = (40_000, 10_000)
"""Characters of the conversation with which it is begun anew where the model finds it too long."""
_STDERR_LINES = 40
_STREAM_RETRY = re.compile(r"Mid-stream (\d+).*retrying")

T = TypeVar("T")


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
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._waiting: anyio.CancelScope | None = None
        """Around whatever waits for Claude Code: cancelled when the session ends."""
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
        self._stopping: asyncio.Task[None] | None = None
        """An interrupt of the reply under way."""

    async def run(self) -> None:
        """Work on the session's task until it ends.

        Raises:
            SessionEndedError: The session is over.
            ModelError: The model cannot be asked any more.
        """
        images = self._config.images
        session = self._session
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
        connection = connected(options)
        self._client = await self._while_open(self._entered(connection))
        try:
            with self._abortable():
                await self._talk(parts)
        finally:
            await connection.__aexit__(None, None, None)

    async def _entered(self, connection: Any) -> ClaudeSDKClient:
        try:
            client: ClaudeSDKClient = await connection.__aenter__()
        except Exception as error:
            raise self._died(error) from error
        return client

    async def _talk(self, parts: Sequence[Part]) -> None:
        messages = self._client.receive_messages()
        await self._send(as_prompt(parts))
        while True:
            message = await self._while_open(self._next(messages))
            match message:
                case StreamEvent(parent_tool_use_id=None):
                    await self._on_event(message.event)
                case SystemMessage():
                    self._on_system(message.subtype, message.data)
                case AssistantMessage() if message.error is not None:
                    self._trouble = Trouble(message.error, text=_text_of(message))
                case UserMessage(content=[TextBlock() as block]) if self._at_limit:
                    self._note_reminder(block.text)
                case ResultMessage():
                    answer = await self._answer(message)
                    self._allow_turn()
                    await self._send(answer)

    # What Claude Code tells.

    async def _on_event(self, event: Mapping[str, Any]) -> None:
        match event.get("type"):
            case "message_start":
                if self._cut:
                    self._say_retry(Trouble(text=BROKE_OFF), None)
                self._desk.clear()
                self._response = Response.begun(event["message"])
                if not self._in_turn:
                    self._session.begin_turn()
                    self._in_turn = True
            case "message_stop" if self._response is not None:
                response, self._response = self._response, None
                await self._on_response(response)
            case _ if self._response is not None:
                self._response.add(event)

    async def _on_response(self, response: Response) -> None:
        """Record a response that has arrived, or as much of it as will, and carry out its calls."""
        whole = response.stop_reason is not None
        if not whole and not self._calls.interrupted:
            self._cut = True
            self._calls.refuse(response.calls, "the connection broke before your reply was complete")
            return
        self._in_turn = False
        session = self._session
        session.think(response.thinking)
        session.say(response.text)
        self._report(response)
        self._at_limit = response.stop_reason == "max_tokens"
        session.check()
        if response.stop_reason == "refusal":
            session.refused(response.text)
            session.check()
        self._replies += 1
        self._retries = 0
        if whole and response.calls:
            await self._calls.carry_out(response.calls, self._client, self._allow_turn)

    def _report(self, response: Response) -> None:
        usage = response.usage
        provider = None if self._endpoint.base_url else "anthropic"
        cost = cost_usd(usage, usage.model or self._endpoint.model, self._config, provider)
        self._session.report_usage(replace(usage, cost_usd=cost))

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

    def _note_reminder(self, text: str) -> None:
        """Record what Claude Code tells the model by itself after a reply that was cut off at its limit."""
        self._at_limit = False
        self._session.notice("The model's reply was cut off before a tool call.", level="warning")
        self._session.recorder.event(UserSaid(text=text, origin="nudge"))

    def _on_stderr(self, line: str) -> None:
        """Keep the last lines; Claude Code reports a retry within a stream here only."""
        self._stderr.append(line)
        if match := _STREAM_RETRY.search(line):
            name = "overloaded" if match[1] in {"429", "529"} else "server_error"
            self._say_retry(Trouble(name, text="in the middle of a reply"), None)

    def _say_retry(self, trouble: Trouble, delay_s: float | None) -> None:
        self._cut = False
        self._retries += 1
        when = "" if delay_s is None else f" in {delay_s:.1f} s"
        count = f" ({self._retries} of {self._config.max_retries})"
        said = trouble.error(self._endpoint).message
        self._session.notice(f"{said} Trying again{when}{count}.", level="warning")

    # What it is told.

    async def _answer(self, result: ResultMessage) -> str:
        """Return what Claude Code hears after the end of its turn."""
        session = self._session
        if self._calls.interrupted:
            return await self._word_of_user()
        if result.subtype == "error_max_budget_usd":
            limit = session.budget.limits.cost_limit_usd
            detail = f"The budget of {limit:g} USD is used up." if limit else "The budget is used up."
            session.end(Ending(reason="cost_limit", detail=detail))
        elif result.is_error and result.subtype != "error_max_turns":
            return await self._after_error(result)
        self._cut = False
        message = await session.anudge()
        if message is None:
            session.check()
            raise SessionEndedError("The session is over.")
        return message

    async def _word_of_user(self) -> str:
        """After an interrupt: what the user says, and when nobody is there to say anything, go on."""
        self._cut = False
        if not self._session.interactive:
            return continuation(self._session.user_messages())
        message = await self._session.anudge()
        self._session.check()
        return continuation([message] if message else [])

    async def _after_error(self, result: ResultMessage) -> str:
        """Ask once more where Claude Code gave up at once although the fault may pass; else raise it."""
        trouble = replace(
            self._trouble,
            status=result.api_error_status,
            text=self._trouble.text or result.result or "; ".join(result.errors or []),
        )
        self._trouble = Trouble()
        error = trouble.error(self._endpoint)
        if not error.retryable or self._retries >= self._config.max_retries:
            raise error
        delay_s = min(FIRST_PAUSE_S * 2**self._retries, LONGEST_PAUSE_S) * random.uniform(0.8, 1.2)  # noqa: S311
        self._say_retry(trouble, delay_s)
        await self._while_open(anyio.sleep(delay_s))
        return "\n\n".join([LOST, *self._session.user_messages()])

    async def _send(self, prompt: Any) -> None:
        self._calls.begin()
        await self._while_open(self._client.query(prompt))

    def _allow_turn(self) -> None:
        """End the session where another reply of the model would be one too many."""
        limit = self._session.budget.limits.max_turns
        if limit is not None and self._session.budget.turns >= limit:
            self._session.begin_turn()

    # The session's end, and interrupts.

    @contextmanager
    def _abortable(self) -> Iterator[None]:
        """Stop waiting when the session ends, and the reply under way when the user interrupts."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: nothing is under way
                loop.call_soon_threadsafe(self._wake)

        with ExitStack() as stack:
            stack.callback(self._session.cancel.on_cancel(wake))
            stack.callback(self._session.on_interrupt(wake))
            yield

    def _wake(self) -> None:
        if self._session.ended is not None:
            if self._waiting is not None:
                self._waiting.cancel()
        elif not self._calls.at_work:
            self._stopping = asyncio.ensure_future(self._interrupt())

    async def _interrupt(self) -> None:
        with suppress(Exception):  # a process that is gone is noticed where its messages are read
            await self._client.interrupt()

    async def _while_open(self, work: Awaitable[T]) -> T:
        """Wait for Claude Code, but not beyond the session's end."""
        self._session.check()
        with anyio.CancelScope() as self._waiting:
            return await work
        self._session.check()
        raise SessionEndedError("The session is over.")

    async def _next(self, messages: Any) -> Any:
        try:
            return await anext(messages)
        except Exception as error:
            raise self._died(error) from error

    def _died(self, error: Exception) -> Exception:
        """Return the error for a process that is gone, or that does not speak the protocol."""
        if isinstance(error, ModelError | SessionEndedError):
            return error
        said = "\n".join(self._stderr)
        self._session.recorder.trouble(f"Claude Code, whose last words were:\n{said}\n", error)
        code = getattr(error, "exit_code", None)
        how = f" (exit code {code})" if code is not None else ""
        return ModelError(
            f"Claude Code stopped unexpectedly{how}.",
            fault="unreachable",
            hint="Its last words are in `logs/run.log`.",
        )


def _text_of(message: AssistantMessage) -> str:
    return " ".join(block.text for block in message.content if isinstance(block, TextBlock))
