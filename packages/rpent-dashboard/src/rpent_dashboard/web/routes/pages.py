"""The page itself, its modules and styles, and the door."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rpent_dashboard.web.refusals import RefusedError

if TYPE_CHECKING:
    from rpent_dashboard.web.surroundings import Surroundings

STATIC = Path(__file__).parents[2] / "static"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_ENTERING = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>RPent</title>
<script src="/static/js/enter.js"></script>
<p><a href="/">RPent</a></p>
</html>
"""
_CLOSED = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>RPent</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/css/tokens.css">
<link rel="stylesheet" href="/static/css/base.css">
<main class="page">
<p>Open the address with the token that was printed when this dashboard started.</p>
<p lang="zh-CN">请打开控制台启动时输出的、带有令牌的网址。</p>
</main>
</html>
"""


def router(surroundings: Surroundings) -> APIRouter:
    """Return the routes of `/` and `/static`."""
    routes = APIRouter()
    access = surroundings.settings.access

    @routes.get("/")
    def index(request: Request) -> Response:
        token = request.query_params.get("token")
        if token is None and request.state.session:
            return HTMLResponse((STATIC / "index.html").read_bytes())
        if token is not None and access.opens(token):
            # Not a redirect: after a link of another site, a browser leaves strict cookies out of it.
            page = HTMLResponse(_ENTERING)
            page.set_cookie(
                access.cookie_name, access.new_cookie(), path="/", httponly=True, samesite="strict"
            )
            return page
        if request.state.session:  # a bookmark with the token of an earlier process
            return RedirectResponse("/", status_code=303)
        return HTMLResponse(_CLOSED, status_code=401)

    @routes.get("/static/{path:path}")
    def static(path: str, request: Request) -> Response:
        file = static_file(path)
        content = file.read_bytes()
        etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        # Revalidated each time, so that a page never mixes modules of two versions.
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        if etag in request.headers.get("If-None-Match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=MEDIA_TYPES[file.suffix], headers=headers)

    @routes.get("/favicon.ico")
    def favicon() -> Response:
        return RedirectResponse("/static/icon.svg", status_code=308)

    return routes


def static_file(path: str) -> Path:
    """Return a file of the page.

    Raises:
        RefusedError: There is none, or it is not one of the page's.
    """
    if all(_PART.fullmatch(part) for part in path.split("/")):
        file = (STATIC / path).resolve()
        if file.is_relative_to(STATIC.resolve()) and file.suffix in MEDIA_TYPES and file.is_file():
            return file
    raise RefusedError(404, "There is nothing at this address.")
