"""The local model servers, as the providers' own clients see them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anthropic
import openai
import pytest
from rpent.testing.models import Call, Fault, ModelServer, Reply, Tokens

PNG = b"\x89PNG a picture"
ENCODED = base64.b64encode(PNG).decode()
SCHEMA = {"type": "object", "properties": {"camera": {"type": "string"}}}
FULL = Reply(
    text="I look twice.",
    thinking="Where is it?",
    calls=[Call("look", {"camera": "top"}), Call("look", {})],
    usage=Tokens(input=50, output=7, cached=20),
)


@dataclass
class Said:
    """What a client understood."""

    text: str
    calls: list[tuple[str, str]]
    stop: str | None
    tokens: tuple[int, int, int]


def chat(server: ModelServer, stream: bool, **options: Any) -> Said:
    client = openai.OpenAI(
        base_url=f"{server.url}/v1", api_key="test-key", max_retries=options.pop("retries", 0)
    )
    url = {"url": f"data:image/png;base64,{ENCODED}"}
    asked: dict[str, Any] = {
        "model": "test-model",
        "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": url}]}],
        "tools": [{"type": "function", "function": {"name": "look", "parameters": SCHEMA}}],
        **options,
    }
    if stream:
        with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as events:
            answer: Any = events.get_final_completion()
    else:
        answer = client.chat.completions.create(**asked)
    message, usage = answer.choices[0].message, answer.usage
    return Said(
        text=message.content or message.refusal or "",
        calls=[(call.function.name, call.function.arguments) for call in message.tool_calls or []],
        stop=answer.choices[0].finish_reason,
        tokens=(usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens),
    )


def responses(server: ModelServer, stream: bool, **options: Any) -> Said:
    client = openai.OpenAI(
        base_url=f"{server.url}/v1", api_key="test-key", max_retries=options.pop("retries", 0)
    )
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{ENCODED}"}
    asked: dict[str, Any] = {
        "model": "test-model",
        "input": [{"role": "user", "content": [picture]}],
        "tools": [{"type": "function", "name": "look", "parameters": SCHEMA}],
        **options,
    }
    if stream:
        with client.responses.stream(**asked) as events:
            answer: Any = events.get_final_response()
    else:
        answer = client.responses.create(**asked)
    refusals = [
        part.refusal
        for item in answer.output
        if item.type == "message"
        for part in item.content
        if part.type == "refusal"
    ]
    return Said(
        text=answer.output_text or "".join(refusals),
        calls=[(item.name, item.arguments) for item in answer.output if item.type == "function_call"],
        stop=answer.status,
        tokens=(
            answer.usage.input_tokens,
            answer.usage.output_tokens,
            answer.usage.input_tokens_details.cached_tokens,
        ),
    )


def messages(server: ModelServer, stream: bool, **options: Any) -> Said:
    import json

    client = anthropic.Anthropic(
        base_url=server.url, api_key="test-key", max_retries=options.pop("retries", 0)
    )
    source = {"type": "base64", "media_type": "image/png", "data": ENCODED}
    asked: dict[str, Any] = {
        "model": "test-model",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": [{"type": "image", "source": source}]}],
        "tools": [{"name": "look", "input_schema": SCHEMA}],
        **options,
    }
    if stream:
        with client.messages.stream(**asked) as events:
            answer: Any = events.get_final_message()
    else:
        answer = client.messages.create(**asked)
    usage = answer.usage
    return Said(
        text="".join(block.text for block in answer.content if block.type == "text"),
        calls=[(block.name, json.dumps(block.input)) for block in answer.content if block.type == "tool_use"],
        stop=answer.stop_reason,
        tokens=(
            usage.input_tokens + usage.cache_read_input_tokens,
            usage.output_tokens,
            usage.cache_read_input_tokens,
        ),
    )


Client = Callable[..., Said]
CLIENTS = pytest.mark.parametrize("client", [chat, responses, messages])
STREAMED = pytest.mark.parametrize("stream", [False, True])
ERRORS = (openai.APIError, anthropic.APIError)


@CLIENTS
@STREAMED
def test_a_whole_reply(client: Client, stream: bool) -> None:
    with ModelServer([FULL]) as server:
        said = client(server, stream)
    assert said.text == "I look twice."
    assert said.calls == [("look", '{"camera": "top"}'), ("look", "{}")]
    assert said.stop in {"tool_calls", "completed", "tool_use"}
    assert said.tokens == (50, 7, 20)
    assert server.last.tools == {"look": SCHEMA}
    assert server.pictures_seen == [PNG]
    assert server.problems == []


@CLIENTS
@STREAMED
def test_a_refusal(client: Client, stream: bool) -> None:
    with ModelServer([Reply(text="I will not.", stop="refusal")]) as server:
        assert client(server, stream).text == "I will not."


@CLIENTS
@STREAMED
@pytest.mark.parametrize("status", [429, 500, 529])
def test_the_clients_own_retries_get_through(client: Client, stream: bool, status: int) -> None:
    fault = Fault(status=status, retry_after=0.05, times=2)
    with ModelServer([Reply(text="fine", fault=fault)]) as server:
        assert client(server, stream, retries=2).text == "fine"
    assert [entry.status for entry in server.log] == [status, status, 200]


@CLIENTS
@pytest.mark.parametrize(
    ("fault", "openai_error", "anthropic_error"),
    [
        (Fault(status=401), openai.AuthenticationError, anthropic.AuthenticationError),
        (Fault(status=404), openai.NotFoundError, anthropic.NotFoundError),
        (Fault(status=429), openai.RateLimitError, anthropic.RateLimitError),
        (Fault(status=500), openai.InternalServerError, anthropic.InternalServerError),
        (Fault(kind="overloaded"), openai.InternalServerError, anthropic.APIStatusError),
        (Fault(kind="context"), openai.BadRequestError, anthropic.BadRequestError),
        (Fault(kind="credit"), openai.RateLimitError, anthropic.BadRequestError),
    ],
    ids=lambda value: value.meaning if isinstance(value, Fault) else "",
)
def test_errors_are_the_clients_own(
    client: Client, fault: Fault, openai_error: Any, anthropic_error: Any
) -> None:
    with ModelServer([Reply(fault=fault)]) as server, pytest.raises(ERRORS) as caught:
        client(server, stream=False)
    assert isinstance(caught.value, anthropic_error if client is messages else openai_error)


@CLIENTS
def test_a_dropped_stream_is_noticed(client: Client) -> None:
    script = [Reply(text="one two three", fault=Fault(drop_after=4))]
    with ModelServer(script) as server, pytest.raises(Exception, match=r"(?i)incomplete|connection error"):
        client(server, stream=True)


@CLIENTS
def test_a_slow_reply_times_out(client: Client) -> None:
    with (
        ModelServer([Reply(text="late", delay_s=30)]) as server,
        pytest.raises((openai.APITimeoutError, anthropic.APITimeoutError)),
    ):
        client(server, stream=False, timeout=0.3)


@pytest.mark.parametrize("made", [openai.OpenAI, anthropic.Anthropic])
def test_models_are_listed(made: Any) -> None:
    with ModelServer([], models=("one", "two")) as server:
        path = "/v1" if made is openai.OpenAI else ""
        client = made(base_url=f"{server.url}{path}", api_key="test-key", max_retries=0)
        assert [model.id for model in client.models.list()] == ["one", "two"]
        assert client.models.retrieve("two").id == "two"
        with pytest.raises((openai.NotFoundError, anthropic.NotFoundError)):
            client.models.retrieve("three")


def test_tokens_are_counted() -> None:
    with ModelServer([]) as server:
        client = anthropic.Anthropic(base_url=server.url, api_key="test-key")
        counted = client.messages.count_tokens(
            model="test-model", messages=[{"role": "user", "content": "Hi."}]
        )
    assert counted.input_tokens == 100
