"""One table of faults: what a provider's answer means, and what the user reads."""

import pytest
from rpent.errors import ExitCode
from rpent.planners.faults import Fault, fault_of, model_error, plain_detail


@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [
        (0, "", "unreachable"),
        (401, '{"error": {"type": "authentication_error", "message": "invalid x-api-key"}}', "key"),
        (403, "Forbidden", "key"),
        (402, "", "credit"),
        (
            429,
            '{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}',
            "credit",
        ),
        (
            400,
            '{"error": {"message": "Your credit balance is too low to access the Anthropic API."}}',
            "credit",
        ),
        (404, '{"error": {"type": "not_found_error", "message": "model: claude-9"}}', "model"),
        (
            404,
            '{"error": {"message": "The model `gpt-9` does not exist", "code": "model_not_found"}}',
            "model",
        ),
        (404, '{"detail": "Not Found"}', "address"),
        (307, "", "address"),
        (405, "", "address"),
        (400, '{"error": {"message": "prompt is too long: 213462 tokens > 200000 maximum"}}', "context"),
        (400, '{"error": {"code": "context_length_exceeded", "message": "…"}}', "context"),
        (413, "", "context"),
        (400, "This model does not support image input.", "images"),
        (400, "The model x doesn't support vision.", "images"),
        (400, "Invalid content type. image_url is only supported by certain models.", "images"),
        (400, "unknown variant `image_url`, expected `text`", "images"),
        (404, "No endpoints found that support image input", "images"),
        (500, "image input is not supported - hint: you may need to provide the mmproj", "images"),
        (400, "Could not process image", "request"),
        (400, "You uploaded an unsupported image. Please make sure your image is valid.", "request"),
        (404, "The model `vision-1` does not exist", "model"),
        (
            429,
            '{"error": {"type": "rate_limit_error", "message": "Number of tokens per minute"}}',
            "rate_limit",
        ),
        (500, "", "overloaded"),
        (503, "<html>unavailable</html>", "overloaded"),
        (529, '{"error": {"type": "overloaded_error", "message": "Overloaded"}}', "overloaded"),
        (400, '{"error": {"message": "tools.0.name: String should match pattern"}}', "request"),
    ],
)
def test_what_an_answer_means(status, body, fault):
    assert fault_of(status, body) == fault


@pytest.mark.parametrize("fault", Fault.__args__)
def test_every_fault_has_a_sentence_and_a_remedy(fault):
    error = model_error(
        fault,
        planner="api",
        model="gpt-9",
        base_url="http://127.0.0.1:1/v1",
        key_variable="OPENAI_API_KEY",
        detail="its own words",
    )
    assert error.fault == fault
    assert error.exit_code == ExitCode.INFRASTRUCTURE
    assert error.message.endswith(".")
    assert error.message[0].isupper() or error.message[0] == "`"
    assert "its own words" in error.message
    assert error.hint


def test_which_faults_pass_by_themselves():
    passing = {fault for fault in Fault.__args__ if model_error(fault, planner="api", detail="x").retryable}
    assert passing == {"unreachable", "rate_limit", "overloaded"}


def test_a_key_that_is_missing_and_one_that_is_refused(monkeypatch):
    facts = {"planner": "api", "model": "claude-x", "key_variable": "RPENT_TEST_KEY"}
    monkeypatch.delenv("RPENT_TEST_KEY", raising=False)
    missing = model_error("key", **facts)
    assert missing.message == "The planner `api` has no key: `RPENT_TEST_KEY` is not set."
    assert missing.hint == "export RPENT_TEST_KEY=..."
    monkeypatch.setenv("RPENT_TEST_KEY", "sk-test-123")
    refused = model_error("key", detail="invalid x-api-key", **facts)
    assert refused.message == (
        "The key in `RPENT_TEST_KEY` is refused by the provider of `claude-x` (invalid x-api-key)."
    )


def test_without_a_planner_the_model_is_what_has_no_key(monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    error = model_error("key", planner="", model="m", key_variable="SOME_KEY")
    assert error.message == "The model `m` has no key: `SOME_KEY` is not set."


def test_a_model_that_is_nearly_right_is_suggested():
    error = model_error("model", planner="api", model="gpt-5.5-mni", known=["gpt-5.5-mini", "o9"])
    assert "did you mean `gpt-5.5-mini`?" in error.message
    assert "`o9`" in error.hint


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            '{"error": {"message": "Incorrect API key provided: sk-abcd1234. See here."}}',
            "Incorrect API key provided: …",
        ),
        ('Error code: 401 - {"error": {"message": "no"}}', "no"),
        ("<html><body><h1>502 Bad Gateway</h1>\n</body></html>", "502 Bad Gateway"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: …"),
        ("token 0123456789abcdef0123456789abcdef0123 is wrong", "token … is wrong"),
        ("plain words.", "plain words"),
        ('["no", "object"]', '["no", "object"]'),
    ],
)
def test_a_providers_words_are_shown_without_keys(text, plain):
    assert plain_detail(text) == plain


def test_a_key_of_any_form_is_masked_where_the_environment_knows_it(monkeypatch):
    monkeypatch.setenv("MY_SERVER_KEY", "plain words 7")
    assert plain_detail("The key plain words 7 is wrong") == "The key $MY_SERVER_KEY is wrong"


def test_long_words_are_cut():
    assert len(plain_detail("word " * 500)) <= 240
