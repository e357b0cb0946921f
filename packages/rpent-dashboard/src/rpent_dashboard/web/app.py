"""The web application: the guards, the pages and the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from rpent.errors import RpentError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from rpent_dashboard.web.refusals import Answering, answer_to
from rpent_dashboard.web.routes import choices, launch, library, logs, me, pages, pictures, runs, session
from rpent_dashboard.web.security.body import SmallJson
from rpent_dashboard.web.security.guard import Guard
from rpent_dashboard.web.security.headers import SecureHeaders
from rpent_dashboard.web.streams import EndingStreams

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from rpent_dashboard.web.surroundings import Surroundings

ROUTES = (pages, me, runs, pictures, logs, library, session, launch, choices)
"""Each module has a `router(surroundings) -> APIRouter`."""


def create_app(surroundings: Surroundings) -> FastAPI:
    """Return the application over an output directory, and over a session where runs can be started."""
    settings = surroundings.settings
    app = FastAPI(
        title="RPent dashboard",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        middleware=[
            Middleware(SecureHeaders),
            Middleware(EndingStreams, streams=settings.streams),
            Middleware(Answering),
            Middleware(Guard, access=settings.access, names=settings.names),
            Middleware(SmallJson),
        ],
    )
    for kind in (RpentError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _answer)
    for module in ROUTES:
        app.include_router(module.router(surroundings))
    return app


async def _answer(_request: Request, error: Exception) -> Response:
    return answer_to(error)
