"""The conversation stays as it was sent, until half of it makes room."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from rpent.testing.models import Call, Fault, Reply, Request, Tokens

from .stage import FINISH, Stage

LOOK = Call("look", {"size": 64})
LOOKS = [Reply(text=f"Look {number}.", calls=[LOOK]) for number in range(12)]


def conversation(request: Request) -> list[Any]:
    """Return the messages as they went over the wire, without the marks of the prompt cache."""
    messages = json.loads(json.dumps(request.body.get("messages") or request.body["input"]))
    return list(_without_marks(messages))


def _without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_marks(item) for key, item in value.items() if key != "cache_control"}
    return [_without_marks(item) for item in value] if isinstance(value, list) else value


def breaks(requests: Sequence[Request]) -> list[int]:
    """Return which requests do not begin with what the one before had sent."""
    found = []
    for index in range(1, len(requests)):
        before, after = conversation(requests[index - 1]), conversation(requests[index])
        if after[: len(before)] != before:
            found.append(index)
    return found


def test_each_request_begins_with_the_one_before(stage: Stage, provider: str) -> None:
    requests = stage.play([*LOOKS, FINISH], provider).server.requests
    assert breaks(requests) == []
    assert len({json.dumps(request.body.get("tools")) for request in requests}) == 1
    assert len({request.system for request in requests}) == 1


def test_old_pictures_make_room_half_of_them_at_once(stage: Stage, provider: str) -> None:
    played = stage.play([*LOOKS, FINISH], provider, options={"max_pictures": 4})
    requests = played.server.requests
    counts = [len(request.pictures) for request in requests]
    assert max(counts) == 4
    assert counts == [1, 2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3, 4]
    assert breaks(requests) == [4, 7, 10]
    assert requests[-1].text.count("An earlier picture was left out") == 9
    assert requests[-1].pictures[-1] == requests[-1].last.pictures[-1]
    assert any("the oldest 3 pictures were left out" in notice for notice in played.notices)


def test_the_pictures_of_the_last_reply_stay(stage: Stage, provider: str) -> None:
    many = Reply(calls=[Call("look", {"size": size}) for size in (64, 96, 128)])
    request = stage.play([LOOKS[0], many, FINISH], provider, options={"max_pictures": 2}).server.last
    assert len(request.last.pictures) == 3
    assert len(request.pictures) == 3


def test_nothing_is_said_where_nothing_can_be_left_out(stage: Stage, provider: str) -> None:
    again = Reply(calls=[Call("look", {})], fault=Fault(status=503))
    played = stage.play([Reply(calls=[LOOK] * 3), again, FINISH], provider, options={"max_pictures": 2})
    assert [notice for notice in played.notices if "left out" in notice][:1] == [
        "The conversation grew long: the oldest 1 pictures were left out."
    ]
    assert not any("oldest 0" in notice for notice in played.notices)


@pytest.mark.parametrize("limit", [6, 9])
def test_old_messages_make_room_half_of_them_at_once(stage: Stage, provider: str, limit: int) -> None:
    played = stage.play([*LOOKS, FINISH], provider, options={"history_messages": limit})
    requests = played.server.requests
    assert played.errors == []
    for request in requests:
        assert request.turns[0].texts[0] == played.session.prompts.user
        assert len(request.turns) <= limit + 1
    trimmed = breaks(requests)
    assert trimmed
    assert len(trimmed) <= len(requests) / (limit // 4)
    assert requests[-1].text.count("Earlier turns were left out") == 1
    assert "Look 11." in requests[-1].text
    assert "Look 0." not in requests[-1].text


def test_a_limit_of_tokens_makes_room_too(stage: Stage, provider: str) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Reply:
        requests.append(request)
        counted = Tokens(input=100 * len(request.turns))
        return FINISH if len(requests) == 16 else Reply(calls=[LOOK], usage=counted)

    played = stage.play(answer, provider, options={"history_tokens": 1000})
    assert played.errors == []
    assert max(len(request.turns) for request in requests) <= 11
    assert all(request.turns[0].texts[0] == played.session.prompts.user for request in requests)
    trimmed = breaks(requests)
    assert len(trimmed) == len(played.notices) > 1
    assert min(after - before for before, after in pairwise(trimmed)) > 1
