"""Between an MCP server and the session of a run, which comes after the client and goes before it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
from rpent.runs.outcome import Ending
from rpent.session.bounded import bounded_json
from rpent.session.reply import ToolReply
from rpent.session.session import SessionEndedError

from rpent_mcp import briefing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rpent.session.session import Session
    from rpent.tools.tool import Tool

_POLL_S = 0.02
_CLOSING_S = 30.0


class Bridge:
    """The tools of a run. A client may ask before the robot is ready, and call after the session has ended.

    Each call is a turn: what a client's model thinks in between is not seen here.

    Args:
        outlives_run: The bridge stays when the run is over. Then the last reply comes when the run's directory is
            complete, since clients that have it may kill the process.
    """

    def __init__(self, *, outlives_run: bool = False) -> None:
        self.session: Session | None = None
        """The run's session, once it is there; it stays when it has ended."""
        self._left = ""
        """Why nobody will call any more."""
        self._settled = threading.Event()
        """Set when the session is there, or will never be."""
        self._closed = threading.Event()
        """Set when the run is over and its directory is complete."""
        if not outlives_run:
            self._closed.set()
        self._order = anyio.Lock()
        self._seen = ToolReply(ok=True)
        self._tools: Sequence[Tool] = ()

    # The run's side.

    def follow(self, session: Session) -> None:
        """Hand the session's tools to the clients until it ends."""
        self._seen = session.opening
        self._tools = (briefing.TOOL, *(tool for tool in session.tools if tool.name != briefing.NAME))
        self.session = session
        self._settled.set()
        if self._left:
            self.hang_up(self._left)
        while not session.cancel.wait(3600.0):
            pass

    def hang_up(self, detail: str) -> None:
        """End the session, or the one to come, because nobody is left to call its tools."""
        self._left = detail
        if self.session is not None:
            self.session.end(Ending(reason="interrupted", detail=detail))

    def close(self) -> None:
        """Say that the run is over; who still waits for a session is told that none will come."""
        self._closed.set()
        self._settled.set()

    # The server's side.

    async def ready(self) -> None:
        """Wait until the robot is ready, or the run has failed."""
        while not self._settled.is_set():
            await anyio.sleep(_POLL_S)

    @property
    def tools(self) -> Sequence[Tool]:
        """The briefing, then the session's tools; none where the run failed before its session."""
        return self._tools

    def briefing(self) -> ToolReply:
        """Return the prompts and the latest observation."""
        return _over(None) if self.session is None else briefing.reply(self.session.prompts, self._seen)

    async def acall(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | None = None,
        *,
        call_id: str | None = None,  # noqa: ARG002
    ) -> ToolReply:
        """Carry out a call as a turn of its own; one at a time, in the order of arrival.

        The client's id for it is not used: nothing keeps clients from using one twice.
        """
        await self.ready()
        if name == briefing.NAME:
            return self.briefing()
        async with self._order:
            session = self.session
            if session is None or session.ended is not None:
                return _over(session)
            try:
                session.begin_turn()
            except SessionEndedError:
                return _over(session)
            reply = await session.acall(name, arguments)
            if "observation" in reply.data:
                self._seen = reply
            if reply.ended:
                await self._complete()
            return _with_news(reply, session)

    async def _complete(self) -> None:
        """Wait until the run's directory is complete; nobody waits for services that hang."""
        with anyio.move_on_after(_CLOSING_S):
            while not self._closed.is_set():
                await anyio.sleep(_POLL_S)


def _over(session: Session | None) -> ToolReply:
    ended = session.ended if session is not None else None
    detail = (ended.detail or ended.reason) if ended is not None else "the run failed before it began."
    data = {"error": f"The session is over: {detail}"}
    return ToolReply(ok=False, data=data, text=bounded_json(data), ended=True)


def _with_news(reply: ToolReply, session: Session) -> ToolReply:
    """Add what the client's model learns from nobody else: the user's messages, and that this was the end."""
    news: dict[str, Any] = {}
    if messages := session.user_messages():
        news["user_messages"] = messages
    if reply.ended and reply.ok:
        news["session"] = "over; no further call is accepted"
    return replace(reply, text=bounded_json({**reply.data, **news})) if news else reply


_CURRENT: ContextVar[Bridge | None] = ContextVar("rpent_mcp_bridge", default=None)


@contextmanager
def bridged(bridge: Bridge) -> Iterator[None]:
    """Make a bridge the one that a run started in this block serves its clients over."""
    token = _CURRENT.set(bridge)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Bridge | None:
    """Return the bridge of the run that is being resolved, or None where the run serves by itself."""
    return _CURRENT.get()
