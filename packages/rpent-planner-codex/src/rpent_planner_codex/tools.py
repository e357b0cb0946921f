"""The robot's tools as the MCP server shows them to Codex: a call fetches the reply that the session gave."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync
from rpent.planners.parts import reply_parts
from rpent.session.reply import ToolReply

from rpent_planner_codex.calls import BrokenOffError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rpent.session.session import Session
    from rpent.tools.tool import Tool

    from rpent_planner_codex.calls import ResponseCalls

ANNOUNCED_S = 3.0
"""How long after a call Codex may say which it is: it says so before, on another channel."""
WHOLE_S = 20.0
"""How long after a call its response may go on. Codex waits for the call before it says that a response broke off;
so this is also how long a dropped connection may stay unseen."""

_BROKEN = "The reply that this call belongs to broke off; nothing was done. Make the call again if it is still right."


class ReplySource:
    """What is served over MCP in place of the session."""

    def __init__(
        self, session: Session, *, calls: ResponseCalls, images: bool, on_last: Callable[[], None]
    ) -> None:
        """Make the source.

        Args:
            session: Whose tools they are.
            calls: The calls of the response under way.
            images: Whether pictures are passed on.
            on_last: Called when the last call of a response is done, before Codex gets its reply and asks the
                model again.
        """
        self._session = session
        self._calls = calls
        self._images = images
        self._on_last = on_last

    @property
    def tools(self) -> Sequence[Tool]:
        """The session's."""
        return self._session.tools

    async def acall(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, *, call_id: str | None = None
    ) -> ToolReply:
        """Return the reply to a call of the model."""
        identity = call_id or ""
        try:
            future = await run_sync(self._wait, identity, abandon_on_cancel=True)
        except BrokenOffError:
            return ToolReply(ok=False, data={"error": _BROKEN}, text=_BROKEN, call_id=identity)
        if future is None:  # made in code mode, which Codex does not announce
            return self._shown(await self._session.acall(name, arguments, call_id=call_id))
        reply = await asyncio.wrap_future(future)
        if self._calls.fetched(identity) or reply.ended:
            await run_sync(self._on_last)
        return self._shown(reply)

    def _wait(self, call_id: str) -> Any:
        return self._calls.wait_for(call_id, announced_s=ANNOUNCED_S, whole_s=WHOLE_S)

    def _shown(self, reply: ToolReply) -> ToolReply:
        if self._images or not reply.images:
            return reply
        text = "\n".join(str(part) for part in reply_parts(reply, images=False))
        return replace(reply, text=text, images=())
