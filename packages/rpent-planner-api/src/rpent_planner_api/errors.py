"""Exceptions of pydantic-ai and of the providers' clients, as the faults that all planners share."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic_ai import exceptions as ai
from rpent.planners.faults import ModelError, fault_of, model_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic_ai.models import Model
    from rpent.planners.faults import Fault

LONGEST_ASKED_S = 600.0
"""A provider that asks to wait longer is not waited for."""
FAULTS: tuple[tuple[type[Exception], Fault], ...] = (
    (ai.ModelQuotaExceededError, "credit"),
    (ai.ModelRateLimitError, "rate_limit"),
    (ai.ModelUnavailableError, "overloaded"),
    (ai.ModelServerError, "overloaded"),
    (ai.ModelConnectionError, "unreachable"),
    (ai.ModelRequestTimeout, "unreachable"),
    (ai.ModelContextWindowExceededError, "context"),
    (ai.ModelAuthenticationError, "key"),
    (ai.ContentFilterError, "refusal"),
)
"""The first that fits counts."""


def as_model_error(error: BaseException, facts: Mapping[str, str]) -> ModelError | None:
    """Return what an exception of a model request means, or None for a bug of ours.

    Args:
        error: What the request raised.
        facts: What the sentence mentions: planner, model, base_url, key_variable.
    """
    if isinstance(error, ModelError):
        return error
    fault = _fault(error)
    if fault is None:
        return None
    return model_error(fault, **facts, detail=words_of(error))


@contextmanager
def understood(model: Model) -> Iterator[None]:
    """A client that stumbles over what a server sent says so with whatever exception it happens to run into."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        words = f"the reply cannot be understood: {type(error).__name__}"
        raise ai.ModelAPIError(model.model_name, words) from error


def asked_s(error: Exception, fault: ModelError) -> float:
    """Return how long the provider asks to wait.

    Args:
        error: What the request raised.
        fault: What it means.

    Raises:
        ModelError: Longer than anybody would; it can be asked again then.
    """
    seconds = float(getattr(error, "retry_after", None) or 0.0)
    if seconds > LONGEST_ASKED_S:
        fault.hint = f"The provider asks to wait {seconds / 60:.0f} minutes."
        raise fault from error
    return seconds


def words_of(error: BaseException) -> str:
    """Return the provider's own words."""
    body = getattr(error, "body", None)
    if isinstance(body, (dict, list)):
        return json.dumps(body, ensure_ascii=False)
    text = str(body) if body else str(getattr(error, "message", None) or error)
    cause = error.__cause__
    while cause is not None and text.lower().rstrip(".") in {"connection error", "request timed out"}:
        text, cause = str(cause) or text, cause.__cause__
    return text


def _fault(error: BaseException) -> Fault | None:
    known: Fault | None = next((fault for kind, fault in FAULTS if isinstance(error, kind)), None)
    status = _status(error)
    told = None if status is None else fault_of(status, words_of(error))
    if known is not None and known != "key" and told != "images":
        return known
    if told is not None:
        return told
    if known is not None:
        return known
    if isinstance(error, ai.ModelAPIError):
        # In a stream, without a status: the connection broke, or the provider gave up in the middle.
        return "overloaded"
    if isinstance(error, ai.UnexpectedModelBehavior):
        return "overloaded" if _broke_off(error) else "request"
    return "unreachable" if _of_transport(error) else None


def _status(error: BaseException) -> int | None:
    """Return the HTTP status; that of a redirect, which is not followed, only the client's own exception has."""
    if isinstance(error, ai.ModelHTTPError):
        return error.status_code
    status = getattr(error.__cause__, "status_code", None)
    return status if isinstance(status, int) and 300 <= status < 400 else None


def _broke_off(error: ai.UnexpectedModelBehavior) -> bool:
    """Whether a stream ended before anything came, or in the middle of an event."""
    return any(word in str(error).lower() for word in ("stream", "ended without", "decode", "json"))


def _of_transport(error: Any) -> bool:
    """Whether an exception that no client wrapped is one of the connection."""
    package = type(error).__module__.partition(".")[0]
    return isinstance(error, (OSError, EOFError)) or package in {
        "httpx",
        "httpx2",
        "httpcore",
        "httpcore2",
        "h11",
    }
