"""What a reply of a model holds: the filled-in form, JSON or code, wherever the model put it."""

from __future__ import annotations

import json
import re
import textwrap
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from rpent.errors import RpentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.agents.exchanges import Said

Answer = TypeVar("Answer", bound=BaseModel)

_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_MAX_OBJECTS = 200
"""Opening braces that are tried; a reply with more holds no JSON."""


class UnusableAnswerError(RpentError):
    """A model answered, and the answer is of no use; the message says why, in words that the model can act on."""


def answer_of(said: Said, form: str, answer: type[Answer]) -> Answer:
    """Return the form that a reply fills in: a call, or JSON in the text.

    Args:
        said: The reply.
        form: The form's name.
        answer: What it must be.

    Raises:
        UnusableAnswerError: There is none, or it is not valid.
    """
    values = form_values(said, form)
    if values is None:
        raise UnusableAnswerError(f"The reply holds no call of `{form}` and no JSON object.")
    try:
        return answer.model_validate(values)
    except ValidationError as error:
        raise UnusableAnswerError(f"The answer is not valid: {_faults(error)}.") from None


def form_values(said: Said, form: str) -> dict[str, Any] | None:
    """Return the values of the form in a reply, not validated; None where there is none."""
    for call in said.calls:
        if call.name == form:
            return first_object(call.arguments)
    return first_object(said.text)


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in a text: the text itself, in a fence, or between other words."""
    for piece in (text, *fenced(text)):
        try:
            value = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    decoder = json.JSONDecoder()
    for count, brace in enumerate(re.finditer(r"\{", text)):
        if count >= _MAX_OBJECTS:
            break
        try:
            value, _ = decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value:
            return value
    return None


def code_of(text: str, function: str) -> str | None:
    """Return the Python code in a text that defines a function: the last fence that does, else from its first line on.

    Args:
        text: A reply, or the code itself, with or without fences.
        function: The name that it must define.
    """
    defines = re.compile(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{re.escape(function)}\b", re.MULTILINE)
    blocks = [block for block in fenced(text) if defines.search(block)]
    if blocks:
        return _clean(blocks[-1])
    if not defines.search(text):
        return None
    start = re.search(
        r"^[ \t]*(?:from\s+\S+\s+import\b|import\s|def\s|@|[A-Z_][A-Z0-9_]*\s*=)", text, re.MULTILINE
    )
    return _clean(text[start.start() if start else 0 :])


def fenced(text: str) -> Iterator[str]:
    """Yield what stands between code fences, in order; the last one may lack its end."""
    for match in _FENCE.finditer(text.replace("\r\n", "\n")):
        yield match[2]


def _clean(code: str) -> str:
    return textwrap.dedent(code.replace("\r\n", "\n")).strip() + "\n"


def _faults(error: ValidationError) -> str:
    """Return what is wrong with which field; no values, since they may be long."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    words = [
        f"`{'.'.join(str(part) for part in fault['loc']) or 'answer'}`: {fault['msg']}" for fault in faults
    ]
    return "; ".join(words[:6])
