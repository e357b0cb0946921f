"""Codex's words for faults, in RPent's terms. The values are what Codex 0.163 sent."""

from __future__ import annotations

import pytest
from rpent_planner_codex.errors import Target, report_of

UNAUTHORIZED = (
    "unexpected status 401 Unauthorized: Incorrect API key provided: sk-abcdef, url: http://h/v1/responses"
)
CONTEXT = '{"error": {"code": "context_length_exceeded", "message": "Your input exceeds the context window"}}'
NO_MODEL = "unexpected status 404 Not Found: The model `x` does not exist, url: http://h/v1/responses"


@pytest.mark.parametrize(
    ("message", "info", "fault"),
    [
        (UNAUTHORIZED, {"httpConnectionFailed": {"httpStatusCode": 401}}, "key"),
        (NO_MODEL, {"responseStreamDisconnected": {"httpStatusCode": 404}}, "model"),
        (CONTEXT, "other", "context"),
        ("bad thing", "other", "request"),
        ("Codex ran out of room.", "contextWindowExceeded", "context"),
        ("Quota exceeded.", "usageLimitExceeded", "credit"),
        ("rate limit exceeded", "rateLimitExceeded", "rate_limit"),
        ("exceeded retry limit", {"responseTooManyFailedAttempts": {"httpStatusCode": 429}}, "rate_limit"),
        ("unexpected status 503", {"responseStreamDisconnected": {"httpStatusCode": 503}}, "overloaded"),
        ("Connection failed: error sending request", {"responseStreamDisconnected": {}}, "unreachable"),
        ("stream disconnected before completion", {"responseStreamDisconnected": {}}, "overloaded"),
        ("blocked", "cyberPolicy", "refusal"),
        ("what", None, "overloaded"),
    ],
)
def test_faults(message, info, fault):
    assert report_of({"message": message, "codexErrorInfo": info}).fault == fault


def test_the_sentence_has_the_providers_words_without_key_and_address():
    report = report_of(
        {"message": UNAUTHORIZED, "codexErrorInfo": {"httpConnectionFailed": {"httpStatusCode": 401}}}
    )
    error = report.error(Target("m", "http://h/v1", "OPENAI_API_KEY"))
    assert "Incorrect API key" in error.message
    assert "sk-abcdef" not in error.message
    assert "url:" not in error.message


def test_additional_details_count_more_than_the_heading():
    report = report_of({"message": "Reconnecting... 1/2", "additionalDetails": "reason: content_filter"})
    assert report.filtered
    assert not report.cut
