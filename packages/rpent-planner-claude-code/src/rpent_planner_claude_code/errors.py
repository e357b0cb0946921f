"""What Claude Code reports about failed requests, as the faults that all planners share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.planners.faults import fault_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.planners.faults import Fault, ModelError

    from rpent_planner_claude_code.endpoint import Endpoint

_NAMED: dict[str, Fault] = {
    "authentication_failed": "key",
    "billing_error": "credit",
    "rate_limit": "rate_limit",
    "model_not_found": "model",
    "overloaded": "overloaded",
    "server_error": "overloaded",
}
CUT = "the reply broke off"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A failed request, in Claude Code's terms."""

    name: str = ""
    """`authentication_failed`, `server_error`, `unknown`, …"""
    status: int | None = None
    text: str = ""

    def error(self, endpoint: Endpoint) -> ModelError:
        """Return the error for it."""
        return endpoint.error(self.fault, self.text)

    @property
    def fault(self) -> Fault:
        """What kind of trouble it is."""
        told = fault_of(400, self.text)
        if told in {"context", "credit", "images"}:
            return told
        if self.name in _NAMED:
            return _NAMED[self.name]
        if self.status:
            return fault_of(self.status, self.text)
        if self.text == CUT or "stream ended" in self.text.lower():
            return "overloaded"
        return "unreachable" if self.name in {"", "unknown"} else fault_of(400, self.text)


def retry_of(data: Mapping[str, Any], cut: bool) -> Trouble:
    """Return why Claude Code tries a request again.

    Args:
        data: Its `api_retry` message.
        cut: Whether a reply had begun.
    """
    return Trouble(
        name=str(data.get("error") or ""),
        status=data.get("error_status"),
        text=CUT if cut else f"HTTP {data['error_status']}" if data.get("error_status") else "",
    )
