"""The line to a Claude Code process: open as long as the session lasts, cut off at its end."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from rpent.planners.faults import ModelError
from rpent.session.session import SessionEndedError

from rpent_planner_claude_code.client import connected

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Message
    from rpent.session.session import Session

_STDERR_LINES = 40

T = TypeVar("T")


class Line:
    """Speaks to Claude Code and listens to it; every wait ends with the session."""

    def __init__(self, session: Session, speaks: Callable[[], bool]) -> None:
        """Take the session, and a function that says whether it is the model's turn to speak."""
        self._session = session
        self._speaks = speaks
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._waiting: anyio.CancelScope | None = None
        self._interrupting: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def opened(self, options: ClaudeAgentOptions) -> AsyncIterator[ClaudeSDKClient]:
        """Start Claude Code, and end it afterwards.

        Raises:
            SessionEndedError: The session is over.
            ModelError: Claude Code does not start.
        """
        async with AsyncExitStack() as stack:
            starting = stack.enter_async_context(connected(options))
            self._client = await self.wait(self._of_process(starting))
            self._messages = self._client.receive_messages()
            with self._abortable():
                yield self._client

    async def say(self, prompt: str | AsyncIterator[dict[str, Any]]) -> None:
        """Say something as the user."""
        await self.wait(self._of_process(self._client.query(prompt)))

    async def hear(self) -> Message:
        """Return the next message."""
        return await self.wait(self._of_process(anext(self._messages)))

    async def wait(self, work: Awaitable[T]) -> T:
        """Wait for something, but not beyond the session's end.

        Raises:
            SessionEndedError: The session is over.
        """
        with anyio.CancelScope() as self._waiting:
            if self._session.ended is not None:
                self._waiting.cancel()
            return await work
        raise SessionEndedError("The session is over.")

    def note(self, line: str) -> None:
        """Keep a line of what Claude Code writes for its developers."""
        self._stderr.append(line)

    async def _of_process(self, work: Awaitable[T]) -> T:
        try:
            return await work
        except Exception as error:
            raise self._gone(error) from error

    def _gone(self, error: Exception) -> ModelError:
        """Return the error for a process that is gone, or that does not speak the protocol."""
        said = "\n".join(self._stderr)
        self._session.recorder.trouble(f"Claude Code, whose last words were:\n{said}\n", error)
        code = getattr(error, "exit_code", None)
        how = f" (exit code {code})" if code is not None else ""
        return ModelError(
            f"Claude Code stopped unexpectedly{how}.",
            fault="unreachable",
            hint="Its last words are in `logs/run.log`.",
        )

    @contextmanager
    def _abortable(self) -> Iterator[None]:
        """Wake up, from whatever thread, when the session ends or the user interrupts."""
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
        elif self._speaks():
            self._interrupting = asyncio.ensure_future(self._interrupt())

    async def _interrupt(self) -> None:
        with suppress(Exception):  # a process that is gone is noticed where its messages are read
            await self._client.interrupt()
