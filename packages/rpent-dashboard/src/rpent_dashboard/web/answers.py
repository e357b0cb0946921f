"""Answers in JSON, whatever runs hold."""

from __future__ import annotations

from typing import Any

from pydantic_core import PydanticSerializationError, to_json
from rpent.encodable import encodable
from starlette.responses import Response


def json_answer(value: Any) -> Response:
    """Return plain data as JSON: `null` for what is no number, `�` for half of a surrogate pair."""
    try:
        content = to_json(value, inf_nan_mode="null")
    except PydanticSerializationError:
        content = to_json(encodable(value), inf_nan_mode="null")
    return Response(content, media_type="application/json")
