"""Errors as answers: `{"error": {"message", "hint", "field"}}`, never a traceback."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from rpent.errors import RpentError, UsageError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from rpent_dashboard.hosting.errors import ConflictError, NotFoundError
from rpent_dashboard.reading.keys import MissingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = logging.getLogger(__name__)
_STATUS: dict[type[RpentError], int] = {
    ConflictError: 409,
    NotFoundError: 404,
    MissingError: 404,
    UsageError: 422,
}
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not take such a request.",
}


class RefusedError(RpentError):
    """A request that is not carried out; routes raise it too.

    Args:
        status: Of the answer, 4xx or 5xx.
        message: One sentence.
        hint: What to do.
        field: The value that it is about (`task`, `arguments.x`), where there is one.
    """

    def __init__(self, status: int, message: str, *, hint: str | None = None, field: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.field = field


def refusal(
    status: int,
    message: str,
    *,
    hint: str | None = None,
    field: str = "",
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return an error as an answer."""
    error = {"message": message, "hint": hint or "", "field": field}
    return JSONResponse({"error": error}, status_code=status, headers=dict(headers or {}))


def answer_to(error: Exception) -> JSONResponse:
    """Return the answer to what a route raised."""
    if isinstance(error, RefusedError):
        return refusal(error.status, error.message, hint=error.hint, field=error.field)
    if isinstance(error, RpentError):
        status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)
        return refusal(status, error.message, hint=error.hint, field=getattr(error, "field", ""))
    if isinstance(error, RequestValidationError):
        return _invalid(error.errors()[0])
    if isinstance(error, HTTPException):
        standard = error.detail == HTTPStatus(error.status_code).phrase
        sentence = _SENTENCES.get(error.status_code) if standard else None
        return refusal(
            error.status_code, sentence or f"{str(error.detail).rstrip('.')}.", headers=error.headers
        )
    return refusal(500, "The dashboard failed at this request; its log says why.")


def _invalid(problem: Mapping[str, Any]) -> JSONResponse:
    """Return what is wrong with a value: where it is, without repeating it."""
    place = [str(part) for part in problem["loc"]]
    if problem["type"] == "json_invalid":
        return refusal(400, "The body of the request is not JSON.")
    field = ".".join(place[1:])
    return refusal(422, f"`{field or place[0]}`: {problem['msg']}.", field=field)


class Answering:
    """Turns what the layers inside raise into answers; what nobody expects goes to the log, without its query."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:  # noqa: BLE001  (whatever it is, a browser gets one sentence)
            if not isinstance(error, RefusedError):
                _log.error("%s %r failed.", scope["method"], scope["path"], exc_info=error)
            if started:
                return  # an answer that breaks off: the server closes the connection
            answer = answer_to(error)
            if isinstance(error, RefusedError):
                answer.headers["Connection"] = "close"
            await answer(scope, receive, send)
