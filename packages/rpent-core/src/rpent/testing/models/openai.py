"""What OpenAI's two wires have in common: errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.testing.models.wire import Problem

if TYPE_CHECKING:
    from rpent.testing.models.script import Kind

WORDS: dict[Kind, Problem] = {
    "key": Problem(401, "invalid_request_error", "Incorrect API key provided.", "invalid_api_key"),
    "model": Problem(
        404,
        "invalid_request_error",
        "The model `{model}` does not exist or you do not have access to it.",
        "model_not_found",
    ),
    "rate_limit": Problem(
        429, "requests", "Rate limit reached for {model}. Please try again in 1s.", "rate_limit_exceeded"
    ),
    "credit": Problem(
        429,
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
    ),
    "overloaded": Problem(503, "service_unavailable_error", "Our servers are currently overloaded."),
    "server": Problem(500, "server_error", "The server had an error while processing your request."),
    "request": Problem(400, "invalid_request_error", "The request is not valid."),
}


def error_body(problem: Problem) -> dict[str, Any]:
    """Return the body of an error."""
    error = {"message": problem.message, "type": problem.type, "param": None, "code": problem.code}
    return {"error": error}
