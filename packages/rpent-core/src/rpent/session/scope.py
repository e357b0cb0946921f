"""The tool call under way, as a toolkit sees it through its `ToolContext`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.cancel import CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class CallScope:
    """Hands the current call's cancellation and progress to a toolkit that is built before the session is."""

    def __init__(self) -> None:
        self._token = CancelToken()
        self._report: Callable[[Mapping[str, Any]], None] | None = None

    def token(self) -> CancelToken:
        """Return the cancellation of the call under way (one that is never set, between calls)."""
        return self._token

    def progress(self, data: Mapping[str, Any]) -> None:
        """Report progress of the call under way."""
        if self._report is not None:
            self._report(data)

    def enter(self, token: CancelToken, report: Callable[[Mapping[str, Any]], None]) -> None:
        """Begin a call."""
        self._token, self._report = token, report

    def leave(self) -> None:
        """End the call."""
        self._token, self._report = CancelToken(), None
