"""What Codex says about a model server's faults, in RPent's terms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.planners.faults import Fault, ModelError, fault_of, model_error

from rpent_planner_codex.endpoint import PLANNER

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMED: Mapping[str, Fault] = {
    "contextWindowExceeded": "context",
    "usageLimitExceeded": "credit",
    "sessionBudgetExceeded": "credit",
    "rateLimitExceeded": "rate_limit",
    "serverOverloaded": "overloaded",
    "flexUnavailable": "overloaded",
    "internalServerError": "overloaded",
    "unauthorized": "key",
    "cyberPolicy": "refusal",
    "misalignmentPolicyViolation": "refusal",
}
_WRAPPING = re.compile(r"^unexpected status \d+[^:]*:\s*|,? url: \S+.*$", re.DOTALL)
_UNREACHABLE = re.compile(
    r"connection failed|error sending request|connection refused|dns error", re.IGNORECASE
)
_FILTERED = "reason: content_filter"
_CUT = "reason: max_output_tokens"


@dataclass(frozen=True, slots=True)
class Target:
    """What error sentences name."""

    model: str
    base_url: str
    key_variable: str


@dataclass(frozen=True, slots=True)
class Report:
    """An `error` notification, or the error of a failed turn."""

    text: str
    info: Any

    @property
    def filtered(self) -> bool:
        """Whether the provider's filter broke off the response."""
        return _FILTERED in self.text

    @property
    def cut(self) -> bool:
        """Whether the response reached its length limit."""
        return _CUT in self.text

    @property
    def fault(self) -> Fault:
        """What kind of trouble it is."""
        if isinstance(self.info, str) and self.info in _NAMED:
            return _NAMED[self.info]
        status = _status(self.info)
        if status is not None:
            return fault_of(status, self.text)
        if self.info in ("other", "badRequest"):  # may be a mapping
            return fault_of(400, self.text)
        return "unreachable" if _UNREACHABLE.search(self.text) else "overloaded"

    def error(self, target: Target) -> ModelError:
        """Return the error for the user."""
        return model_error(
            self.fault,
            planner=PLANNER,
            model=target.model,
            base_url=target.base_url,
            key_variable=target.key_variable,
            detail=_WRAPPING.sub("", self.text),
        )


def report_of(error: Mapping[str, Any]) -> Report:
    """Read the `error` object of a notification or a turn."""
    message = str(error.get("message") or "")
    return Report(
        text=str(error.get("additionalDetails") or message),
        info=error.get("codexErrorInfo"),
    )


def _status(info: Any) -> int | None:
    """Return the HTTP status in `{"httpConnectionFailed": {"httpStatusCode": 401}}`."""
    if not isinstance(info, dict):
        return None
    for value in info.values():
        if isinstance(value, dict) and isinstance(value.get("httpStatusCode"), int):
            return int(value["httpStatusCode"])
    return None
