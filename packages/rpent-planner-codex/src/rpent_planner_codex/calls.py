"""The calls of one model response: made in the order in which the model gave them, once the response is whole.

Codex starts a call while the response still streams, starts several in any order, and answers some itself (a tool
that there is not, arguments that are no JSON). The session gets them from here, all of them and in order; a request
to the MCP server only fetches the reply.
"""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpent.session.validation import is_json_object

from rpent_planner_codex.catalog import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from rpent.session.reply import ToolReply

    Submit = Callable[[Sequence["RawCall"], Mapping[str, Future[ToolReply]]], None]
    """Makes calls one after the other, and sets each one's reply."""

CODEX_OWN = frozenset({"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"})
"""What Codex offers wherever there is an MCP server; the robot's has no resources."""


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as the model made it."""

    call_id: str
    name: str
    arguments: str
    """JSON text, if it is any."""
    arrives: bool
    """Whether Codex passes it on to the MCP server."""


def raw_call(item: Mapping[str, Any], tools: Collection[str]) -> RawCall | None:
    """Return the call in a raw response item; None for any other item, and for Codex's own harmless tools."""
    if item.get("type") not in {"function_call", "custom_tool_call"}:
        return None
    name, namespace = str(item.get("name")), item.get("namespace")
    arguments = str(item.get("arguments") if "arguments" in item else item.get("input", ""))
    if namespace is None and name in CODEX_OWN:
        return None
    if item["type"] == "function_call" and namespace == NAMESPACE and name in tools:
        return RawCall(str(item.get("call_id")), name, arguments, is_json_object(arguments))
    shown = name if namespace in {None, NAMESPACE} else f"{namespace}.{name}"
    # A robot's tool under an address that Codex does not have: Codex refuses it, so it must not be carried out.
    shown = f"functions.{shown}" if shown in tools else shown
    return RawCall(str(item.get("call_id")), shown, arguments, False)


@dataclass
class ResponseCalls:
    """The calls of the response under way."""

    submit: Submit
    calls: list[RawCall] = field(default_factory=list)
    replies: dict[str, Future[ToolReply]] = field(default_factory=dict)
    complete: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _open: set[str] = field(default_factory=set)
    _broken: set[str] = field(default_factory=set)
    _unannounced: set[str] = field(default_factory=set)
    _outputs_due: Counter[str] = field(default_factory=Counter)
    _closed: bool = False

    @property
    def under_way(self) -> bool:
        """Whether calls are being carried out."""
        return self.complete and any(not reply.done() for reply in list(self.replies.values()))

    def add(self, call: RawCall) -> None:
        """Take note of a call of the response that streams."""
        with self._changed:
            if call.call_id not in self._unannounced:
                # Of an earlier call: some local servers use their ids again.
                self.replies.pop(call.call_id, None)
                self.calls.append(call)
            self._changed.notify_all()

    def release(self) -> None:
        """Make the calls: the response is whole."""
        with self._changed:
            replies: dict[str, Future[ToolReply]] = {call.call_id: Future() for call in self.calls}
            self.replies |= replies
            if self.calls:
                self.submit(tuple(self.calls), replies)
            self._open = {call.call_id for call in self.calls if call.arrives}
            self._outputs_due.update(call.call_id for call in self.calls)
            self.complete = True
            self._changed.notify_all()

    def drop(self) -> None:
        """Forget the calls of a response that broke off."""
        with self._changed:
            self._broken |= {call.call_id for call in self.calls}
            self.calls = []
            self._changed.notify_all()

    def begin(self) -> None:
        """Make ready for the next response."""
        with self._changed:
            self.calls, self.complete, self._open, self.replies = [], False, set(), {}

    def wait_for(self, call_id: str, *, announced_s: float, whole_s: float) -> Future[ToolReply] | None:
        """Return the reply to a call, once it is being made.

        Args:
            call_id: The model's id of the call.
            announced_s: How long the call may take to be announced.
            whole_s: How long the rest of the response may take.

        Returns:
            None when the call was not announced.

        Raises:
            BrokenOffError: The response broke off, or does not go on.
        """
        with self._changed:
            known = self._changed.wait_for(lambda: self._closed or self._announced(call_id), announced_s)
            if not known or self._closed:
                self._unannounced.add(call_id)
                return None
            self._changed.wait_for(
                lambda: self._closed or call_id in self.replies or call_id in self._broken, whole_s
            )
            if call_id not in self.replies:
                self._broken.add(call_id)
                self.calls = [call for call in self.calls if call.call_id != call_id]
                raise BrokenOffError
            return self.replies[call_id]

    def fetched(self, call_id: str) -> bool:
        """Take note that Codex has a reply; returns whether it was the last that it waits for."""
        with self._changed:
            if call_id not in self._open:
                return False
            self._open.discard(call_id)
            return not self._open

    def output(self, call_id: str) -> bool:
        """Take note of a call's output in the conversation; returns what `fetched` does.

        It may be the output of an earlier response's call with the same id, which comes late.
        """
        self._outputs_due[call_id] -= 1
        return self._outputs_due[call_id] <= 0 and self.fetched(call_id)

    def close(self) -> None:
        """Let everybody go who waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _announced(self, call_id: str) -> bool:
        return (
            call_id in self.replies
            or call_id in self._broken
            or any(call.call_id == call_id for call in self.calls)
        )


class BrokenOffError(Exception):
    """The response that a call belongs to did not arrive whole."""
