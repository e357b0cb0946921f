"""Claude Code's words for failed requests, as the faults that all planners share."""

from __future__ import annotations

import pytest
from rpent_planner_claude_code.endpoint import Endpoint
from rpent_planner_claude_code.errors import CUT, Trouble, retry_of

ENDPOINT = Endpoint("m", "http://127.0.0.1:1", "ANTHROPIC_API_KEY", "k")


@pytest.mark.parametrize(
    ("trouble", "fault"),
    [
        (Trouble("authentication_failed", 401, "Invalid API key · Fix external API key"), "key"),
        (Trouble("billing_error", 400, "Credit balance is too low"), "credit"),
        (Trouble("model_not_found", 404, "There's an issue with the selected model (m)."), "model"),
        (
            Trouble("server_error", 529, "API Error: 529 Overloaded. This is a server-side issue"),
            "overloaded",
        ),
        (Trouble("rate_limit", 429, "API Error: Request rejected (429)"), "rate_limit"),
        (Trouble("invalid_request", None, "Prompt is too long"), "context"),
        (Trouble("invalid_request", 400, "API Error: 400 tools.0: bad schema"), "request"),
        (Trouble("unknown", None, "API Error: Connection refused"), "unreachable"),
        (Trouble("unknown", None, "API Error: Stream ended without receiving any events"), "overloaded"),
        (Trouble("unknown", None, CUT), "overloaded"),
    ],
)
def test_faults(trouble: Trouble, fault: str) -> None:
    error = trouble.error(ENDPOINT)
    assert error.fault == fault
    assert error.message.endswith(".")


def test_a_retry_after_half_a_reply() -> None:
    assert retry_of({"error": "unknown", "error_status": None}, cut=True).text == CUT
    assert retry_of({"error": "rate_limit", "error_status": 429}, cut=False).fault == "rate_limit"


def test_wrong_keys_are_not_tried_again() -> None:
    trouble = retry_of({"error": "authentication_failed", "error_status": 401}, cut=False)
    assert not trouble.error(ENDPOINT).retryable
