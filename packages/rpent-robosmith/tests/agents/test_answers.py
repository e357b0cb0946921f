"""What a reply holds is found wherever the model put it, and hostile replies cost no time."""

from __future__ import annotations

import pytest
from pydantic import BaseModel
from rpent_robosmith.agents.answers import UnusableAnswerError, answer_of, code_of, first_object
from rpent_robosmith.agents.exchanges import Said, SaidCall

CODE = "def f(x):\n    return {1: 2}\n"


class Form(BaseModel):
    """A form."""

    number: int


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('[1, {"a": 1}]', {"a": 1}),
        ('```\n{"a": 1}\n```', {"a": 1}),
        ('text {not json} {"a": {"b": 2}} {"c": 3}', {"a": {"b": 2}}),
        ('```json\n{"a": 1', None),
        ("", None),
        ("{}", {}),
        ("{" * 50_000, None),
        ('{"a":' * 50_000, None),
        ('{"a":' + "[" * 50_000, None),
    ],
)
def test_the_first_object(text: str, value: object) -> None:
    assert first_object(text) == value


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"```python\n{CODE}```",
        f"```\nother\n```\n\n```py\n{CODE}```\n```\nmore\n```",
        f"    ~~~\n    {CODE.replace(chr(10) + '    ', chr(10) + '        ')}    ~~~",
        f"````python\n{CODE}````",
        f"```python\r\n{CODE.replace(chr(10), chr(13) + chr(10))}```",
        f"Sure.\n{CODE}",
    ],
)
def test_code_in_any_dress(text: str) -> None:
    assert code_of(text, "f") == CODE


def test_what_stands_before_the_function_belongs_to_it() -> None:
    assert code_of("Look:\nLIMIT = 2\ndef g():\n    pass\ndef f(x):\n    pass", "f") == (
        "LIMIT = 2\ndef g():\n    pass\ndef f(x):\n    pass\n"
    )


@pytest.mark.parametrize("text", ["", "f(x)", "def ff(x): pass", "`def f`", "```\nx\n" * 20_000])
def test_no_code_is_none(text: str) -> None:
    assert code_of(text, "f") is None


def test_a_form_is_read_from_its_call_and_from_no_other() -> None:
    calls = (
        SaidCall(id="1", name="other", arguments='{"number": 1}'),
        SaidCall(id="2", name="form", arguments='{"number": 2}'),
    )
    assert answer_of(Said(calls=calls), "form", Form).number == 2


def test_what_is_wrong_is_said_without_the_value() -> None:
    with pytest.raises(UnusableAnswerError) as raised:
        answer_of(Said(text='{"number": "' + "x" * 9999 + '"}'), "form", Form)
    assert raised.value.message == (
        "The answer is not valid: `number`: Input should be a valid integer, unable to parse string as an integer."
    )
