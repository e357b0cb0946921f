"""The tool calls of a response: carried out one after the other, and what the model hears with the last of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.session.reply import not_made
from rpent.session.session import SessionEndedError
from rpent.session.validation import is_json_object

from rpent_planner_claude_code.tools import text_result, tool_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from claude_agent_sdk import ClaudeSDKClient
    from mcp.types import CallToolResult
    from rpent.session.session import Session

    from rpent_planner_claude_code.response import Call
    from rpent_planner_claude_code.tools import Desk

_NOT_MADE = "Not executed: {why}."


class Calls:
    """Carries calls to the session, and results to the desk."""

    def __init__(self, session: Session, desk: Desk, *, images: bool) -> None:
        self.at_work = False
        """Whether calls are being carried out: an interrupt is then the session's to deal with."""
        self.passed_on = False
        """Whether a message of the user went along with the last results."""
        self._session = session
        self._desk = desk
        self._images = images
        self._known = {tool.name for tool in session.tools}
        self._interrupts = session.interrupts

    def begin(self) -> None:
        """Note that the model is asked: interrupts from now on concern its reply."""
        self.passed_on = False
        self._interrupts = self._session.interrupts

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted since the model was asked."""
        return self._session.interrupts != self._interrupts

    def refuse(self, calls: Sequence[Call], why: str) -> None:
        """Answer calls that are not carried out."""
        for call in calls:
            self._desk.give(call.id, text_result(_NOT_MADE.format(why=why)))

    async def carry_out(
        self, calls: Sequence[Call], client: ClaudeSDKClient, allow_turn: Callable[[], None]
    ) -> None:
        """Carry out the calls of a whole response.

        Claude Code asks the model again as soon as it has all results, so the last one is kept back until it is
        certain that the session goes on and the user's messages are on their way.

        Raises:
            SessionEndedError: The session is over; Claude Code is not to hear the last result.
        """
        self.at_work = True
        try:
            last = next((call for call in reversed(calls) if self._is_served(call)), None)
            kept = None
            for call in calls:
                result = await self._result(call)
                if call is last:
                    kept = result
                else:
                    self._desk.give(call.id, result)
            allow_turn()
            if last is not None and kept is not None:
                passed_on = await self._pass_on_messages(client)
                self.begin()
                self.passed_on = passed_on
                self._desk.give(last.id, kept)
        finally:
            self.at_work = False

    async def _result(self, call: Call) -> CallToolResult:
        if self.interrupted:
            return tool_result(not_made(call.name), self._images)
        reply = await self._session.acall(call.name, call.arguments or None, call_id=call.id)
        if reply.ended:
            raise SessionEndedError("The session is over.")
        return tool_result(reply, self._images)

    async def _pass_on_messages(self, client: ClaudeSDKClient) -> bool:
        """Hand over what the user said, if anything; after an interrupt, a user who is there has the word."""
        if self.interrupted and self._session.interactive:
            message = await self._session.anudge()
            self._session.check()
            messages = [message] if message else []
        else:
            messages = self._session.user_messages()
        if messages:
            await client.query("\n\n".join(messages))
        return bool(messages)

    def _is_served(self, call: Call) -> bool:
        """Whether Claude Code asks for the result; unknown tools and broken JSON it answers by itself."""
        return call.name in self._known and is_json_object(call.arguments)
