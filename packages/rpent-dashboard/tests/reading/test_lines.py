import json

import pytest
from rpent_dashboard.reading.lines import MAX_EVENT, MAX_TEXT, broken_json, event_json


def event(value: object) -> dict:
    found = event_json(value if isinstance(value, bytes) else json.dumps(value).encode())
    assert found is not None
    assert b"\n" not in found
    assert b"\r" not in found
    return json.loads(found, parse_constant=lambda name: pytest.fail(f"browsers do not read {name}"))


def test_what_needs_no_change_passes_through_as_it_is() -> None:
    line = b'{"type": "turn",  "turn": 1, "later": {"a": [1, 2]}}'
    assert event_json(line) is line


def test_a_type_that_is_not_known_stays_as_it_is() -> None:
    assert event({"type": "hologram", "beams": [1, 2]}) == {"type": "hologram", "beams": [1, 2]}
    assert event({"no": "type"}) == {"no": "type"}


def test_a_result_loses_the_text_that_repeats_its_data() -> None:
    assert event({"type": "tool_returned", "data": {"a": 1}, "text": "{}"}) == {
        "type": "tool_returned",
        "data": {"a": 1},
    }


def test_a_result_without_data_keeps_its_text() -> None:
    assert event({"type": "tool_returned", "text": "old"})["text"] == "old"


def test_the_text_of_other_events_stays() -> None:
    assert event({"type": "text", "text": "Hello"})["text"] == "Hello"


def test_long_texts_are_cut_wherever_they_are() -> None:
    long = "ä" * (MAX_TEXT + 5)
    found = event({"type": "tool_returned", "data": {"deep": [{"er": long}], "short": "s"}})
    assert found["cut"] is True
    assert found["data"] == {"deep": [{"er": long[:MAX_TEXT]}], "short": "s"}


def test_a_text_of_the_longest_length_is_not_cut() -> None:
    assert "cut" not in event({"type": "text", "text": "a" * MAX_TEXT})


def test_of_an_event_that_is_too_large_the_largest_part_is_left_out() -> None:
    found = event({"type": "tool_returned", "name": "scan", "data": {"points": list(range(100_000))}})
    assert found == {"type": "tool_returned", "name": "scan", "cut": True, "dropped": ["data"]}
    assert len(json.dumps(found)) < MAX_EVENT


def test_numbers_that_browsers_do_not_read_become_null() -> None:
    assert event(b'{"type": "usage", "cost_usd": NaN, "x": [Infinity, -Infinity]}') == {
        "type": "usage",
        "cost_usd": None,
        "x": [None, None],
    }


def test_half_of_a_surrogate_pair_is_replaced() -> None:
    assert event(b'{"type": "text", "text": "a\\ud800b"}')["text"] == "a\ufffdb"


def test_a_carriage_return_between_tokens_does_not_end_a_message() -> None:
    assert event(b'{"type": "turn",\r "turn": 1}\r') == {"type": "turn", "turn": 1}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b"null",
        b"nonsense",
        b'{"type": "text", "text": "\xff\xfe"}',
        b"\x00\x01\x02\xff" * 100,
        b'{"a": "tab\tinside"} x',
        b"\xef\xbb\xbf{}",
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
    ],
)
def test_a_line_that_holds_no_event(line: bytes) -> None:
    assert event_json(line) is None


def test_a_nest_that_is_deep_but_readable_is_an_event() -> None:
    assert event(b'{"type": "x", "text": "\\ud800", "a":' + b"[" * 300 + b"]" * 300 + b"}")["type"] == "x"


@pytest.mark.parametrize("depth", [150, 400, 470, 490, 600, 900])
def test_whatever_the_depth_it_is_an_event_or_none(depth: int) -> None:
    line = b'{"type": "x", "t": "%b", "a":' % (b"a" * (MAX_TEXT + 1)) + b"[" * depth + b"]" * depth + b"}"
    found = event_json(line)
    assert found is None or json.loads(found)["cut"]


def test_a_broken_line_says_where_it_is() -> None:
    found = json.loads(broken_json(b"<script>\xff\x00" + b"a" * 500, 7, 1234))
    assert found == {
        "type": "broken",
        "line": 7,
        "offset": 1234,
        "text": "<script>\ufffd\x00" + "a" * 190,
    }
